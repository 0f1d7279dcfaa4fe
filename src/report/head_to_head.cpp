// Every method against every other: on how many data sets it is better.
#include <fmt/format.h>

#include <cmath>

#include "alacarte/report/statistics.hpp"
#include "report/report_tables.hpp"

namespace alacarte::report_detail {
namespace {

struct Tally {
  int better = 0, not_worse = 0, datasets = 0;
};

Tally tally(const Summary& summary, const std::string& one, const std::string& other, Measure measure) {
  Tally result;
  for (const DatasetSummary& row : summary.datasets) {
    const FoldSummary *a = row.find(one, measure), *b = row.find(other, measure);
    if (a == nullptr || b == nullptr) continue;
    const std::vector<double> differences = paired_differences(*a, *b);
    if (differences.empty()) continue;
    const Moments moments = moments_of(differences);
    ++result.datasets;
    result.better += moments.mean < 0;
    result.not_worse += moments.mean <= std::sqrt(moments.variance / static_cast<double>(differences.size()));
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
    table.rows.push_back({{one}});
    for (const std::string& other : summary.methods) {
      const Tally counts = tally(summary, one, other, measure);
      const bool shown = one != other && counts.datasets > 0;
      any = any || shown;
      table.rows.back().push_back(
          shown ? ReportCell{fmt::format("{} ({}) of {}", counts.better, counts.not_worse, counts.datasets), false,
                             static_cast<double>(counts.better)}
                : ReportCell{"–"});
    }
  }
  if (!any) table.rows.clear();
  return table;
}

}  // namespace alacarte::report_detail
