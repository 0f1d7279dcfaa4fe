#include "data/libsvm_reader.hpp"

#include <charconv>
#include <limits>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

/// Rows are stored densely: one mistyped index must not ask for terabytes.
constexpr Index kLargestIndex = 1000000;

std::string_view next_token(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t size = 0;
  while (size < rest.size() && !is_blank(rest[size])) ++size;
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

/// "index:value"; the index is -1 if it is no whole number.
bool split_pair(std::string_view token, Index& index, std::string_view& value) {
  const auto colon = token.find(':');
  if (colon == std::string_view::npos) return false;
  value = token.substr(colon + 1);
  const char* const end = token.data() + colon;
  const auto status = std::from_chars(token.data(), end, index);
  if (status.ec == std::errc::result_out_of_range) index = std::numeric_limits<Index>::max();
  if (status.ec == std::errc::invalid_argument || status.ptr != end) index = -1;
  return true;
}

}  // namespace

bool looks_like_libsvm(std::string_view line) {
  std::string_view rest = without_comment(line);
  double number = 0;
  const std::string_view label = next_token(rest);
  if (label.empty() || !parse_number(label, number)) return false;
  int pairs = 0;
  for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest), ++pairs) {
    Index index = 0;
    std::string_view value;
    if (!split_pair(token, index, value) || index < 0 || !parse_number(value, number)) return false;
  }
  return pairs > 0;
}

LibsvmReader::LibsvmReader(const Origin& origin, std::unique_ptr<ByteSource> source, Index inputs)
    : buffer_(origin.name(), std::move(source)) {
  path_ = origin.name();
  if (inputs == 0 && origin.is_stream())
    throw DataError(path_, "LIBSVM data of unknown width cannot come from a pipe; give a file");
  inputs_ = inputs > 0 ? inputs : largest_index(origin);
  if (inputs_ == 0) throw DataError(path_, "holds no index:value pair");
  for (Index j = 0; j < inputs_; ++j) columns_.push_back(std::string(1, 'x').append(std::to_string(j)));
  columns_.push_back("y");
  kinds_.assign(columns_.size(), ColumnKind::number);
  label_last_ = true;
}

Index LibsvmReader::largest_index(const Origin& origin) const {
  RecordBuffer buffer(path_, origin.open());
  Index largest = 0, index = 0;
  std::string_view line, value;
  std::size_t length = 0;
  for (std::int64_t number = 1; next_line(buffer, number, line, length); ++number) {
    std::string_view rest = without_comment(line);
    for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest))
      if (split_pair(token, index, value)) largest = std::max(largest, index);
    if (largest > kLargestIndex)
      throw DataError(path_, number, 0, "an index is beyond " + std::to_string(kLargestIndex));
    buffer.consume(length);
  }
  return largest;
}

bool LibsvmReader::read(TableChunk& chunk, Index max_rows) {
  require(max_rows > 0, "TableReader::read: max_rows must be positive");
  builder_.start(chunk, rows_read_, columns_.size());
  const Index limit = ChunkBuilder::row_limit(max_rows, static_cast<Index>(columns_.size()));
  std::string_view line;
  std::size_t length = 0;
  Index rows = 0;
  while (rows < limit && next_line(buffer_, line_, line, length)) {
    line = without_comment(line);
    if (!line.empty()) {
      parse_line(line, builder_.add_row(chunk, line_));
      ++rows;
    }
    buffer_.consume(length);
    ++line_;
  }
  rows_read_ += rows;
  builder_.finish(chunk);
  fill_text_from_numbers(chunk, kinds_);
  return rows > 0;
}

void LibsvmReader::parse_line(std::string_view line, double* row) const {
  std::string_view rest = line;
  std::string_view token = next_token(rest);
  double& label = row[inputs_];
  if (token.find(':') != std::string_view::npos) {
    label = std::numeric_limits<double>::quiet_NaN();  // rows to predict may come without a label
  } else {
    if (!parse_number(token, label))
      throw DataError(path_, line_, 0, "the label '" + printable(token) + "' is not a number");
    token = next_token(rest);
  }
  Index former = 0;
  for (; !token.empty(); token = next_token(rest)) {
    Index index = 0;
    std::string_view value;
    const auto shown = [&] { return std::string(1, '\'').append(printable(token)).append(1, '\''); };
    if (!split_pair(token, index, value)) throw DataError(path_, line_, 0, shown() + " is not index:value");
    if (index < 1) throw DataError(path_, line_, 0, shown() + ": the index is not a whole number from 1 up");
    if (index > inputs_)
      throw DataError(path_, line_, 0, shown() + ": the index is beyond the " + std::to_string(inputs_) + " inputs");
    if (index <= former) throw DataError(path_, line_, 0, shown() + ": indices must increase");
    if (!parse_number(value, row[index - 1])) throw DataError(path_, line_, 0, shown() + ": the value is not a number");
    former = index;
  }
}

}  // namespace alacarte::data_detail
