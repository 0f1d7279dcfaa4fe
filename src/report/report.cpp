// Tables of a report; a table without rows is omitted.
#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace alacarte {
namespace report_detail {

std::string folds_note(Index folds, Index expected) {
  return folds < expected ? fmt::format(" ({}/{})", folds, expected) : std::string();
}

const char* short_name(Measure measure) { return measure == Measure::rmse ? "RMSE" : "NLPD"; }

}  // namespace report_detail

namespace {

using report_detail::folds_note;
using report_detail::kNoValue;
using report_detail::short_name;

const char* const kTested =
    "Mean ± standard deviation over folds. Bold: the least mean among the methods with the most folds, and every "
    "method that is not significantly worse than it (two-sided paired t test over the folds both have, level 0.05; "
    "folds share training rows, so the test is a guide). Where folds are missing, their number is shown.";
const char* const kPlain = "Mean ± standard deviation over folds. Where folds are missing, their number is shown.";

struct MeasureWords {
  const char *title, *caption;
  double scale = 1;
};
const std::map<Measure, MeasureWords> kWords = {
    {Measure::rmse, {"RMSE on test rows, in the unit of the target", kTested}},
    {Measure::nlpd, {"Negative log predictive density on test rows (NLPD, mean, less is better)", kTested}},
    {Measure::crps,
     {"Continuous ranked probability score on test rows (CRPS, in the unit of the target, less is better)", kPlain}},
    {Measure::coverage95, {"Test rows inside the central 95 % interval, in per cent (95 is right)", kPlain, 100}},
    {Measure::accuracy, {"Test rows of the right class, in per cent (accuracy)", kPlain, 100}},
    {Measure::log_loss, {"Mean of -log p(own class) on test rows (log loss in nats, less is better)", kTested}},
    {Measure::ece, {"Expected calibration error on test rows, 15 bins, in per cent (less is better)", kPlain, 100}},
    {Measure::train_seconds, {"Training time in seconds", kPlain}},
    {Measure::predict_seconds, {"Time of the predictions in seconds", kPlain}},
    {Measure::peak_mb, {"Peak memory in MB", kPlain}}};

/// Formats with two digits of the standard deviation: "0.274 ± 0.071"; without one, with four digits of the mean.
std::string with_sd(double mean, const std::optional<double>& sd) {
  if (!sd) return fmt::format("{:.4g}", mean);
  if (std::abs(mean) >= 1e7 || *sd >= 1e7) return fmt::format("{:.3g} ± {:.2g}", mean, *sd);
  // Rounding noise of equal numbers is not a deviation.
  if (*sd <= 1e-12 * std::abs(mean)) return fmt::format("{:.4g} ± 0", mean);
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(*sd))), 0, 9);
  return fmt::format("{:.{}f} ± {:.{}f}", mean, digits, *sd, digits);
}

ReportCell measure_cell(const DatasetSummary& row, const std::string& method, Measure measure, double scale) {
  const auto results = row.methods.find(method);
  if (results == row.methods.end()) return {kNoValue};
  const FoldSummary* cell = row.find(method, measure);
  if (cell == nullptr) return {results->second.failed > 0 ? "failed" : kNoValue};
  std::optional<double> sd = cell->sd;
  if (sd) *sd *= scale;
  return {with_sd(cell->mean * scale, sd) + folds_note(static_cast<Index>(cell->folds.size()), row.folds), cell->marked,
          cell->mean * scale};
}

bool any_value(const Summary& summary, Measure measure) {
  for (const DatasetSummary& row : summary.datasets)
    for (const std::string& method : summary.methods)
      if (row.find(method, measure) != nullptr) return true;
  return false;
}

ReportCell count_cell(Index count) {
  if (count == 0) return {kNoValue};
  return {std::to_string(count), false, static_cast<double>(count)};
}

std::string percent(double p) { return p < 0.0001 ? "< 0.0001" : fmt::format("= {:.4f}", p); }

