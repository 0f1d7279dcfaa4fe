// Common parts of charts, and the charts of summaries.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "report/charts.hpp"
#include "report/report_tables.hpp"

namespace alacarte::report_detail {

Chart chart_by_method(const ChartView& view, Chart words) {
  words.choices = {"Data set"};
  words.series_title = view.series_title();
  words.series = view.summary.methods;
  return words;
}

std::vector<const RunResult*> results_of(const ChartView& view, const std::string& dataset, const std::string& method) {
  std::vector<const RunResult*> results;
  for (const RunResult& result : view.results.runs)
    if (result.done && result.dataset == dataset && result.label == method) results.push_back(&result);
  std::sort(results.begin(), results.end(), [](const auto* a, const auto* b) { return a->fold < b->fold; });
  return results;
}

const RunResult* first_with(const HasData& has_data, const ChartView& view, const std::string& dataset,
                            const std::string& method) {
  for (const RunResult* result : results_of(view, dataset, method))
    if (has_data(*result)) return result;
  return nullptr;
}

void add_point(double x, double y, double low, double high, Series& points, Series& bars) {
  points.x.push_back(x);
  points.y.push_back(y);
  bars.x.push_back(x);
  bars.low.push_back(low);
  bars.high.push_back(high);
}

std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  std::vector<std::size_t> indices;
  count = std::min(count, size);
  for (std::size_t i = 0; i < count; ++i) indices.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  return indices;
}

namespace {

/// Returns the means of two methods over their common folds; nullopt if there are none or a mean is not positive.
std::optional<std::pair<double, double>> means_on_common_folds(const FoldSummary* one, const FoldSummary* other) {
  if (one == nullptr || other == nullptr) return std::nullopt;
  std::pair<double, double> sums{0, 0};
  double folds = 0;
  for (const auto& [fold, value] : one->folds) {
    const auto found = other->folds.find(fold);
    if (found == other->folds.end()) continue;
    sums.first += value;
    sums.second += found->second;
    ++folds;
  }
  if (sums.first <= 0 || sums.second <= 0) return std::nullopt;
  return std::pair{sums.first / folds, sums.second / folds};
}

/// Returns accuracy and cost relative to the reference: geometric means over data sets with positive values; may be
/// empty.
Series relative_score(const Summary& summary, const std::string& method, const std::string& reference, Measure cost) {
  double accuracies = 0, costs = 0, datasets = 0;
  for (const DatasetSummary& row : summary.datasets) {
    const auto errors = means_on_common_folds(row.find(method, Measure::rmse), row.find(reference, Measure::rmse));
    const auto spent = means_on_common_folds(row.find(method, cost), row.find(reference, cost));
    if (!errors || !spent) continue;
    accuracies += std::log(errors->second / errors->first);
    costs += std::log(spent->first / spent->second);
    ++datasets;
  }
  if (datasets == 0) return {Mark::points};
  return {Mark::points, method,      {std::exp(costs / datasets)}, {std::exp(accuracies / datasets)}, {}, {},
          {method},     {{datasets}}};
}

/// Draws accuracy relative to a reference against relative cost.
Chart accuracy_chart(const ChartView& view, Measure cost) {
  const Names& methods = view.summary.methods;
  const auto known = std::find(methods.begin(), methods.end(), "RBF");
  const std::string reference = known == methods.end() ? methods.front() : *known;
  const bool time = cost == Measure::train_seconds;
  const std::string what = time ? "training time" : "peak memory";
  Chart chart = chart_by_method(
      view, {.name = time ? "accuracy-time" : "accuracy-memory",
             .title = "Accuracy against " + what,
             .description = fmt::format(
                 "Accuracy is the RMSE of {0} divided by that of the method (more is better), {1} is divided by that "
                 "of {0}; geometric means over the data sets that the method shares with {0}. Both axes are "
                 "logarithmic.",
                 reference, what),
             .x = {fmt::format("{} relative to {}", time ? "Training time" : "Peak memory", reference), 10},
             .y = {"Accuracy relative to " + reference, 10},
             .details = {"Data sets"}});
  chart.choices.clear();
  Panel panel;
  for (const std::string& method : methods)
    if (Series score = relative_score(view.summary, method, reference, cost); !score.x.empty())
      panel.series.push_back(std::move(score));
  if (panel.series.size() >= 2) chart.panels = {std::move(panel)};
  return chart;
}

Chart rank_chart(const Ranking& ranking) {
  const double best = ranking.ranks.front();
  Series points{Mark::points, "", ranking.ranks};
  for (const double rank : ranking.ranks) {
    points.y.push_back(static_cast<double>(points.y.size()));
    points.labels.push_back(fmt::format("{:.2f}", rank));
  }
  return {.name = fmt::format("ranks-{}", name_of(ranking.measure)),
          .title = fmt::format("Average ranks by {}", report_detail::short_name(ranking.measure)),
          .description = fmt::format(
              "1 is best. Methods inside the band are less than the critical difference ({:.2f}) behind the best: not "
              "significantly worse at the level 0.05.",
              ranking.critical_difference),
          .x = {"Average rank"},
          .y = {},
          .panels = {{.series = {{.mark = Mark::x_range, .low = {best}, .high = {best + ranking.critical_difference}},
                                 std::move(points)},
                      .y_categories = ranking.methods}}};
}

// Summaries by components and frequencies, for accuracy against both: Yang et al. 2015, figure 2.
using Lines = std::map<Index, std::map<Index, const FoldSummary*>>;  ///< keys: components, then frequencies

/// Recipes that differ only in Q and m, named after their model and numbered if two share it.
struct Family {
  std::string recipe, name;
  std::map<const DatasetSummary*, Lines> lines = {};
};

std::vector<Family> families(const ChartView& view) {
  const auto has_frequencies = [](const RunResult& result) { return result.frequencies > 0; };
  std::vector<Family> found;
  std::map<std::string, int> alike;
  for (const std::string& method : view.summary.methods)
    for (const DatasetSummary& row : view.summary.datasets) {
      const RunResult* const result = first_with(has_frequencies, view, row.name, method);
      if (result == nullptr) continue;
      auto family = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.recipe == result->family; });
      if (family == found.end()) {
        const int count = ++alike[result->model];
        found.push_back({result->family, count == 1 ? result->model : fmt::format("{} ({})", result->model, count)});
        family = found.end() - 1;
      }
      if (const FoldSummary* const error = row.find(method, Measure::rmse))
        family->lines[&row][result->components].emplace(result->frequencies, error);
    }
  return found;
}

