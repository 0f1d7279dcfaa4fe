#pragma once
// CSV files that appear whole or not at all.
#include <alacarte/core/types.hpp>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace alacarte {

/// Writes comma-separated rows, RFC 4180 quoting, "\n" line ends, numbers in the shortest form that reads back to the
/// same double ("nan", "inf" as such; the readers take both as missing). A name that ends in ".gz" is gzipped (without
/// a time stamp, so equal tables give equal files); "-" is standard output, written at once. Other files appear at
/// commit(); without one nothing is left behind.
class CsvWriter {
 public:
  explicit CsvWriter(const std::string& path);  ///< throws IoError
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  void header(const std::vector<std::string>& names);  ///< before the first row
  void row(ConstVec values);                           ///< one whole row of numbers

  void cell(std::string_view text);  ///< next cell of a row in pieces
  /// Writes the next cell of a row: the shortest digits that read back to the number.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void cell(Number value) {
    char digits[32];
    append({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  }
  void end_row();  ///< throws std::invalid_argument if the row is empty or wider or narrower than those before

  /// Writes a line of text in place of a row, for line formats other than CSV.
  void line(std::string_view text);

  void commit();  ///< once; throws IoError, e.g. when the disk is full

 private:
  class Sink;
  class GzipSink;
  class OutputSink;
  void append(std::string_view text);
  void end_line();
  std::unique_ptr<Sink> sink_;
  std::string buffer_;
  Index cells_ = 0, columns_ = -1;
  std::size_t row_start_ = 0;
};

/// Writes a whole table: values (n, d), names (d) or empty for no header.
void write_csv(const std::string& path, const std::vector<std::string>& names, ConstMat values);

}  // namespace alacarte
