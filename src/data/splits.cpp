#include "splits.hpp"

#include <cmath>
#include <map>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/data/rows_file.hpp"
#include "data/byte_source.hpp"
#include "data/cells.hpp"
#include "data/column_plan.hpp"
#include "data/libsvm_reader.hpp"
#include "data/row_parts.hpp"
#include "sparse_dataset.hpp"

namespace alacarte {

std::vector<bool> read_mask(const std::string& path, Index fold, Index rows) {
  const auto reader = open_table(path, DataConfig());
  return read_mask(*reader, fold, rows);
}

std::vector<bool> read_mask(TableReader& reader, Index fold, Index rows) {
  const auto folds = static_cast<Index>(reader.columns().size());
  if (fold < 0 || fold >= folds)
    throw ConfigError("fold", "there is no fold " + std::to_string(fold) + " in " + reader.path() + "; it has " +
                                  std::to_string(folds) + ", counted from 0");
  std::vector<bool> test;
  TableChunk chunk;
  while (reader.read(chunk, 8192)) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double value = chunk.numbers(i, fold);
      if (value != 0 && value != 1)
        throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(i)], fold + 1,
                        "a mask holds only 0 (train) and 1 (test)");
      test.push_back(value == 1);
    }
    if (static_cast<Index>(test.size()) > rows) break;  // an error anyway
  }
  const auto found = static_cast<Index>(test.size());
  if (found != rows)
    throw DataError(reader.path(),
                    found > rows
                        ? "the mask has more rows than the " + std::to_string(rows) + " of the data"
                        : "the mask has " + std::to_string(found) + " rows, the data have " + std::to_string(rows));
  const auto count = std::count(test.begin(), test.end(), true);
  if (count == 0 || count == rows)
    throw DataError(reader.path(), 0, fold + 1,
                    count == 0 ? "the fold has no test row" : "the fold has no training row");
  return test;
}

Index count_mask_folds(const std::string& path) {
  return static_cast<Index>(open_table(path, DataConfig())->columns().size());
}

namespace {

/// Returns the number of test rows, with at least one row on either side.
Index test_rows(Index rows, double share) {
  if (!(share > 0 && share < 1)) throw ConfigError("hold_out", "the test share must lie between 0 and 1");
  if (rows < 2) throw ConfigError("hold_out", "at least two rows are needed");
  return std::clamp<Index>(static_cast<Index>(std::llround(share * static_cast<double>(rows))), 1, rows - 1);
}

/// Returns all rows, class by class, each in an order drawn from the seed.
std::vector<std::size_t> by_class(const std::vector<Index>& classes, RandomStream stream) {
  const auto order = stream.permutation(static_cast<Index>(classes.size()));
  std::vector<std::size_t> rows(order.begin(), order.end());
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return classes[a] < classes[b]; });
  return rows;
}

/// Returns one row to the training rows of each class that has none; `rows` by class.
void keep_every_class(const std::vector<Index>& classes, const std::vector<std::size_t>& rows,
                      std::vector<bool>& test) {
  for (auto first = rows.begin(); first != rows.end();) {
    const Index label = classes[*first];
    const auto last = std::find_if(first, rows.end(), [&](std::size_t row) { return classes[row] != label; });
    if (label >= 0 && std::all_of(first, last, [&](std::size_t row) { return test[row]; })) test[*first] = false;
    first = last;
  }
}

/// Numbers the labels like a schema of all rows, so that a table and its rows file have equal splits.
class Numbering {
 public:
  template <class Label>
  void add(const Label& label, bool missing) {
    const auto next = static_cast<Index>(seen_.size());
    rows_.push_back(missing ? -1 : seen_.emplace(data_detail::label_of(label), next).first->second);
  }
  void add(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) add(cell, data_detail::is_missing_word(cell));
  }
  std::vector<Index> finish() {
    std::set<std::string> labels;
    for (const auto& [label, number] : seen_) labels.insert(label);
    std::vector<Index> places(seen_.size());
    Index place = 0;
    for (const std::string& label : data_detail::sorted_labels(labels))
      places[static_cast<std::size_t>(seen_.at(label))] = place++;
    for (Index& row : rows_) row = row < 0 ? row : places[static_cast<std::size_t>(row)];
    return std::move(rows_);
  }

 private:
  std::map<std::string, Index> seen_;  // in order of appearance
  std::vector<Index> rows_;
};

std::size_t target_column(const TableReader& reader, const DataConfig& config) {
  return static_cast<std::size_t>(data_detail::plan_columns(reader, config).target);
}

std::vector<Index> classes_of_rows(const std::string& path) {
  const RowsFile file(path);
  if (!file.schema().config().labels)
    throw DataError(path, "was made without labels; convert the table again with the recipe");
  std::vector<Index> classes(static_cast<std::size_t>(file.table_rows()), -1);
  Index first = 0;
  for_each_block(file, [&](const RowBlock& block) {
    const auto rows = file.source_rows(first, block.y.size());
    for (Index i = 0; i < block.y.size(); ++i)
      classes.at(static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])) = static_cast<Index>(block.y[i]);
    first += block.y.size();
  });
  return classes;
}

