#include "experiment/strict_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "core/spelling.hpp"

namespace alacarte::experiment_detail {

using Json = nlohmann::json;

StrictObject::StrictObject(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {
  if (!json_.is_object()) throw ConfigError(pointer_, fmt::format("must be an object, not {}", json_.type_name()));
}

std::string StrictObject::place(const std::string& key) const {
  return (Json::json_pointer(pointer_) / key).to_string();
}

void StrictObject::refuse(const std::string& key, const std::string& what) const {
  throw ConfigError(place(key), what);
}

void StrictObject::wrong_type(const std::string& key, const std::string& expected) const {
  refuse(key, fmt::format("must be {}, not {}", expected, json_.at(key).type_name()));
}

void StrictObject::remember(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
}

bool StrictObject::has(const std::string& key) {
  remember(key);
  return json_.contains(key);
}

const Json& StrictObject::at(const std::string& key) {
  remember(key);
  const auto found = json_.find(key);
  if (found != json_.end()) return *found;
  // A misspelt key is a likelier fault than a missing one.
  for (const auto& [given, value] : json_.items())
    if (nearest(given, {key}) == key)
      throw ConfigError(place(given), fmt::format("unknown key (did you mean '{}'?)", key));
  throw ConfigError(pointer_, fmt::format("needs \"{}\"", key));
}

std::string StrictObject::text(const std::string& key) {
  const Json& value = at(key);
  if (!value.is_string()) wrong_type(key, "a string");
  const auto text = value.get<std::string>();
  if (text.empty()) refuse(key, "must not be empty");
  return text;
}

std::string StrictObject::choice(const std::string& key, const std::vector<std::string>& choices) {
  const std::string given = text(key);
  if (std::find(choices.begin(), choices.end(), given) == choices.end())
    refuse(key,
           fmt::format("must be one of {}, not '{}'{}", fmt::join(choices, ", "), given, did_you_mean(given, choices)));
  return given;
}

bool StrictObject::boolean(const std::string& key) {
  const Json& value = at(key);
  if (!value.is_boolean()) wrong_type(key, "true or false");
  return value.get<bool>();
}

Index StrictObject::integer(const std::string& key, Index minimum, Index maximum) {
  const Json& value = at(key);
  if (!value.is_number_integer()) wrong_type(key, "an integer");
  // Unsigned numbers from 2^63 on would wrap on conversion.
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() >> 63 == 0;
  if (!fits || value.get<Index>() < minimum || value.get<Index>() > maximum)
    refuse(key, fmt::format("must be from {} to {}, not {}", minimum, maximum, value.dump()));
  return value.get<Index>();
}

std::optional<double> StrictObject::number_or_null(const std::string& key) {
  const Json& value = at(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number()) wrong_type(key, "a number or null");
  return value.get<double>();
}

std::optional<std::string> StrictObject::text_or_null(const std::string& key) {
  const Json& value = at(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_string()) wrong_type(key, "a string or null");
  return text(key);
}

std::vector<std::string> StrictObject::texts(const std::string& key) {
  const Json& list = at(key);
  if (!list.is_array()) wrong_type(key, "an array of strings");
  std::vector<std::string> values;
  for (const Json& value : list) {
    if (!value.is_string())
      throw ConfigError((Json::json_pointer(place(key)) / values.size()).to_string(),
                        fmt::format("must be a string, not {}", value.type_name()));
    values.push_back(value.get<std::string>());
  }
  return values;
}

void StrictObject::done() const {
  for (const auto& [key, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    throw ConfigError(place(key),
                      fmt::format("unknown key{}; allowed: {}", did_you_mean(key, known_), fmt::join(known_, ", ")));
  }
}

}  // namespace alacarte::experiment_detail
