#pragma once
// Strict reading of a JSON object of the model file: keys and types are checked. Private to the io room.
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// Reads the fields of an object; done() rejects keys that were not read. Errors are IoErrors that name `where`.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string where);

  const nlohmann::json& at(const char* key);
  std::string text(const char* key);
  bool boolean(const char* key);
  Index integer(const char* key, Index minimum, Index maximum);
  double number(const char* key);  ///< finite
  Vector numbers(const char* key);
  std::vector<std::string> texts(const char* key);
  void done() const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> used_;
};

}  // namespace alacarte
