#pragma once
// CSV, streamed. Private to the data room; open_table() makes it.
#include <memory>
#include <string>

#include "alacarte/data/table.hpp"
#include "data/chunk_builder.hpp"
#include "data/csv_record.hpp"
#include "data/record_buffer.hpp"

namespace alacarte::data_detail {

class CsvReader : public TableReader {
 public:
  /// Settles separator, header and column names from the first rows.
  CsvReader(const std::string& name, std::unique_ptr<ByteSource> source, const DataConfig& config);
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override { return buffer_.share_read(); }

 private:
  void skip_byte_order_mark();
  void choose_dialect(const DataConfig& config);
  std::vector<std::string_view> sample_records(const DataConfig& config);
  void name_columns(const std::vector<std::string>& cells);
  /// The next record that is not blank; false at the end. Blank lines are allowed only behind the last row.
  bool next_record(std::string_view& record, std::size_t& length, std::size_t& line_breaks);
  void parse_record(std::string_view record, TableChunk& chunk);
  void parse_cell(CellWalker& walker, std::size_t column, double& number, TableChunk& chunk);
  /// What a recipe can do about text in a column of numbers; "" where a model reads the table.
  std::string text_advice(std::size_t column) const;
  [[noreturn]] void refuse_ragged(std::string_view record) const;

  RecordBuffer buffer_;
  ChunkBuilder builder_;
  char separator_ = ',';
  std::int64_t line_ = 1;        // of the record at the front of the buffer
  std::int64_t blank_line_ = 0;  // first blank line seen, 0 = none
  Index rows_read_ = 0;
};

}  // namespace alacarte::data_detail
