// Every method against every other: on how many data sets it is better.
#include <fmt/format.h>

#include <cmath>

#include "report/report_tables.hpp"

namespace alacarte::report_detail {
namespace {

struct Tally {
  int better = 0, not_worse = 0, datasets = 0;
};

/// Mean and standard error of one minus other over the folds both have; no standard error for one fold.
struct Difference {
  double mean = 0, error = 0;
  int folds = 0;
};

Difference difference(const FoldSummary& one, const FoldSummary& other) {
  Difference result;
  double squares = 0;
  for (const auto& [fold, value] : one.folds) {
    const auto found = other.folds.find(fold);
    if (found == other.folds.end()) continue;
    const double d = value - found->second, before = result.mean;
    result.mean += (d - before) / ++result.folds;
    squares += (d - before) * (d - result.mean);
  }
  if (result.folds > 1) result.error = std::sqrt(squares / (result.folds - 1) / result.folds);
  return result;
}

Tally tally(const Summary& summary, const std::string& one, const std::string& other, Measure measure) {
  Tally result;
  for (const DatasetSummary& row : summary.datasets) {
    const FoldSummary *a = row.find(one, measure), *b = row.find(other, measure);
    if (a == nullptr || b == nullptr) continue;
    const Difference d = difference(*a, *b);
    if (d.folds == 0) continue;
    ++result.datasets;
    result.better += d.mean < 0;
    result.not_worse += d.mean <= d.error;
  }
  return result;
}

}  // namespace

ReportTable head_to_head_table(const Summary& summary, Measure measure) {
  const std::string name = measure == Measure::rmse ? "RMSE" : "NLPD";
  ReportTable table;
  table.id = fmt::format("pairs_{}", name_of(measure));
  table.title = "Each method against each other by " + name;
  table.caption = fmt::format(
      "Row against column: on how many data sets the row's mean {} over the folds both have is less, and in brackets "
      "on "
      "how many it is not more by more than one standard error of the paired differences; of the data sets that both "
      "have.",
      name);
  table.columns = {"Method"};
  table.columns.insert(table.columns.end(), summary.methods.begin(), summary.methods.end());
  bool any = false;
  for (const std::string& one : summary.methods) {
    table.rows.push_back({{one, false, {}}});
    for (const std::string& other : summary.methods) {
      const Tally counts = tally(summary, one, other, measure);
      const bool shown = one != other && counts.datasets > 0;
      any = any || shown;
      table.rows.back().push_back(
          shown ? ReportCell{fmt::format("{} ({}) of {}", counts.better, counts.not_worse, counts.datasets), false,
                             static_cast<double>(counts.better)}
                : ReportCell{"–", false, {}});
    }
  }
  if (!any) table.rows.clear();
  return table;
}

}  // namespace alacarte::report_detail
