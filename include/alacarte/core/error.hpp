#pragma once
// Errors that users can cause. Each what() is one line that names the place; the program maps each class to its own
// exit code (ConfigError 2, DataError 3, IoError 4, NumericalError 5).
#include <cstdint>
#include <stdexcept>
#include <string>

namespace alacarte {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A recipe or option is wrong. `pointer`: JSON pointer of the place ("/features/frequencies"), or an option name.
class ConfigError : public Error {
 public:
  /// pointer: JSON pointer of the place in the recipe, "" for its root.
  ConfigError(std::string pointer, const std::string& message)
      : Error(place(pointer) + message), pointer_(std::move(pointer)) {}
  const std::string& pointer() const { return pointer_; }  ///< JSON pointer of the place, or the option's name
  /// Returns this error with the name of the file added.
  ConfigError in_file(const std::string& path) const { return {pointer_, message() + " [in " + path + "]"}; }
  /// Returns this error at another place.
  ConfigError at(const std::string& pointer) const { return {pointer, message()}; }

 private:
  std::string message() const { return std::string(what()).substr(place(pointer_).size()); }
  static std::string place(const std::string& pointer) { return (pointer.empty() ? "(root)" : pointer) + ": "; }
  std::string pointer_;
};

/// A data file is wrong. Row and column count from 1 as a person would in an editor; 0 means "the whole file".
class DataError : public Error {
 public:
  /// row, column: from 1; 0 if the message is about the whole file or row.
  DataError(const std::string& file, std::int64_t row, std::int64_t column, const std::string& message)
      : Error(place(file, row, column) + ": " + message) {}
  /// Reports an error of the file as a whole.
  DataError(const std::string& file, const std::string& message) : DataError(file, 0, 0, message) {}

 private:
  static std::string place(const std::string& file, std::int64_t row, std::int64_t column) {
    std::string text = file;
    if (row > 0) text += ": row " + std::to_string(row);
    if (column > 0) text += (row > 0 ? ", column " : ": column ") + std::to_string(column);
    return text;
  }
};

/// A factorisation or an evaluation failed although every fallback was tried. `value`: the offending number.
class NumericalError : public Error {
 public:
  /// stage: what was computed; value: the number that shows the failure, if there is one.
  NumericalError(const std::string& stage, const std::string& message, double value = 0)
      : Error(stage + ": " + message), value_(value) {}
  double value() const { return value_; }  ///< the value given at construction, or 0

 private:
  double value_;
};

/// A file cannot be read or written, or a model file is not what it claims to be.
class IoError : public Error {
 public:
  /// path: the file that failed.
  IoError(const std::string& path, const std::string& message) : Error(path + ": " + message) {}
};

/// Throws std::invalid_argument if a caller broke a precondition (shapes, ranges): a programming error, not a user's.
inline void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("alacarte: ") + what);
}

}  // namespace alacarte