ReportTable measure_table(const Summary& summary, Measure measure) {
  const MeasureWords& words = kWords.at(measure);
  ReportTable table{name_of(measure), words.title, words.caption, {"Data set", "n", "d"}, 1};
  const bool always = measure == Measure::rmse && !any_value(summary, Measure::accuracy);
  if (!always && !any_value(summary, measure)) return table;
  table.columns.insert(table.columns.end(), summary.methods.begin(), summary.methods.end());
  for (const DatasetSummary& row : summary.datasets) {
    table.rows.push_back({{row.title}, count_cell(row.rows), count_cell(row.inputs)});
    for (const std::string& method : summary.methods)
      table.rows.back().push_back(measure_cell(row, method, measure, words.scale));
  }
  return table;
}

ReportTable rank_table(const Summary& summary, const Ranking& ranking) {
  ReportTable table{
      fmt::format("rank_{}", name_of(ranking.measure)),
      fmt::format("Average ranks by {}", short_name(ranking.measure)),
      fmt::format(
          "1 is best; {} methods on {} of {} data sets, those where every method has at least one fold that all the "
          "others have, too (the means over such folds are ranked). Friedman's test that all methods are alike: "
          "chi-squared {:.2f}, p {}. Nemenyi's critical difference at the level 0.05: {:.2f}. Bold: less than that "
          "behind the best.",
          ranking.methods.size(), ranking.datasets.size(), summary.datasets.size(), ranking.friedman,
          percent(ranking.p_value), ranking.critical_difference),
      {"Method", "Average rank"}};
  for (std::size_t i = 0; i < ranking.methods.size(); ++i) {
    const bool near = ranking.ranks[i] - ranking.ranks.front() < ranking.critical_difference;
    table.rows.push_back(
        {{ranking.methods[i], near, {}}, {fmt::format("{:.2f}", ranking.ranks[i]), near, ranking.ranks[i]}});
  }
  table.notes = {fmt::format("Data sets: {}.", fmt::join(ranking.datasets, ", "))};
  return table;
}

/// Number of data sets on which one method is better than another, and not worse by more than a standard error.
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

/// Compares the row's method with the column's.
ReportTable head_to_head_table(const Summary& summary, Measure measure) {
  const char* const name = short_name(measure);
  ReportTable table{
      fmt::format("pairs_{}", name_of(measure)),
      fmt::format("Each method against each other by {}", name),
      fmt::format(
          "Row against column: on how many data sets the row's mean {} over the folds both have is less, and in "
          "brackets on how many it is not more by more than one standard error of the paired differences; of the data "
          "sets that both have.",
          name),
      {"Method"}};
  table.columns.insert(table.columns.end(), summary.methods.begin(), summary.methods.end());
  bool any = false;
  for (const std::string& one : summary.methods) {
    table.rows.push_back({{one}});
    for (const std::string& other : summary.methods) {
      const Tally counts = one == other ? Tally() : tally(summary, one, other, measure);
      any = any || counts.datasets > 0;
      table.rows.back().push_back({kNoValue});
      if (counts.datasets > 0)
        table.rows.back().back() = {fmt::format("{} ({}) of {}", counts.better, counts.not_worse, counts.datasets),
                                    false, static_cast<double>(counts.better)};
    }
  }
  if (!any) table.rows.clear();
  return table;
}

ReportTable failure_table(const Summary& summary) {
  ReportTable table{
      "failures", "Failures", "Units without a result, and why.", {"Data set", "Method", "Fold", "Seed", "Reason"}, 5};
  for (const RunResult& run : summary.failed)
    table.rows.push_back(
        {{run.dataset}, {run.label}, {std::to_string(run.fold)}, {std::to_string(run.seed)}, {run.reason}});
  return table;
}

ReportTable broken_table(const ResultSet& results) {
  ReportTable table{"broken", "Files that could not be read", "They count nowhere.", {"File", "Reason"}, 2};
  for (const BrokenFile& broken : results.broken) table.rows.push_back({{broken.file}, {broken.reason}});
  return table;
}

ReportTable provenance_table(const Summary& summary) {
  ReportTable table{"provenance",
                    "Where the numbers come from",
                    "Programs and machines that made the results.",
                    {"What", "Which"},
                    2};
  for (const std::string& program : summary.programs) table.rows.push_back({{"alacarte"}, {program}});
  for (const std::string& machine : summary.machines) table.rows.push_back({{"machine"}, {machine}});
  return table;
}

}  // namespace

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
