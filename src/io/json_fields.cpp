#include "io/json_fields.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"

namespace alacarte {
namespace {

std::string quoted(const char* key) { return std::string("'").append(key).append("'"); }

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) refuse("not an object");
}

void JsonFields::refuse(const std::string& what) const { throw IoError("model file", where_ + ": " + what); }

const nlohmann::json& JsonFields::at(const char* key) {
  const auto found = object_.find(key);
  if (found == object_.end()) refuse(quoted(key) + " is missing");
  used_.insert(key);
  return *found;
}

std::string JsonFields::text(const char* key) {
  const auto& value = at(key);
  if (!value.is_string()) refuse(quoted(key) + " is not a text");
  return value.get<std::string>();
}

bool JsonFields::boolean(const char* key) {
  const auto& value = at(key);
  if (!value.is_boolean()) refuse(quoted(key) + " is neither true nor false");
  return value.get<bool>();
}

Index JsonFields::integer(const char* key, Index minimum, Index maximum) {
  const auto& value = at(key);
  // An unsigned number beyond 2^63 would wrap on conversion.
  const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() >> 63 == 0);
  if (!fits || value.get<Index>() < minimum || value.get<Index>() > maximum)
    refuse(quoted(key) + " is not a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
  return value.get<Index>();
}

double JsonFields::number(const char* key) {
  const auto& value = at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(quoted(key) + " is not a finite number");
  return value.get<double>();
}

Vector JsonFields::numbers(const char* key) {
  const auto& list = at(key);
  if (!list.is_array()) refuse(quoted(key) + " is not a list");
  Vector values(static_cast<Index>(list.size()));
  Index i = 0;
  for (const auto& value : list) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      refuse(quoted(key) + " holds something that is not a finite number");
    values[i++] = value.get<double>();
  }
  return values;
}

std::vector<std::string> JsonFields::texts(const char* key) {
  const auto& list = at(key);
  if (!list.is_array()) refuse(quoted(key) + " is not a list");
  std::vector<std::string> values;
  for (const auto& value : list) {
    if (!value.is_string()) refuse(quoted(key) + " holds something that is not a text");
    values.push_back(value.get<std::string>());
  }
  return values;
}

void JsonFields::done() const {
  for (const auto& item : object_.items())
    if (used_.count(item.key()) == 0) refuse("unknown key '" + data_detail::printable(item.key()) + "'");
}

}  // namespace alacarte