std::string line_name(Index components) {
  return components == 0 ? std::string("one component") : fmt::format("Q = {}", components);
}

/// Draws a line with standard errors for each Q.
Panel count_panel(const std::string& dataset, const std::string& family, const Lines& lines) {
  Panel panel{{dataset, family}};
  for (const auto& [components, points] : lines) {
    Series line{Mark::line_and_points, line_name(components)}, bars{Mark::error_bars};
    line.details.resize(2);
    for (const auto& [frequencies, error] : points) {
      const double width = error->standard_error();
      add_point(static_cast<double>(frequencies), error->mean, error->mean - width, error->mean + width, line, bars);
      line.details[0].push_back(width);
      line.details[1].push_back(static_cast<double>(error->folds.size()));
    }
    panel.series.insert(panel.series.end(), {std::move(bars), std::move(line)});
  }
  return panel;
}

/// Draws RMSE against the number of frequencies m, a line per number of components Q.
Chart count_chart(const ChartView& view) {
  Chart chart{.name = "rmse-counts",
              .title = "RMSE against components Q and frequencies m",
              .description =
                  "Mean over folds and its standard error, of methods whose recipes differ in Q and m alone; m counts "
                  "the frequencies of each component.",
              .x = {"Frequencies m", 2},
              .y = {"RMSE"},
              .choices = {"Data set", "Model"},
              .series_title = "Components",
              .details = {"Standard error", "Folds"}};
  std::set<Index> components;
  for (Family& family : families(view))
    for (const DatasetSummary& row : view.summary.datasets) {
      const Lines& lines = family.lines[&row];
      if (lines.empty() || (lines.size() == 1 && lines.begin()->second.size() == 1)) continue;  // nothing to compare
      for (const auto& [count, points] : lines) components.insert(count);
      chart.panels.push_back(count_panel(row.title, family.name, lines));
    }
  for (const Index count : components) chart.series.push_back(line_name(count));
  return chart;
}

}  // namespace
}  // namespace alacarte::report_detail

namespace alacarte {

std::vector<Chart> make_charts(const ResultSet& results, const Summary& summary, bool of_model) {
  using namespace report_detail;
  const ChartView view{results, summary, of_model};
  if (summary.methods.empty()) return {};
  std::vector<Chart> charts = {accuracy_chart(view, Measure::train_seconds), accuracy_chart(view, Measure::peak_mb)};
  for (const Ranking& ranking : summary.rankings) charts.push_back(rank_chart(ranking));
  for (const auto& build : {count_chart, calibration_chart, prediction_chart, trace_chart, relevance_chart,
                            radial_chart, input_spectrum_chart, amplitude_chart})
    charts.push_back(build(view));
  std::erase_if(charts, [](const Chart& chart) { return chart.panels.empty(); });
  return charts;
}

}  // namespace alacarte
