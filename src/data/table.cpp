#include "alacarte/data/table.hpp"

#include <charconv>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "data/byte_source.hpp"
#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/formats.hpp"
#include "data/libsvm_reader.hpp"
#include "sparse_dataset.hpp"

namespace alacarte {
namespace data_detail {
namespace {

/// Returns the first line with more than blanks and comments; only its whole words if its end is not in `start`.
std::string_view first_line(std::string_view start, bool whole_file) {
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
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

constexpr std::size_t kLookBytes = 1 << 12;

bool is_libsvm(const Origin& origin, const std::string& start) {
  const std::string name = without_gz(origin.name());
  return name.ends_with(".libsvm") || name.ends_with(".svm") ||
         looks_like_libsvm(first_line(start, start.size() < kLookBytes));
}

std::unique_ptr<TableReader> open(const Origin& origin, const DataConfig& config, Index columns) {
  require(columns >= 0, "open_table: negative number of columns");
  auto source = origin.open();
  const std::string start = source->peek(kLookBytes);
  if (looks_like_npy(start)) {
    if (origin.is_stream()) throw DataError(origin.name(), "an NPY array cannot come from a pipe; give a file");
    if (origin.open_raw()->peek(1) == "\x1f")
      throw DataError(origin.name(), "a gzipped NPY file is not read; unpack it first");
    return make_npy_reader(origin);
  }
  if (looks_like_idx(start)) return make_idx_reader(origin, std::move(source));
  if (is_libsvm(origin, start)) return make_libsvm_reader(origin, std::move(source), columns);
  return make_csv_reader(origin.name(), std::move(source), config);
}

}  // namespace

void apply_kinds(TableChunk& chunk, const std::vector<ColumnKind>& kinds) {
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (kinds[c] != ColumnKind::text && kinds[c] != ColumnKind::skipped) continue;
    auto column = chunk.numbers.col(static_cast<Index>(c));
    for (Index i = 0; kinds[c] == ColumnKind::text && i < column.size(); ++i)
      chunk.text[c].push_back(std::isnan(column[i]) ? std::string() : shortest(column[i]));
    column.setZero();
  }
}

bool RowReader::read(TableChunk& chunk, Index max_rows) {
  const auto columns = static_cast<Index>(columns_.size());
  const Index limit = row_limit(max_rows, columns);
  chunk.first_row = rows_read_;
  chunk.line_numbers.clear();
  chunk.text.resize(columns_.size());
  for (auto& column : chunk.text) column.clear();
  chunk.odd_cells.resize(columns_.size());
  for (auto& column : chunk.odd_cells) column.clear();
  cells_.clear();
  Index rows = 0;
  for (; rows < limit && find_row(); ++rows) {
    chunk.line_numbers.push_back(line_);
    cells_.resize(cells_.size() + columns_.size());
    parse_row(cells_.data() + rows * columns, chunk);
  }
  rows_read_ += rows;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  chunk.numbers = Eigen::Map<const RowMajor>(cells_.data(), rows, columns);
  if (!holds_text()) apply_kinds(chunk, kinds_);
  return rows > 0;
}

}  // namespace data_detail

static constexpr Index kRows = 8192;

const std::string* TableChunk::odd_cell(Index column, Index row) const {
  if (odd_cells.empty()) return nullptr;
  const auto& cells = odd_cells[static_cast<std::size_t>(column)];
  const auto found = std::lower_bound(cells.begin(), cells.end(), row,
                                      [](const auto& cell, Index wanted) { return cell.first < wanted; });
  return found != cells.end() && found->first == row ? &found->second : nullptr;
}

void TableReader::set_kind(const std::vector<Index>& columns, ColumnKind kind) {
  for (const Index column : columns) {
    require(column >= 0 && column < static_cast<Index>(kinds_.size()), "TableReader: no such column");
    kinds_[static_cast<std::size_t>(column)] = kind;
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
    const std::string start = origin.open()->peek(kLookBytes);
    return !looks_like_npy(start) && !looks_like_idx(start) && is_libsvm(origin, start);
  } catch (const Error&) {
    return false;
  }
}

Index count_rows(const std::string& path, const DataConfig& config) {
  if (is_libsvm_file(path)) {  // wide rows are better left sparse
    const auto origin = data_detail::Origin::file(path);
    data_detail::LibsvmLines lines(origin, origin.open(), 1);
    Index count = 0;
    while (lines.find()) ++count;
    return count;
  }
  const auto reader = open_table(path, config);
  reader->set_kind(ColumnKind::skipped);
  TableChunk chunk;
  Index rows = 0;
  while (reader->read(chunk, kRows)) rows += chunk.rows();
  return rows;
}

TableChunk read_all(TableReader& reader, const std::function<void(Index rows)>& watch) {
  std::vector<TableChunk> chunks(1);
  Index rows = 0;
  for (; reader.read(chunks.back(), kRows); chunks.emplace_back()) {
    rows += chunks.back().rows();
    if (watch) watch(rows);
  }
  TableChunk all = std::move(chunks.front());
  Index at = all.rows();
  all.numbers.conservativeResize(rows, Eigen::NoChange);
  // Growth would briefly double the memory.
  all.line_numbers.reserve(static_cast<std::size_t>(rows));
  for (auto& column : all.text)
    if (!column.empty()) column.reserve(static_cast<std::size_t>(rows));
  for (std::size_t k = 1; k < chunks.size(); ++k) {
    TableChunk chunk = std::move(chunks[k]);  // frees each chunk once copied
    if (chunk.rows() == 0) continue;
    all.numbers.middleRows(at, chunk.rows()) = chunk.numbers;
    for (std::size_t c = 0; c < chunk.odd_cells.size(); ++c)
      for (auto& [row, text] : chunk.odd_cells[c]) all.odd_cells[c].emplace_back(at + row, std::move(text));
    at += chunk.rows();
    all.line_numbers.insert(all.line_numbers.end(), chunk.line_numbers.begin(), chunk.line_numbers.end());
    for (std::size_t c = 0; c < all.text.size(); ++c)
      std::move(chunk.text[c].begin(), chunk.text[c].end(), std::back_inserter(all.text[c]));
  }
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
