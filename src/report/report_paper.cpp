// Compares our results with the paper's.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>

#include "report/report.hpp"

namespace alacarte::report_detail {
namespace {

ReportCell printed_cell(const PaperNumber* number) {
  if (number == nullptr) return {kNoValue};
  return {number->mean_text + (number->sd_text.empty() ? "" : " ± " + number->sd_text), false, number->mean};
}

/// Sums over a column of ratios.
struct RatioColumn {
  int count = 0, good = 0, below = 0;
  double logarithms = 0;

  /// Returns the cell of a data set; bold unless ours exceeds the paper's by more than a standard error of our folds.
  /// Empty if the paper has no number, or 0 to the printed digits.
  ReportCell add(const DatasetSummary& row, const std::string& method, const PaperNumber* theirs) {
    const FoldSummary* const ours = row.find(method, Measure::rmse);
    if (ours == nullptr || theirs == nullptr || theirs->mean <= 0) return {kNoValue};
    const double ratio = ours->mean / theirs->mean;
    const bool bold = ours->mean <= theirs->mean + ours->standard_error();
    ++count;
    good += bold;
    below += ours->mean < theirs->mean;
    if (ratio > 0) logarithms += std::log(ratio);
    return {fmt::format("{:.2f}", ratio) + folds_note(static_cast<Index>(ours->folds.size()), row.folds), bold, ratio};
  }
};

/// Adds the last rows of a table. Empty cells: `lead` behind the label, and `gap` before each number.
void add_totals(const std::vector<RatioColumn>& ratios, std::size_t lead, std::size_t gap, ReportTable& table) {
  const auto add = [&](const char* label, const auto& total) {
    std::vector<ReportCell> row(1 + lead);
    row.front().text = label;
    for (const RatioColumn& column : ratios) {
      row.resize(row.size() + gap);
      row.push_back(column.count == 0 ? ReportCell{kNoValue} : total(column));
    }
    table.rows.push_back(std::move(row));
  };
  add("Geometric mean", [](const RatioColumn& column) -> ReportCell {
    const double mean = std::exp(column.logarithms / column.count);
    return {fmt::format("{:.2f}", mean), false, mean};
  });
  add("Bold", [](const auto& column) -> ReportCell { return {fmt::format("{}/{}", column.good, column.count)}; });
  add("Less than the paper's",
      [](const auto& column) -> ReportCell { return {fmt::format("{}/{}", column.below, column.count)}; });
}

const std::string kRatioCaption =
    "Ratio: our mean RMSE divided by the paper's; below 1 ours is better. Bold: not above the paper's by more than one "
    "standard error of our mean (sd / sqrt(folds)). Where we have not all folds, their number is shown. The last rows "
    "hold the geometric mean of the ratios, how many are bold and how many of our means are less than the paper's.";

/// Returns the method with the least mean, and its number; null if the data set is not in the paper.
std::pair<std::string, const PaperNumber*> best_of(const PaperNumbers& paper, const std::string& dataset) {
  std::pair<std::string, const PaperNumber*> best{"", nullptr};
  for (const std::string& method : paper.methods) {
    const PaperNumber* const number = paper.find(dataset, method);
    if (number != nullptr && (best.second == nullptr || number->mean < best.second->mean)) best = {method, number};
  }
  return best;
}

/// Adds a line per remark, with the methods it concerns.
void add_remarks(const DatasetSummary& row, const std::vector<std::string>& methods, const PaperNumbers& paper,
                 std::vector<std::string>& notes) {
  std::map<std::string, std::vector<std::string>> about;
  for (const std::string& method : methods)
    if (const PaperNumber* number = paper.find(row.name, method); number != nullptr && !number->remark.empty())
      about[number->remark].push_back(method);
  for (const auto& [remark, names] : about)
    notes.push_back(fmt::format("{}, {}: {}.", row.title, fmt::join(names, ", "), remark));
}

}  // namespace

ReportTable paper_table(const Summary& summary, const PaperNumbers& paper) {
  ReportTable table{"paper",
                    fmt::format("RMSE printed in the paper (Table {}), and ours divided by it", paper.table),
                    "The paper's mean ± standard deviation as printed. " + kRatioCaption,
                    {"Data set"},
                    1};
  std::vector<std::string> methods = paper.methods;
  std::erase_if(methods, [&](const std::string& method) {
    return std::none_of(summary.datasets.begin(), summary.datasets.end(),
                        [&](const auto& row) { return paper.find(row.name, method) != nullptr; });
  });
  for (const std::string& method : methods) {
    table.columns.push_back(method + ", paper");
    table.columns.push_back(method + ", ratio");
  }
  std::vector<RatioColumn> ratios(methods.size());
  for (const DatasetSummary& row : summary.datasets) {
    std::vector<ReportCell> cells = {{row.title}};
    bool any = false;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const PaperNumber* theirs = paper.find(row.name, methods[i]);
      any = any || theirs != nullptr;
      cells.push_back(printed_cell(theirs));
      cells.push_back(ratios[i].add(row, methods[i], theirs));
    }
    if (any) table.rows.push_back(std::move(cells));
    add_remarks(row, methods, paper, table.notes);
  }
  if (!table.rows.empty()) add_totals(ratios, 0, 1, table);
  return table;
}

ReportTable best_of_paper_table(const Summary& summary, const PaperNumbers& paper) {
  ReportTable table{"paper_best",
                    "Methods the paper does not have, divided by the best of its columns",
                    "The least mean RMSE that the paper prints for the data set. " + kRatioCaption,
                    {"Data set", "Best method", "Best of paper"},
                    2};
  std::vector<std::string> methods = summary.methods;
  std::erase_if(methods,
                [&](const auto& one) { return std::count(paper.methods.begin(), paper.methods.end(), one) > 0; });
  table.columns.insert(table.columns.end(), methods.begin(), methods.end());
  std::vector<RatioColumn> ratios(methods.size());
  for (const DatasetSummary& row : summary.datasets) {
    const auto [name, best] = best_of(paper, row.name);
    if (best == nullptr) continue;
    table.rows.push_back({{row.title}, {name}, printed_cell(best)});
    for (std::size_t i = 0; i < methods.size(); ++i) table.rows.back().push_back(ratios[i].add(row, methods[i], best));
  }
  if (std::all_of(ratios.begin(), ratios.end(), [](const RatioColumn& column) { return column.count == 0; }))
    table.rows.clear();
  else
    add_totals(ratios, 2, 0, table);
  return table;
}

}  // namespace alacarte::report_detail
