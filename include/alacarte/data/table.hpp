#pragma once
// Tables in files: CSV (plain or gzipped), LIBSVM, NPY and IDX, read in chunks of rows.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Rows of a table. In `numbers` a missing cell is NaN, one beyond the range of doubles infinite; the schema decides
/// how they are handled.
struct TableChunk {
  Index first_row = 0;                         ///< data rows before this chunk (header not counted)
  Matrix numbers;                              ///< (rows, columns of the table); 0 in text columns
  std::vector<std::vector<std::string>> text;  ///< [column][row], filled only for text columns, else empty
  /// [column]: cells of mixed columns that are no numbers, as (row of the chunk, text) by increasing row; NaN in
  /// `numbers`. Empty, or as long as `text`.
  std::vector<std::vector<std::pair<Index, std::string>>> odd_cells;
  std::vector<std::int64_t> line_numbers;        ///< 1-based line in the file of each row, for messages
  Index rows() const { return numbers.rows(); }  ///< rows in this chunk
  /// Returns the text of a cell of a mixed column that is no number, or nullptr.
  const std::string* odd_cell(Index column, Index row) const;
};

/// Treatment of the cells of a column: parse them, keep them as text, parse them as dates (days since 1970-01-01), skip
/// them unread, or parse them and keep those that are no numbers as text (mixed).
enum class ColumnKind { number, text, date, skipped, mixed };

/// Reads one file front to back. Errors are DataError with file, row (line) and column. Memory: one chunk.
class TableReader {
 public:
  virtual ~TableReader() = default;
  /// Returns header names (a nameless column goes by its position), or "x0".. and "y" for LIBSVM, else "0", "1", ..
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_names() const { return has_names_; }  ///< true if names came from a header
  /// Returns true for LIBSVM and IDX, whose last column is the label, wherever the schema has the target.
  bool label_last() const { return label_last_; }
  /// Returns the reason why the last column cannot be the default target (IDX images without labels), or "".
  const std::string& no_target_reason() const { return no_target_reason_; }
  const std::string& path() const { return path_; }  ///< "-" is standard input
  /// Sets the kind of these columns before the first read. Skipped columns are 0 in `numbers`.
  void set_kind(const std::vector<Index>& columns, ColumnKind kind);
  void set_kind(ColumnKind kind) { kinds_.assign(kinds_.size(), kind); }  ///< the kind of all columns
  /// Sets the target column of a recipe, for remedies in errors about text.
  void set_target(Index column) { target_ = column; }
  /// Finds columns of text in the first rows, before the first read. Numeric formats have none.
  virtual void find_text_columns() {}
  /// Returns true if the rows that find_text_columns() read hold text in this column, and no number.
  bool is_text(Index column) const { return column < static_cast<Index>(text_.size()) && text_[std::size_t(column)]; }
  /// Returns true if the rows that find_text_columns() read hold text in this column.
  bool has_text(Index column) const {
    return column < static_cast<Index>(some_text_.size()) && some_text_[std::size_t(column)];
  }
  /// Returns true if cells are text, which may be dates; other formats hold only numbers.
  virtual bool holds_text() const { return false; }
  /// Returns true if numbers have a decimal comma, by data.decimal or the first rows.
  virtual bool has_decimal_comma() const { return false; }
  /// Returns sentences about what was not read as it stands in the file, for the user: lines left out, the encoding,
  /// names made up. Those about later rows follow as these are read.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Returns true if a second header, such as units below the names, was left out.
  virtual bool has_second_header() const { return false; }
  /// Returns the kind of a column.
  ColumnKind kind(Index column) const { return kinds_[static_cast<std::size_t>(column)]; }
  /// Fills `chunk` with at most `max_rows` (> 0) further rows, fewer if rows are very wide; false if none were left.
  virtual bool read(TableChunk& chunk, Index max_rows) = 0;
  /// Returns the share of the file read so far, 0 to 1, up to a buffer ahead of the rows; negative if unknown.
  virtual double share_read() const = 0;

 protected:
  std::string path_;                  ///< path of the file
  std::vector<std::string> columns_;  ///< names
  std::vector<ColumnKind> kinds_;     ///< (columns)
  std::vector<bool> text_;            ///< (columns) see is_text(); empty before find_text_columns()
  std::vector<bool> some_text_;       ///< (columns) see has_text(); empty before find_text_columns()
  bool has_names_ = false;            ///< see has_names()
  bool label_last_ = false;           ///< see label_last()
  std::string no_target_reason_;      ///< see no_target_reason()
  std::optional<Index> target_;       ///< target column of a recipe, if any
};

/// Opens a file by content and name: gzip, NPY and IDX (MNIST's format) by their magic, LIBSVM by the extension
/// .libsvm/.svm or a first line of `label index:value ...`, otherwise CSV. "-" is standard input. Throws IoError.
/// `columns`: LIBSVM only, the number of inputs of a model; 0 = the largest index in the file (scanned first). An IDX
/// array has a row for each entry of its first dimension and a column for each number in it; if its name says "images",
/// the file of the same name with "labels" (and idx1 for idx3; gzipped or not), if present, is the last column,
/// "label".
std::unique_ptr<TableReader> open_table(const std::string& path, const DataConfig& config, Index columns = 0);

/// Opens a table whose bytes are in memory; `name` replaces the path in messages. Throws like open_table().
std::unique_ptr<TableReader> open_table_from_memory(const std::string& name, std::string bytes,
                                                    const DataConfig& config, Index columns = 0);

/// Reads the whole table in one chunk. `watch`, if given, is called after each part with the rows so far.
TableChunk read_all(TableReader& reader, const std::function<void(Index rows)>& watch = {});

/// Counts the data rows of a file without parsing cells. Memory: one chunk.
Index count_rows(const std::string& path, const DataConfig& config);

/// Returns the position of a column given by name or by index ("3", "-1" from the end); names win. Throws
/// ConfigError(pointer) listing the columns and the nearest spelling.
Index find_column(const TableReader& reader, const std::string& name_or_index, const std::string& pointer);

}  // namespace alacarte
