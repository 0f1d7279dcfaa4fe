#include "alacarte/report/report.hpp"

#include "report/report_tables.hpp"

namespace alacarte {

Report make_report(const ResultSet& results, const Summary& summary, const PaperNumbers* paper) {
  using namespace report_detail;
  Report report;
  report.title = results.name.empty() ? "Results" : results.name;
  report.description = results.description;
  const auto add = [&](ReportTable table) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  };
  add(measure_table(summary, Measure::rmse));
  if (paper != nullptr) {
    add(paper_table(summary, *paper));
    add(best_of_paper_table(summary, *paper));
  }
  for (const Measure measure : kMeasures)
    if (measure != Measure::rmse) add(measure_table(summary, measure));
  for (const Ranking& ranking : summary.rankings) add(rank_table(summary, ranking));
  for (const Measure measure : {Measure::rmse, Measure::nlpd}) add(head_to_head_table(summary, measure));
  add(failure_table(summary));
  add(broken_table(results));
  add(provenance_table(summary));
  return report;
}

}  // namespace alacarte
