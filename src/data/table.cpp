#include "alacarte/data/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/core/pipes.hpp"
#include "alacarte/core/spelling.hpp"
#include "alacarte/data/sparse_dataset.hpp"
#include "data/byte_source.hpp"
#include "data/cells.hpp"
#include "data/csv_reader.hpp"
#include "data/idx_reader.hpp"
#include "data/libsvm_reader.hpp"
#include "data/npy_reader.hpp"

namespace alacarte {
namespace data_detail {
namespace {

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

bool has_libsvm_name(const std::string& name) {
  const auto packed = [&](const std::string& tail) { return ends_with(name, tail) || ends_with(name, tail + ".gz"); };
  return packed(".libsvm") || packed(".svm");
}

/// The first line that holds more than blanks and comments; its whole words so far if it does not end in sight.
std::string_view first_line(std::string_view start, bool whole_file) {
  while (!start.empty()) {
    const auto end = start.find('\n');
    std::string_view line = start.substr(0, end);
    if (end == std::string_view::npos && !whole_file) line = line.substr(0, line.find_last_of(" \t") + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!trimmed(line.substr(0, line.find('#'))).empty()) return line;
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
  }
  return {};
}

bool is_packed(const Origin& origin) {
  char magic = 0;
  if (origin.size() > 0) origin.read_at(0, &magic, 1);
  return magic == '\x1f';
}

/// Opens the labels beside a file of images, gzipped or not; nullptr if there are none.
std::unique_ptr<IdxStream> open_labels(const Origin& images) {
  if (!images.is_file()) return nullptr;
  const std::string name = idx_labels_path(images.name());
  if (name.empty()) return nullptr;
  const std::string bare = ends_with(name, ".gz") ? name.substr(0, name.size() - 3) : name;
  for (const std::string& path : {name, bare, bare + ".gz"}) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    return std::make_unique<IdxStream>(path, Origin::file(path).open());
  }
  return nullptr;
}

constexpr std::size_t kLookBytes = 1 << 12;

std::string start_of(ByteSource& source) {
  std::string start(kLookBytes, '\0');
  start.resize(read_fully(source, start.data(), start.size()));
  return start;
}

bool is_libsvm(const Origin& origin, const std::string& start) {
  return has_libsvm_name(origin.name()) || looks_like_libsvm(first_line(start, start.size() < kLookBytes));
}

std::unique_ptr<TableReader> open(const Origin& origin, const DataConfig& config, Index columns) {
  require(columns >= 0, "open_table: negative number of columns");
  auto source = origin.open();
  std::string start = start_of(*source);
  if (looks_like_npy(start)) {
    if (origin.is_stream()) throw DataError(origin.name(), "an NPY array cannot come from a pipe; give a file");
    if (is_packed(origin)) throw DataError(origin.name(), "a gzipped NPY file is not read; unpack it first");
    return std::make_unique<NpyReader>(origin);
  }
  if (looks_like_idx(start))
    return std::make_unique<IdxReader>(
        std::make_unique<IdxStream>(origin.name(), with_prefix(std::move(start), std::move(source))),
        open_labels(origin));
  const bool libsvm = is_libsvm(origin, start);
  source = with_prefix(std::move(start), std::move(source));
  if (libsvm) return std::make_unique<LibsvmReader>(origin, std::move(source), columns);
  return std::make_unique<CsvReader>(origin.name(), std::move(source), config);
}

}  // namespace

void fill_text_from_numbers(TableChunk& chunk, const std::vector<ColumnKind>& kinds) {
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (kinds[c] != ColumnKind::text) continue;
    auto column = chunk.numbers.col(static_cast<Index>(c));
    for (Index i = 0; i < column.size(); ++i) {
      char digits[32];
      const auto end = std::to_chars(digits, digits + sizeof digits, column[i]).ptr;
      chunk.text[c].emplace_back(digits, std::isnan(column[i]) ? digits : end);
    }
    column.setZero();
  }
}

}  // namespace data_detail

namespace {

constexpr Index kRows = 8192;

}  // namespace

void TableReader::set_text_columns(const std::vector<Index>& columns) {
  for (const Index column : columns) {
    require(column >= 0 && column < static_cast<Index>(kinds_.size()), "set_text_columns: no such column");
    kinds_[static_cast<std::size_t>(column)] = ColumnKind::text;
  }
}

