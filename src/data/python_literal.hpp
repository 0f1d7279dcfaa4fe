#pragma once
// The Python literal that describes the array of an NPY file: {'descr': '<f8', 'fortran_order': False, 'shape': (3,
// 2)}.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

/// A value of such a literal, by its kind.
struct PythonValue {
  enum class Kind { text, truth, whole, other_number, sequence, dictionary };
  Kind kind = Kind::text;
  std::string text = {};      ///< between quotes
  bool truth = false;         ///< True or False
  std::uint64_t whole = 0;    ///< without a sign
  bool is_too_large = false;  ///< of other_number: beyond 64 bits, or no whole number; otherwise it is negative
  std::vector<PythonValue> items = {};
  std::map<std::string, PythonValue> entries = {};
};

/// Reads texts, truth values, numbers, tuples, lists and dictionaries with texts as keys. Nothing for anything else,
/// and for deep nesting.
std::optional<PythonValue> parse_python(std::string_view literal);

}  // namespace alacarte::data_detail