/// Calls visit(cells, reader) for the cells of the target, in parts, until it returns false.
template <class Visit>
void for_each_target(const std::string& path, const DataConfig& config, const Visit& visit) {
  const auto reader = open_table(path, config);
  const auto target = static_cast<Index>(target_column(*reader, config));
  reader->set_kind(ColumnKind::skipped);
  reader->set_kind({target}, ColumnKind::text);
  TableChunk chunk;
  while (reader->read(chunk, 8192) && visit(chunk.text[static_cast<std::size_t>(target)], *reader)) continue;
}

/// Reads only labels; wide rows are not densified.
std::vector<Index> classes_of_libsvm(const std::string& path) {
  const auto origin = data_detail::Origin::file(path);
  data_detail::LibsvmLines lines(origin, origin.open(), data_detail::kMaxLibsvmInputs);
  Numbering numbering;
  while (lines.find()) {
    const double label = lines.parse([](Index, double) {});
    numbering.add(label, std::isnan(label));
  }
  return numbering.finish();
}

}  // namespace

std::vector<bool> k_fold(Index rows, Index folds, Index fold, std::uint64_t seed) {
  return k_fold(std::vector<Index>(static_cast<std::size_t>(rows), 0), folds, fold, seed);
}

std::vector<bool> hold_out(Index rows, double share, std::uint64_t seed) {
  const Index count = test_rows(rows, share);
  RandomStream stream = RandomStreams(seed).stream("hold_out");
  const auto order = stream.permutation(rows);
  std::vector<bool> test(static_cast<std::size_t>(rows), false);
  for (Index i = 0; i < count; ++i) test[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  return test;
}

std::vector<Index> read_classes(const std::string& path, const DataConfig& config) {
  if (is_rows_file(path)) return classes_of_rows(path);
  if (config.target.empty() && is_libsvm_file(path)) return classes_of_libsvm(path);
  Numbering numbering;
  for_each_target(path, config, [&](const std::vector<std::string>& cells, const TableReader&) {
    numbering.add(cells);
    return true;
  });
  return numbering.finish();
}

TargetLook look_at_target(const std::string& path, const DataConfig& config) {
  constexpr std::size_t kMaxNumbers = 10, kRowsEach = 10;
  if (is_pattern(path) || is_rows_file(path)) return TargetLook::numbers;
  std::set<double> numbers;
  std::size_t rows = 0;
  bool text = false, fraction = false;
  for_each_target(path, config, [&](const std::vector<std::string>& cells, const TableReader& reader) {
    const auto parse = reader.has_decimal_comma() ? data_detail::parse_with_comma : data_detail::parse_number;
    for (const std::string& cell : cells) {
      if (data_detail::is_missing_word(cell)) continue;
      double value = 0;
      if (!parse(cell, value)) {
        text = true;
        continue;
      }
      fraction = fraction || value != std::floor(value);
      numbers.insert(value);
      ++rows;
    }
    return !text && !fraction && numbers.size() <= kMaxNumbers;
  });
  const bool few = numbers.size() > 1 && numbers.size() <= kMaxNumbers && rows >= kRowsEach * numbers.size();
  if (text) return numbers.empty() ? TargetLook::text : TargetLook::mixed;
  return !fraction && few ? TargetLook::few : TargetLook::numbers;
}

std::vector<Index> classes_of(const TableReader& reader, const TableChunk& table, const DataConfig& config) {
  Numbering numbering;
  numbering.add(table.text[target_column(reader, config)]);
  return numbering.finish();
}

// Assigns rows round-robin, class by class: every fold gets its share of each class.
std::vector<bool> k_fold(const std::vector<Index>& classes, Index folds, Index fold, std::uint64_t seed) {
  const auto rows = by_class(classes, RandomStreams(seed).stream("k_fold"));
  if (folds < 2 || folds > static_cast<Index>(rows.size()))
    throw ConfigError("folds", std::to_string(folds) + " folds of " + std::to_string(rows.size()) +
                                   " rows; there must be at least 2 and no more than rows");
  if (fold < 0 || fold >= folds)
    throw ConfigError("fold",
                      "there is no fold " + std::to_string(fold) + " of " + std::to_string(folds) + ", counted from 0");
  std::vector<bool> test(rows.size(), false);
  for (auto i = static_cast<std::size_t>(fold); i < rows.size(); i += static_cast<std::size_t>(folds))
    test[rows[i]] = true;
  keep_every_class(classes, rows, test);
  return test;
}

// Tests row i of the list if i count / n passes a whole number, as even as can be.
std::vector<bool> hold_out(const std::vector<Index>& classes, double share, std::uint64_t seed) {
  const auto rows = by_class(classes, RandomStreams(seed).stream("hold_out"));
  const auto n = static_cast<Index>(rows.size());
  const Index count = test_rows(n, share);
  std::vector<bool> test(rows.size(), false);
  for (Index i = 0; i < n; ++i)
    if ((i + 1) * count / n > i * count / n) test[rows[static_cast<std::size_t>(i)]] = true;
  keep_every_class(classes, rows, test);
  return test;
}

}  // namespace alacarte
