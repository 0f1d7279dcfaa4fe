#pragma once
// The Python literal of an NPY header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

/// A value of such a literal.
struct PythonValue {
  enum class Kind { text, truth, whole, other_number, sequence, dictionary };
  Kind kind = Kind::text;
  std::string text = {};      ///< between quotes
  bool truth = false;         ///< True or False
  std::uint64_t whole = 0;    ///< unsigned
  bool is_too_large = false;  ///< other_number: true beyond 64 bits or if not whole, else negative
  std::vector<PythonValue> items = {};
  std::map<std::string, PythonValue> entries = {};
};

/// Parses text, truth values, numbers, tuples, lists and dictionaries with text keys. Returns nothing for other
/// literals and for deep nesting.
std::optional<PythonValue> parse_python(std::string_view literal);

}  // namespace alacarte::data_detail
