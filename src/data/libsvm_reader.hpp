#pragma once
// LIBSVM text: "label index:value index:value ...", indices from 1 and increasing, "#" starts a comment. Private to the
// data room; made by open_table().
#include <memory>
#include <string>
#include <string_view>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"

namespace alacarte::data_detail {

/// Largest index, since rows may be stored densely: a mistyped index must not need terabytes.
inline constexpr Index kMaxLibsvmInputs = 1000000;

/// Returns true for a number followed by one or more index:value pairs.
bool looks_like_libsvm(std::string_view line);

/// Removes the first word from `rest` and returns it, or "".
std::string_view next_word(std::string_view& rest);

/// The lines of a file that hold rows.
class LibsvmLines {
 public:
  /// Reads `source`, the content of `origin` from its start. `inputs`: number of inputs; 0 = the largest index in the
  /// file, found by a first pass over it.
  LibsvmLines(const Origin& origin, std::unique_ptr<ByteSource> source, Index inputs);
  Index inputs() const { return inputs_; }
  std::int64_t line() const { return line_; }  ///< line of the row for parse(), from 1
  double share_read() const { return buffer_.share_read(); }

  /// Finds the next row; returns false at the end.
  bool find();
  /// Returns the label (or NaN) of that row and calls entry(place, value) for its entries by increasing places from 0;
  /// a value may be NaN. Throws DataError.
  template <class Entry>
  double parse(const Entry& entry);

 private:
  Index largest_index(const Origin& origin) const;
  /// Leaves the first pair in `token`.
  double take_label(std::string_view& rest, std::string_view& token) const;
  /// Returns the index of "index:value", checked to lie within the inputs and above `former`.
  Index take_pair(std::string_view token, Index former, double& value) const;

  std::string path_;
  RecordBuffer buffer_;
  Index inputs_ = 0;
  std::int64_t line_ = 0;
  std::string_view text_;
  std::size_t length_ = 0;  // length of find()'s line, consumed by the next
};

template <class Entry>
double LibsvmLines::parse(const Entry& entry) {
  std::string_view rest = text_, token;
  const double label = take_label(rest, token);
  Index former = 0;
  for (; !token.empty(); token = next_word(rest)) {
    double value = 0;
    former = take_pair(token, former, value);
    entry(former - 1, value);
  }
  return label;
}

}  // namespace alacarte::data_detail
