#pragma once
// Strict reading of JSON objects in model files: keys and types are checked.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/recipe_words.hpp"
#include "alacarte/core/types.hpp"
#include "data/cells.hpp"

namespace alacarte {

/// Reads the fields of an object; done() rejects keys that were not read. Errors are IoErrors that name `where`.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) refuse("not an object");
  }

  const nlohmann::json& at(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(key, "is missing");
    used_.insert(key);
    return *found;
  }
  std::string text(const char* key) { return value<std::string>(key, is_text, "is not a text"); }
  bool boolean(const char* key) {
    return value<bool>(
        key, [](const nlohmann::json& json) { return json.is_boolean(); }, "is neither true nor false");
  }
  /// Returns a flag that may be absent.
  bool is_set(const char* key) { return object_.contains(key) && boolean(key); }
  double number(const char* key) { return value<double>(key, is_finite, "is not a finite number"); }
  Index integer(const char* key, Index minimum, Index maximum) {
    const auto fits = [&](const nlohmann::json& json) {
      // An unsigned number beyond 2^63 would wrap on conversion.
      return json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() >> 63 == 0) &&
             json.get<Index>() >= minimum && json.get<Index>() <= maximum;
    };
    return value<Index>(key, fits,
                        "is not a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
  }
  Vector numbers(const char* key) {
    const std::vector<double> values = list<double>(key, is_finite, "holds something that is not a finite number");
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  }
  std::vector<std::string> texts(const char* key) {
    return list<std::string>(key, is_text, "holds something that is not a text");
  }
  /// Reads the field into `into`, by its type.
  template <class Value>
  void read(const char* key, Value& into) {
    if constexpr (std::is_enum_v<Value>) {
      const std::optional<Value> known = from_word<Value>(text(key));
      if (!known) refuse(std::string(key) + " is none of its known words");
      into = *known;
    } else if constexpr (std::is_same_v<Value, bool>) {
      into = boolean(key);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      into = text(key);
    } else {
      into = texts(key);
    }
  }
  void done() const {
    for (const auto& item : object_.items())
      if (used_.count(item.key()) == 0) refuse("unknown key '" + data_detail::printable(item.key()) + "'");
  }
  [[noreturn]] void refuse(const std::string& what) const { throw IoError("model file", where_ + ": " + what); }

 private:
  static bool is_text(const nlohmann::json& json) { return json.is_string(); }
  static bool is_finite(const nlohmann::json& json) { return json.is_number() && std::isfinite(json.get<double>()); }

  [[noreturn]] void refuse(const char* key, const std::string& what) const {
    refuse(std::string("'").append(key).append("' ").append(what));
  }
  template <class Value, class Fits>
  Value value(const char* key, const Fits& fits, const std::string& otherwise) {
    const nlohmann::json& json = at(key);
    if (!fits(json)) refuse(key, otherwise);
    return json.get<Value>();
  }
  template <class Value, class Fits>
  std::vector<Value> list(const char* key, const Fits& fits, const std::string& otherwise) {
    const nlohmann::json& all = at(key);
    if (!all.is_array()) refuse(key, "is not a list");
    if (!std::all_of(all.begin(), all.end(), fits)) refuse(key, otherwise);
    return all.get<std::vector<Value>>();
  }

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> used_;
};

}  // namespace alacarte
