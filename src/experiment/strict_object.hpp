#pragma once
// Strict reading of a JSON object that a person may have written: every key known, every type right, and each fault a
// ConfigError with its JSON pointer.
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

  bool has(const std::string& key);  ///< true if an optional key exists; marks it as read
  /// Returns the value of a required key; marks it as read.
  const nlohmann::json& at(const std::string& key);
  std::string text(const std::string& key);  ///< throws unless it is a non-empty text
  std::string choice(const std::string& key, const std::vector<std::string>& choices);
  bool boolean(const std::string& key);
  Index integer(const std::string& key, Index minimum, Index maximum);
  std::optional<double> number_or_null(const std::string& key);
  std::optional<std::string> text_or_null(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  /// Throws ConfigError for keys that were not read, with those that were and the nearest spelling.
  void done() const;

  const std::string& pointer() const { return pointer_; }
  std::string place(const std::string& key) const;  ///< returns the JSON pointer of a field
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  void remember(const std::string& key);
  [[noreturn]] void wrong_type(const std::string& key, const std::string& expected) const;
  const nlohmann::json& json_;
  std::string pointer_;
  std::vector<std::string> known_;
};

}  // namespace alacarte::experiment_detail
