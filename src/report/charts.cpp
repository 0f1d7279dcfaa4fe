#include "alacarte/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_builders.hpp"

namespace alacarte::report_detail {

Chart chart_by_method(const ChartView& view, const char* name, const char* title) {
  Chart chart;
  chart.name = name;
  chart.title = title;
  chart.choices = {"Data set"};
  chart.series_title = view.series_title();
  chart.series = view.summary.methods;
  return chart;
}

std::vector<const RunResult*> results_of(const ChartView& view, const std::string& dataset, const std::string& method) {
  std::vector<const RunResult*> results;
  for (const RunResult& result : view.results.runs)
    if (result.done && result.dataset == dataset && result.label == method) results.push_back(&result);
  std::sort(results.begin(), results.end(), [](const auto* a, const auto* b) { return a->fold < b->fold; });
  return results;
}

const RunResult* first_with(HasData has_data, const ChartView& view, const std::string& dataset,
                            const std::string& method) {
  for (const RunResult* result : results_of(view, dataset, method))
    if (has_data(*result)) return result;
  return nullptr;
}

std::vector<Panel> panels_by_dataset(const ChartView& view, HasData has_data,
                                     const std::function<void(const std::string&, const RunResult&, Panel&)>& add) {
  std::vector<Panel> panels;
  for (const DatasetSummary& row : view.summary.datasets) {
    Panel panel{{row.title}};
    for (const std::string& method : view.summary.methods)
      if (const RunResult* const result = first_with(has_data, view, row.name, method)) add(method, *result, panel);
    if (!panel.series.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  std::vector<std::size_t> indices;
  count = std::min(count, size);
  for (std::size_t i = 0; i < count; ++i) indices.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  return indices;
}

std::string input_name(const RunResult& result, std::size_t input) {
  return input < result.input_names.size() ? result.input_names[input] : std::to_string(input + 1);
}

namespace {

struct RelativeScore {
  double accuracy = 0, cost = 0;
  double datasets = 0;
};

/// Geometric means over the data sets where method and reference both have positive numbers.
RelativeScore compare(const Summary& summary, const std::string& method, const std::string& reference,
                      Measure measure) {
  RelativeScore score;
  for (const DatasetSummary& row : summary.datasets) {
    const FoldSummary *error = row.find(method, Measure::rmse), *base = row.find(reference, Measure::rmse);
    const FoldSummary *cost = row.find(method, measure), *base_cost = row.find(reference, measure);
    if (error == nullptr || base == nullptr || cost == nullptr || base_cost == nullptr) continue;
    if (error->mean <= 0 || base->mean <= 0 || cost->mean <= 0 || base_cost->mean <= 0) continue;
    score.accuracy += std::log(base->mean / error->mean);
    score.cost += std::log(cost->mean / base_cost->mean);
    ++score.datasets;
  }
  if (score.datasets == 0) return score;
  score.accuracy = std::exp(score.accuracy / score.datasets);
  score.cost = std::exp(score.cost / score.datasets);
  return score;
}

}  // namespace

Chart accuracy_chart(const ChartView& view, Measure cost) {
  const Names& methods = view.summary.methods;
  const auto known = std::find(methods.begin(), methods.end(), "RBF");
  const std::string reference = known == methods.end() ? methods.front() : *known;
  const bool time = cost == Measure::train_seconds;
  const std::string what = time ? "training time" : "peak memory", title = "Accuracy against " + what;
  Chart chart = chart_by_method(view, time ? "accuracy-time" : "accuracy-memory", title.c_str());
  chart.choices.clear();
  chart.description = fmt::format(
      "Accuracy is the RMSE of {0} divided by that of the method (more is better), {1} is divided by that of {0}; "
      "geometric means over the data sets that the method shares with {0}. Both axes are logarithmic.",
      reference, what);
  chart.x = {fmt::format("{} relative to {}", time ? "Training time" : "Peak memory", reference), 10};
  chart.y = {"Accuracy relative to " + reference, 10};
  chart.details = {"Data sets"};
  Panel panel;
  for (const std::string& method : methods)
    if (const RelativeScore score = compare(view.summary, method, reference, cost); score.datasets > 0)
      panel.series.push_back(
          {Mark::points, method, {score.cost}, {score.accuracy}, {}, {}, {method}, {{score.datasets}}});
  if (panel.series.size() >= 2) chart.panels = {std::move(panel)};
  return chart;
}

Chart rank_chart(const Ranking& ranking) {
  Chart chart;
  chart.name = fmt::format("ranks-{}", name_of(ranking.measure));
  chart.title = fmt::format("Average ranks by {}", ranking.measure == Measure::rmse ? "RMSE" : "NLPD");
  chart.description = fmt::format(
      "1 is best. Methods inside the band are less than the critical difference ({:.2f}) behind the best: not "
      "significantly worse at the level 0.05.",
      ranking.critical_difference);
  chart.x.title = "Average rank";
  Series points{Mark::points, "", ranking.ranks}, band{Mark::x_range};
  for (const double rank : ranking.ranks) {
    points.y.push_back(static_cast<double>(points.y.size()));
    points.labels.push_back(fmt::format("{:.2f}", rank));
  }
  band.low = {ranking.ranks.front()};
  band.high = {ranking.ranks.front() + ranking.critical_difference};
  Panel panel;
  panel.y_categories = ranking.methods;
  panel.series = {std::move(band), std::move(points)};
  chart.panels = {std::move(panel)};
  return chart;
}

}  // namespace alacarte::report_detail

namespace alacarte {
namespace {

std::vector<Chart> charts_of(const report_detail::ChartView& view) {
  using namespace report_detail;
  if (view.summary.methods.empty()) return {};
  std::vector<Chart> charts = {accuracy_chart(view, Measure::train_seconds), accuracy_chart(view, Measure::peak_mb)};
  for (const Ranking& ranking : view.summary.rankings) charts.push_back(rank_chart(ranking));
  for (const auto& build : {count_chart, calibration_chart, prediction_chart, trace_chart, relevance_chart,
                            radial_chart, input_spectrum_chart, amplitude_chart})
    charts.push_back(build(view));
  charts.erase(std::remove_if(charts.begin(), charts.end(), [](const Chart& chart) { return chart.panels.empty(); }),
               charts.end());
  return charts;
}

}  // namespace

std::vector<Chart> make_charts(const ResultSet& results, const Summary& summary) {
  return charts_of({results, summary, false});
}

std::vector<Chart> make_model_charts(const ResultSet& fits, const Summary& summary) {
  return charts_of({fits, summary, true});
}

}  // namespace alacarte
