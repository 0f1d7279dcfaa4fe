// Charts of test rows: calibration of intervals and of class probabilities, predictions.
#include <fmt/format.h>
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <map>

#include "report/charts.hpp"

namespace alacarte::report_detail {
namespace {

constexpr std::size_t kMaxPredictions = 100;  // maximum per data set and method, to keep pages small

/// Returns the central 95 % interval of the share of hits among `rows` rows with hit probability `share`.
std::pair<double, double> binomial_band(double share, double rows) {
  const boost::math::binomial_distribution<double> law(rows, share);
  return {boost::math::quantile(law, 0.025) / rows, boost::math::quantile(law, 0.975) / rows};
}

/// Draws the widest band of the methods, the diagonal of calibration, and a line per method. `only`: data set; null:
/// all.
Panel calibration_panel(const ChartView& view, const DatasetSummary* only) {
  const std::map<int, double> places = {{50, 0}, {90, 1}, {95, 2}};
  Panel panel{{only == nullptr ? "All data sets" : only->title},
              {{Mark::band}, {Mark::reference, "", {0, 2}, {0, 0}}},
              {"50", "90", "95"}};
  std::map<double, std::pair<double, double>> widest;
  for (const std::string& method : view.summary.methods) {
    std::map<int, std::pair<double, double>> pooled;  // number of rows, and of rows inside, by level
    for (const DatasetSummary& row : view.summary.datasets)
      if (only == nullptr || only == &row)
        for (const RunResult* result : results_of(view, row.name, method))
          for (const auto& [level, share] : result->coverage) {
            pooled[level].first += static_cast<double>(result->test_rows);
            pooled[level].second += share * static_cast<double>(result->test_rows);
          }
    Series line{Mark::line_and_points, method};
    line.details.resize(1);
    for (const auto& [level, counts] : pooled) {
      const auto& [rows, inside] = counts;
      if (rows == 0) continue;
      const auto [low, high] = binomial_band(level / 100.0, rows);
      line.x.push_back(places.at(level));
      line.y.push_back(100 * inside / rows - level);
      line.details.front().push_back(rows);
      auto& band = widest[line.x.back()];
      band = {std::min(band.first, 100 * low - level), std::max(band.second, 100 * high - level)};
    }
    if (!line.x.empty()) panel.series.push_back(std::move(line));
  }
  for (const auto& [x, ends] : widest) {
    panel.series.front().x.push_back(x);
    panel.series.front().low.push_back(ends.first);
    panel.series.front().high.push_back(ends.second);
  }
  return panel;
}

/// Draws at most kMaxPredictions rows, over the folds, with their intervals and the diagonal of perfect predictions.
Panel prediction_panel(const std::string& dataset, const std::string& method,
                       const std::vector<const RunResult*>& results) {
  Panel panel{{dataset, method}};
  std::vector<std::pair<const RunResult*, std::size_t>> rows;
  for (const RunResult* result : results)
    for (std::size_t i = 0; i < result->sd.size(); ++i) rows.emplace_back(result, i);
  if (rows.empty()) return panel;
  Series bars{Mark::error_bars}, points{Mark::points};
  for (const std::size_t k : spread(rows.size(), kMaxPredictions)) {
    const auto& [result, i] = rows[k];
    const double mean = result->mean[i], reach = 1.96 * result->sd[i];
    add_point(result->target[i], mean, mean - reach, mean + reach, points, bars);
  }
  const auto [low, high] = std::minmax_element(points.x.begin(), points.x.end());
  panel.series = {bars, {Mark::reference, "", {*low, *high}, {*low, *high}}, points};
  return panel;
}

}  // namespace

Chart calibration_chart(const ChartView& view) {
  Chart chart = chart_by_method(
      view, {.name = "calibration",
             .title = "Calibration",
             .description =
                 "Share of test rows inside the central 50, 90 and 95 % intervals, minus that share, in points; 0 is "
                 "right, below it the intervals are too narrow. Inside the band a right model would be in 95 of 100 "
                 "cases, were all rows independent (binomial; the widest band of the methods).",
             .x = {"Nominal coverage (%)"},
             .y = {"Observed minus nominal (points)"},
             .details = {"Test rows"}});
  std::vector<const DatasetSummary*> places = {nullptr};
  if (view.summary.datasets.size() > 1)
    for (const DatasetSummary& row : view.summary.datasets) places.push_back(&row);
  for (const DatasetSummary* place : places) {
    Panel panel = calibration_panel(view, place);
    panel.in_static_svg = place == nullptr;
    if (!panel.series.front().x.empty()) chart.panels.push_back(std::move(panel));
  }
  return chart;
}

Chart prediction_chart(const ChartView& view) {
  Chart chart{
      .name = "predictions",
      .title = "Predicted against true",
      .description = fmt::format(
          "At most {} rows{}; bars reach 1.96 standard deviations to both sides. On the dashed line a prediction "
          "is right.",
          kMaxPredictions, view.model ? "" : " of each data set and method, spread over the folds"),
      .x = {"True"},
      .y = {"Predicted"},
      .choices = {"Data set", view.series_title()},
      .static_note = "the first method with error bars"};
  for (const DatasetSummary& row : view.summary.datasets) {
    bool first = true;
    for (const std::string& method : view.summary.methods) {
      Panel panel = prediction_panel(row.title, method, results_of(view, row.name, method));
      if (panel.series.empty()) continue;
      panel.in_static_svg = std::exchange(first, false);
      chart.panels.push_back(std::move(panel));
    }
  }
  return chart;
}

}  // namespace alacarte::report_detail

namespace alacarte {

Chart make_reliability_chart(const ClassMetrics& metrics) {
  Series bars{Mark::error_bars}, points{Mark::points};
  for (const CalibrationBin& bin : metrics.bins) {
    if (bin.rows == 0) continue;
    const auto rows = static_cast<double>(bin.rows);
    const double probability = std::min(1.0, bin.probability / rows);
    const auto [low, high] = report_detail::binomial_band(probability, rows);
    report_detail::add_point(probability, static_cast<double>(bin.right) / rows, low, high, points, bars);
    points.labels.push_back(std::to_string(bin.rows));
  }
  Chart chart{
      .name = "reliability",
      .title = "Reliability of the probabilities",
      .description = fmt::format(
          "Rows in {} bins of the probability that the model gives to the class it predicts, their number at each "
          "point. Where probabilities can be believed, points lie on the dashed line but for chance: inside the bars "
          "95 times of 100 (binomial). The expected calibration error, the mean distance from the line, is {:.3g}.",
          kCalibrationBins, metrics.ece),
      .x = {"Probability of the predicted class", 0, false, {{0, 1}}},
      .y = {"Share of rows that are of it", 0, false, {{0, 1}}}};
  if (!points.x.empty()) chart.panels = {{{}, {{Mark::reference, "", {0, 1}, {0, 1}}, bars, points}}};
  return chart;
}

}  // namespace alacarte