void TableReader::set_skipped_columns(const std::vector<Index>& columns) {
  for (const Index column : columns) {
    require(column >= 0 && column < static_cast<Index>(kinds_.size()), "set_skipped_columns: no such column");
    kinds_[static_cast<std::size_t>(column)] = ColumnKind::skipped;
  }
}

std::unique_ptr<TableReader> open_table(const std::string& path, const DataConfig& config, Index columns) {
  return data_detail::open(data_detail::Origin::file(path), config, columns);
}

std::unique_ptr<TableReader> open_table_from_memory(const std::string& name, std::string bytes,
                                                    const DataConfig& config, Index columns) {
  return data_detail::open(data_detail::Origin::memory(name, std::move(bytes)), config, columns);
}

bool is_libsvm_file(const std::string& path) {
  using namespace data_detail;
  if (is_stream(path)) return false;
  try {
    const Origin origin = Origin::file(path);
    const std::string start = start_of(*origin.open());
    return !looks_like_npy(start) && !looks_like_idx(start) && is_libsvm(origin, start);
  } catch (const Error&) {
    return false;
  }
}

Index count_rows(const std::string& path, const DataConfig& config) {
  if (is_libsvm_file(path)) {  // whose rows, if wide, are better not laid out
    const auto origin = data_detail::Origin::file(path);
    data_detail::LibsvmLines lines(origin, origin.open(), 1);
    Index count = 0;
    while (lines.find()) ++count;
    return count;
  }
  const auto reader = open_table(path, config);
  std::vector<Index> all(reader->columns().size());
  std::iota(all.begin(), all.end(), Index{0});
  reader->set_skipped_columns(all);
  TableChunk chunk;
  Index rows = 0;
  while (reader->read(chunk, kRows)) rows += chunk.rows();
  return rows;
}

TableChunk read_all(TableReader& reader, const std::function<void(Index rows)>& watch) {
  std::vector<TableChunk> chunks(1);
  for (Index read = 0; reader.read(chunks.back(), kRows); chunks.emplace_back()) {
    read += chunks.back().rows();
    if (watch) watch(read);
  }
  TableChunk all = std::move(chunks.front());
  if (chunks.size() <= 2) return all;
  Index rows = all.rows();
  for (const TableChunk& chunk : chunks) rows += chunk.rows();
  Matrix numbers(rows, all.numbers.cols());
  numbers.topRows(all.rows()) = all.numbers;
  Index at = all.rows();
  all.numbers.resize(0, 0);
  for (std::size_t k = 1; k < chunks.size(); ++k) {
    TableChunk chunk = std::move(chunks[k]);  // each chunk is let go as soon as it is copied
    if (chunk.rows() == 0) continue;
    numbers.middleRows(at, chunk.rows()) = chunk.numbers;
    at += chunk.rows();
    all.line_numbers.insert(all.line_numbers.end(), chunk.line_numbers.begin(), chunk.line_numbers.end());
    for (std::size_t c = 0; c < all.text.size(); ++c)
      std::move(chunk.text[c].begin(), chunk.text[c].end(), std::back_inserter(all.text[c]));
  }
  all.numbers = std::move(numbers);
  return all;
}

Index find_column(const TableReader& reader, const std::string& name_or_index, const std::string& pointer) {
  const auto& names = reader.columns();
  const auto found = std::find(names.begin(), names.end(), name_or_index);
  if (found != names.end()) return found - names.begin();
  const auto count = static_cast<Index>(names.size());
  Index index = 0;
  const char* const end = name_or_index.data() + name_or_index.size();
  const auto status = std::from_chars(name_or_index.data(), end, index);
  const bool whole = !name_or_index.empty() && status.ptr == end && status.ec == std::errc();
  if (whole && index >= -count && index < count) return index < 0 ? index + count : index;
  constexpr std::size_t kMaxNames = 20;
  std::string list;
  for (std::size_t c = 0; c < names.size() && c < kMaxNames; ++c)
    list += (c > 0 ? ", " : "") + data_detail::printable(names[c]);
  if (names.size() > kMaxNames) list += ", ... (" + std::to_string(names.size()) + " in all)";
  throw ConfigError(pointer, "there is no column '" + data_detail::printable(name_or_index) + "' in " + reader.path() +
                                 did_you_mean(name_or_index, names) + "; its columns are " + list);
}

}  // namespace alacarte
