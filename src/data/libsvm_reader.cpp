#include "data/libsvm_reader.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/formats.hpp"

namespace alacarte::data_detail {
namespace {

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

/// Splits "index:value"; the index is -1 if it is not a whole number.
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

/// Returns a line without its end ("\n" or "\r\n"), and its `length` with it; false at the end.
bool next_line(RecordBuffer& buffer, std::int64_t line_number, std::string_view& line, std::size_t& length) {
  std::size_t end = buffer.window().find('\n');
  for (; end == std::string_view::npos && !buffer.at_end(); end = buffer.window().find('\n')) buffer.grow(line_number);
  line = buffer.window().substr(0, end);
  if (buffer.window().empty()) return false;
  length = line.size() + (end == std::string_view::npos ? 0 : 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line_number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return true;
}

class LibsvmReader : public RowReader {
 public:
  /// Arguments and errors as for LibsvmLines::LibsvmLines().
  LibsvmReader(const Origin& origin, std::unique_ptr<ByteSource> source, Index inputs)
      : lines_(origin, std::move(source), inputs) {
    path_ = origin.name();
    for (Index j = 0; j < lines_.inputs(); ++j) columns_.push_back(std::string(1, 'x').append(std::to_string(j)));
    columns_.push_back("y");
    kinds_.assign(columns_.size(), ColumnKind::number);
    label_last_ = true;
  }

  double share_read() const override { return lines_.share_read(); }

 private:
  bool find_row() override {
    const bool found = lines_.find();
    line_ = lines_.line();
    return found;
  }

  void parse_row(double* row, TableChunk&) override {
    row[lines_.inputs()] = lines_.parse([&](Index place, double value) { row[place] = value; });
  }

  LibsvmLines lines_;
};

}  // namespace

std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t size = 0;
  while (size < rest.size() && !is_blank(rest[size])) ++size;
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

bool looks_like_libsvm(std::string_view line) {
  std::string_view rest = without_comment(line);
  double number = 0;
  const std::string_view label = next_word(rest);
  if (label.empty() || !parse_number(label, number)) return false;
  int pairs = 0;
  for (std::string_view token = next_word(rest); !token.empty(); token = next_word(rest), ++pairs) {
    Index index = 0;
    std::string_view value;
    if (!split_pair(token, index, value) || index < 0 || !parse_number(value, number)) return false;
  }
  return pairs > 0;
}

LibsvmLines::LibsvmLines(const Origin& origin, std::unique_ptr<ByteSource> source, Index inputs)
    : path_(origin.name()), buffer_(origin.name(), std::move(source)) {
  if (inputs == 0 && origin.is_stream())
    throw DataError(path_, "LIBSVM data of unknown width cannot come from a pipe; give a file");
  inputs_ = inputs > 0 ? inputs : largest_index(origin);
  if (inputs_ == 0) throw DataError(path_, "holds no index:value pair");
}

Index LibsvmLines::largest_index(const Origin& origin) const {
  RecordBuffer buffer(path_, origin.open());
  Index largest = 0, index = 0;
  std::string_view line, value;
  std::size_t length = 0;
  for (std::int64_t number = 1; next_line(buffer, number, line, length); ++number) {
    std::string_view rest = without_comment(line);
    for (std::string_view token = next_word(rest); !token.empty(); token = next_word(rest))
      if (split_pair(token, index, value)) largest = std::max(largest, index);
    if (largest > kMaxLibsvmInputs)
      throw DataError(path_, number, 0, "an index is beyond " + std::to_string(kMaxLibsvmInputs));
    buffer.consume(length);
  }
  return largest;
}

bool LibsvmLines::find() {
  do {
    buffer_.consume(length_);
    length_ = 0;
    ++line_;
    if (!next_line(buffer_, line_, text_, length_)) return false;
    text_ = without_comment(text_);
  } while (text_.empty());
  return true;
}

double LibsvmLines::take_label(std::string_view& rest, std::string_view& token) const {
  token = next_word(rest);
  double label = std::numeric_limits<double>::quiet_NaN();
  if (token.find(':') != std::string_view::npos) return label;  // rows to predict may have no label
  if (!parse_number(token, label))
    throw DataError(path_, line_, 0, "the label '" + printable(token) + "' is not a number");
  token = next_word(rest);
  return std::isfinite(label) ? label : std::numeric_limits<double>::quiet_NaN();
}

Index LibsvmLines::take_pair(std::string_view token, Index former, double& value) const {
  Index index = 0;
  std::string_view text;
  const auto refuse = [&](const std::string& what) { throw DataError(path_, line_, 0, in_quotes(token) + what); };
  if (!split_pair(token, index, text)) refuse(" is not index:value");
  if (index < 1) refuse(": the index is not a whole number from 1 up");
  if (index > inputs_) refuse(": the index is beyond the " + std::to_string(inputs_) + " inputs");
  if (index <= former) refuse(": indices must increase");
  if (!parse_number(text, value)) refuse(": the value is not a number");
  return index;
}

std::unique_ptr<TableReader> make_libsvm_reader(const Origin& origin, std::unique_ptr<ByteSource> source,
                                                Index inputs) {
  return std::make_unique<LibsvmReader>(origin, std::move(source), inputs);
}

}  // namespace alacarte::data_detail
