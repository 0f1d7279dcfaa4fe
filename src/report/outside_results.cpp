// External numbers as CSV: results of other programs, and published tables.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "core/spelling.hpp"
#include "report.hpp"

namespace alacarte {
namespace {

/// CSV with all cells kept as text.
class TextTable {
 public:
  TextTable(const std::string& path, const std::vector<std::string>& columns) : path_(path) {
    DataConfig config;
    config.header = HeaderLine::yes;
    config.separator = Separator::comma;
    const auto reader = open_table(path, config);
    if (reader->columns() != columns)
      throw DataError(path, fmt::format("must have the columns {}", fmt::join(columns, ", ")));
    std::vector<Index> all(columns.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
    reader->set_kind(all, ColumnKind::text);
    chunk_ = read_all(*reader);
  }

  Index rows() const { return chunk_.rows(); }
  const std::string& text(Index row, std::size_t column) const {
    return chunk_.text[column][static_cast<std::size_t>(row)];
  }
  const std::string& filled(Index row, std::size_t column) const {
    if (text(row, column).empty()) refuse(row, column, "must not be empty");
    return text(row, column);
  }
  double number(Index row, std::size_t column) const {
    const std::string& cell = filled(row, column);
    double value = 0;
    const auto end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(cell.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value))
      refuse(row, column, fmt::format("'{}' is not a finite number", cell));
    return value;
  }
  [[noreturn]] void refuse(Index row, std::size_t column, const std::string& what) const {
    throw DataError(path_, chunk_.line_numbers[static_cast<std::size_t>(row)], static_cast<Index>(column + 1), what);
  }

 private:
  std::string path_;
  TableChunk chunk_;
};

Measure measure_at(const TextTable& table, Index row, std::size_t column) {
  std::vector<std::string> names;
  const std::string& given = table.filled(row, column);
  for (const Measure measure : kMeasures) {
    if (given == name_of(measure)) return measure;
    names.emplace_back(name_of(measure));
  }
  table.refuse(row, column,
               fmt::format("'{}' is not one of {}{}", given, fmt::join(names, ", "), did_you_mean(given, names)));
}

}  // namespace

void add_outside_results(const std::string& path, ResultSet& results) {
  const TextTable table(path, {"dataset", "method", "fold", "metric", "value"});
  std::map<std::pair<std::pair<std::string, std::string>, Index>, RunResult> added;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string &dataset = table.filled(row, 0), &method = table.filled(row, 1);
    for (const RunResult& run : results.runs)
      if (run.label == method)
        throw ConfigError("method", fmt::format("'{}' of {} is also in {}", method, path, run.file));
    const double fold = table.number(row, 2);
    if (fold < 0 || fold > 1e6 || fold != std::floor(fold)) table.refuse(row, 2, "must be an integer from 0");
    RunResult& run = added[{{dataset, method}, static_cast<Index>(fold)}];
    run.file = path.substr(path.find_last_of('/') + 1);
    run.dataset = dataset;
    run.label = method;
    run.fold = static_cast<Index>(fold);
    run.done = true;
    if (!run.values.insert({measure_at(table, row, 3), table.number(row, 4)}).second)
      table.refuse(row, 3, "was given before for this data set, method and fold");
  }
  for (auto& [key, run] : added) results.runs.push_back(std::move(run));
}

const PaperNumber* PaperNumbers::find(const std::string& dataset, const std::string& method) const {
  const auto found = rmse.find({dataset, method});
  return found == rmse.end() ? nullptr : &found->second;
}

PaperNumbers read_paper(const std::string& path) {
  const TextTable table(path, {"dataset", "table", "method", "metric", "mean", "sd", "remark"});
  PaperNumbers paper;
  for (Index row = 0; row < table.rows(); ++row) {
    if (table.filled(row, 3) != "rmse") table.refuse(row, 3, "must be rmse");
    if (paper.table.empty()) paper.table = table.filled(row, 1);
    const std::string& method = table.filled(row, 2);
    if (!table.text(row, 5).empty()) table.number(row, 5);  // throws if it is not a number
    const PaperNumber number{table.filled(row, 4), table.text(row, 5), table.text(row, 6), table.number(row, 4)};
    if (!paper.rmse.insert({{table.filled(row, 0), method}, number}).second)
      table.refuse(row, 2, "was given before for this data set");
    if (std::find(paper.methods.begin(), paper.methods.end(), method) == paper.methods.end())
      paper.methods.push_back(method);
  }
  return paper;
}

}  // namespace alacarte
