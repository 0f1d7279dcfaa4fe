#include "report/report_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace alacarte::report_detail {
namespace {

const char* const kMarks =
    "Mean ± standard deviation over folds. Bold: the least mean among the methods with the most folds, and every "
    "method that is not significantly worse than it (two-sided paired t test over the folds both have, level 0.05; "
    "folds share training rows, so the test is a guide). Where folds are missing, their number is shown.";

struct MeasureWords {
  const char *title, *caption;
  double scale;
};

MeasureWords words_of(Measure measure) {
  const char* const plain = "Mean ± standard deviation over folds. Where folds are missing, their number is shown.";
  switch (measure) {
    case Measure::rmse:
      return {"RMSE on test rows, in the unit of the target", kMarks, 1};
    case Measure::nlpd:
      return {"Negative log predictive density on test rows (NLPD, mean, less is better)", kMarks, 1};
    case Measure::coverage95:
      return {"Test rows inside the central 95 % interval, in per cent (95 is right)", plain, 100};
    case Measure::accuracy:
      return {"Test rows of the right class, in per cent (accuracy)", plain, 100};
    case Measure::log_loss:
      return {"Mean of -log p(own class) on test rows (log loss in nats, less is better)", kMarks, 1};
    case Measure::ece:
      return {"Expected calibration error on test rows, 15 bins, in per cent (less is better)", plain, 100};
    case Measure::train_seconds:
      return {"Training time in seconds", plain, 1};
    case Measure::predict_seconds:
      return {"Time of the predictions in seconds", plain, 1};
    case Measure::peak_mb:
      return {"Peak memory in MB", plain, 1};
  }
  return {};
}

/// Digits so that the standard deviation shows two: "0.274 ± 0.071"; without one, four digits of the mean.
std::string with_sd(double mean, const std::optional<double>& sd) {
  if (!sd) return fmt::format("{:.4g}", mean);
  if (std::abs(mean) >= 1e7 || *sd >= 1e7) return fmt::format("{:.3g} ± {:.2g}", mean, *sd);
  // Rounding noise of equal numbers is no deviation.
  if (*sd <= 1e-12 * std::abs(mean)) return fmt::format("{:.4g} ± 0", mean);
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(*sd))), 0, 9);
  return fmt::format("{:.{}f} ± {:.{}f}", mean, digits, *sd, digits);
}

std::string folds_note(Index folds, Index expected) {
  return folds < expected ? fmt::format(" ({}/{})", folds, expected) : std::string();
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

bool of_classes(const Summary& summary) {
  for (const DatasetSummary& row : summary.datasets)
    for (const std::string& method : summary.methods)
      if (row.find(method, Measure::accuracy) != nullptr) return true;
  return false;
}

ReportCell count_cell(Index count) {
  if (count == 0) return {kNoValue};
  return {std::to_string(count), false, static_cast<double>(count)};
}

std::string percent(double p) { return p < 0.0001 ? "< 0.0001" : fmt::format("= {:.4f}", p); }

}  // namespace

ReportTable measure_table(const Summary& summary, Measure measure) {
  const MeasureWords words = words_of(measure);
  ReportTable table{name_of(measure), words.title, words.caption, {"Data set", "n", "d"}, 1};
  bool any = false;
  table.columns.insert(table.columns.end(), summary.methods.begin(), summary.methods.end());
  for (const DatasetSummary& row : summary.datasets) {
    table.rows.push_back({{row.title}, count_cell(row.rows), count_cell(row.inputs)});
    for (const std::string& method : summary.methods) {
      table.rows.back().push_back(measure_cell(row, method, measure, words.scale));
      any = any || row.find(method, measure) != nullptr;
    }
  }
  if (!any && (measure != Measure::rmse || of_classes(summary))) table.rows.clear();
  return table;
}

ReportTable rank_table(const Summary& summary, const Ranking& ranking) {
  const std::string measure = ranking.measure == Measure::rmse ? "RMSE" : "NLPD";
  ReportTable table;
  table.id = fmt::format("rank_{}", name_of(ranking.measure));
  table.title = "Average ranks by " + measure;
  table.caption = fmt::format(
      "1 is best; {} methods on {} of {} data sets, those where every method has at least one fold that all the others "
      "have, too (the means over such folds are ranked). Friedman's test that all methods are alike: chi-squared "
      "{:.2f}, p {}. Nemenyi's critical difference at the level 0.05: {:.2f}. Bold: less than that behind the best.",
      ranking.methods.size(), ranking.datasets.size(), summary.datasets.size(), ranking.friedman,
      percent(ranking.p_value), ranking.critical_difference);
  table.columns = {"Method", "Average rank"};
  for (std::size_t i = 0; i < ranking.methods.size(); ++i) {
    const bool near = ranking.ranks[i] - ranking.ranks.front() < ranking.critical_difference;
    table.rows.push_back(
        {{ranking.methods[i], near, {}}, {fmt::format("{:.2f}", ranking.ranks[i]), near, ranking.ranks[i]}});
  }
  table.notes = {fmt::format("Data sets: {}.", fmt::join(ranking.datasets, ", "))};
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

}  // namespace alacarte::report_detail
