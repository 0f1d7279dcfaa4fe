// Common parts of charts, and the charts of summaries and of test rows.
#include <fmt/format.h>
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <set>

#include "report/charts.hpp"
#include "report/report.hpp"

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
    const bool has_bounds = i < result->lower.size() && i < result->upper.size();
    add_point(result->target[i], mean, has_bounds ? result->lower[i] : mean - reach,
              has_bounds ? result->upper[i] : mean + reach, points, bars);
  }
  const auto [low, high] = std::minmax_element(points.x.begin(), points.x.end());
  panel.series = {bars, {Mark::reference, "", {*low, *high}, {*low, *high}}, points};
  return panel;
}

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
