#pragma once
// CSV, streamed. Private to the data room; made by open_table().
#include <memory>
#include <string>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"
#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/csv_record.hpp"

namespace alacarte::data_detail {

class CsvReader : public RowReader {
 public:
  /// Determines separator, header and column names from the first rows.
  CsvReader(const std::string& name, std::unique_ptr<ByteSource> source, const DataConfig& config);
  double share_read() const override { return buffer_.share_read(); }
  void find_text_columns() override;
  bool holds_text() const override { return true; }
  bool has_decimal_comma() const override { return format_.decimal_comma(); }

 private:
  void skip_byte_order_mark();
  std::vector<std::vector<std::string>> sample_records(const DataConfig& config);
  bool looks_like_header() const;
  void name_columns(HeaderLine header);
  /// Allows blank lines only after the last row.
  bool find_row() override;
  void parse_row(double* row, TableChunk& chunk) override;
  void parse_cell(CellWalker& walker, std::size_t column, double& number, TableChunk& chunk);
  [[noreturn]] void refuse_ragged(std::string_view record) const;

  RecordBuffer buffer_;
  char separator_ = ',';
  CellFormat format_;
  std::vector<std::vector<std::string>> sample_;  // cells of the first records, the header included
  RecordEnd record_;                              // at the front of the buffer, consumed by the next search
};

}  // namespace alacarte::data_detail
