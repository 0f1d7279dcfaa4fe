#pragma once
// Strict reading of one JSON object a person may have written: every key known, every type right, and each complaint a
// ConfigError with the JSON pointer of the place.
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte::experiment_detail {

/// Reads the fields of an object; done() rejects keys that were not read.
class StrictObject {
 public:
  /// Keeps a reference to `json`.
  StrictObject(const nlohmann::json& json, std::string pointer);

  bool has(const std::string& key);  ///< whether an optional key is there; counts as asked for
  /// The value of a key that must be there; counts as asked for.
  const nlohmann::json& at(const std::string& key);
  std::string text(const std::string& key);  ///< not empty
  std::string choice(const std::string& key, const std::vector<std::string>& choices);
  bool boolean(const std::string& key);
  Index integer(const std::string& key, Index minimum, Index maximum);
  std::optional<double> number_or_null(const std::string& key);
  std::optional<std::string> text_or_null(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  /// Throws ConfigError for keys that were not asked for, with those that were and the nearest spelling.
  void done() const;

  const std::string& pointer() const { return pointer_; }
  std::string place(const std::string& key) const;  ///< JSON pointer of a field
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  void remember(const std::string& key);
  [[noreturn]] void wrong_type(const std::string& key, const std::string& expected) const;
  const nlohmann::json& json_;
  std::string pointer_;
  std::vector<std::string> known_;
};

}  // namespace alacarte::experiment_detail
