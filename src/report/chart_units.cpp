// Charts of the test rows of units: calibration, predictions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_parts.hpp"
#include "report/still_chart.hpp"

namespace alacarte::report_detail {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPredictions = 100;  // of a data set and method, so that pages stay small
constexpr std::size_t kMostStillPredictions = 60;

/// What a choice calls the pooled rows of all data sets.
const char* const kAll = "All data sets";

struct Covered {
  double rows = 0, inside = 0;
};
using Coverage = std::map<std::pair<std::string, std::string>, std::map<int, Covered>>;  ///< by data set and method

Coverage pooled_coverage(const ChartView& view) {
  Coverage coverage;
  for (const DatasetSummary& row : view.summary.datasets)
    for (const std::string& method : view.summary.methods)
      for (const UnitResult* unit : units_of(view, row.name, method))
        for (const auto& [level, share] : unit->coverage)
          for (const std::string& place : {row.title, std::string(kAll)}) {
            if (place == row.title && view.summary.datasets.size() == 1) continue;
            Covered& sum = coverage[{place, method}][level];
            sum.rows += static_cast<double>(unit->test_rows);
            sum.inside += share * static_cast<double>(unit->test_rows);
          }
  return coverage;
}

Json calibration_values(const Coverage& coverage) {
  Json values = Json::array();
  for (const auto& [key, levels] : coverage)
    for (const auto& [level, sum] : levels) {
      if (sum.rows == 0) continue;
      const auto [low, high] = binomial_band(level / 100.0, sum.rows);
      values.push_back({{"d", key.first},
                        {"m", key.second},
                        {"level", level},
                        {"off", rounded(100 * sum.inside / sum.rows - level)},
                        {"low", rounded(100 * low - level)},
                        {"high", rounded(100 * high - level)},
                        {"n", sum.rows}});
    }
  return values;
}

/// Levels stand side by side: 90 and 95 would touch on a true scale.
double place_of(int level) { return level == 50 ? 0 : level == 90 ? 1 : 2; }

std::string still_calibration(const Json& values, const Summary& summary, const std::string& title) {
  std::map<int, std::pair<double, double>> band;
  std::map<std::string, std::vector<std::pair<double, double>>> lines;
  Axis y{"Observed minus nominal (points)", 0, 0, false};
  for (const Json& value : values) {
    if (value["d"] != kAll) continue;
    const int level = value["level"];
    auto& [low, high] = band[level];
    low = std::min<double>(low, value["low"]);
    high = std::max<double>(high, value["high"]);
    lines[value["m"]].emplace_back(place_of(level), value["off"]);
    y.low = std::min({y.low, low, value["off"].get<double>()});
    y.high = std::max({y.high, high, value["off"].get<double>()});
  }
  StillChart still(title, {"Nominal coverage (%)", 0, 2, false}, y);
  still.ticks_x({{0, "50"}, {1, "90"}, {2, "95"}});
  std::vector<std::pair<double, double>> below, above;
  for (const auto& [level, ends] : band) {
    below.emplace_back(place_of(level), ends.first);
    above.emplace_back(place_of(level), ends.second);
  }
  still.band(below, above);
  still.line({{0, 0}, {2, 0}}, std::nullopt);
  still.legend(colored(present(values, "m", summary.methods), summary.methods));
  for (std::size_t i = 0; i < summary.methods.size(); ++i) {
    if (lines.count(summary.methods[i]) == 0) continue;
    still.line(lines[summary.methods[i]], i);
    for (const auto& [x, offset] : lines[summary.methods[i]]) still.point(x, offset, summary.methods[i], i);
  }
  return still.text();
}

Json prediction_values(const ChartView& view) {
  Json values = Json::array();
  for (const DatasetSummary& row : view.summary.datasets)
    for (const std::string& method : view.summary.methods) {
      std::vector<std::pair<const UnitResult*, std::size_t>> rows;
      for (const UnitResult* unit : units_of(view, row.name, method))
        for (std::size_t i = 0; i < unit->sd.size(); ++i) rows.emplace_back(unit, i);
      for (const std::size_t k : spread(rows.size(), kMostPredictions)) {
        const auto& [unit, i] = rows[k];
        const double mean = unit->mean[i], reach = 1.96 * unit->sd[i];
        values.push_back({{"d", row.title},
                          {"m", method},
                          {"t", rounded(unit->target[i])},
                          {"p", rounded(mean)},
                          {"lo", rounded(mean - reach)},
                          {"hi", rounded(mean + reach)}});
      }
    }
  return values;
}

bool has_error_bars(const UnitResult& unit) { return !unit.sd.empty(); }

/// Rows of one unit with their intervals, and the line on which predictions are right.
StillChart prediction_panel(const UnitResult& unit, const std::string& title, std::size_t color, StillSize size) {
  Points points;
  std::vector<StillChart::Bar> bars;
  Extent x, y;
  for (const std::size_t i : spread(unit.sd.size(), kMostStillPredictions)) {
    const double reach = 1.96 * unit.sd[i];
    points.emplace_back(unit.target[i], unit.mean[i]);
    bars.push_back({unit.target[i], unit.mean[i] - reach, unit.mean[i] + reach});
    x.add(unit.target[i]);
    y.add(unit.target[i]);
    y.add(bars.back().low);
    y.add(bars.back().high);
  }
  const Axis across = x.axis("True");
  StillChart still(title, across, y.axis("Predicted"), size);
  still.bars(bars);
  still.line({{across.low, across.low}, {across.high, across.high}}, std::nullopt);
  still.dots(points, color);
  return still;
}

/// A panel for each data set: the first method with error bars, on its first fold.
std::string still_predictions(const ChartView& view, const std::string& title) {
  std::vector<StillChart> panels;
  for (const DatasetSummary& row : view.summary.datasets)
    for (std::size_t i = 0; i < view.summary.methods.size() && panels.size() < kMostPanels; ++i) {
      const std::string& method = view.summary.methods[i];
      const UnitResult* const unit = first_unit(view, row.name, method, has_error_bars);
      if (unit == nullptr) continue;
      panels.push_back(prediction_panel(*unit, view.model ? method : row.title + ", " + method, i, view.panel_size()));
      break;
    }
  return still_grid(title, panels, {});
}

}  // namespace

Chart calibration_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  Chart chart;
  Json values = calibration_values(pooled_coverage(view));
  if (values.empty()) return chart;
  chart.name = "calibration";
  chart.title = "Calibration";
  chart.description =
      "Share of test rows inside the central 50, 90 and 95 % intervals, minus that share, in points; 0 is right, below "
      "it the intervals are too narrow. Inside the band a right model would be in 95 of 100 cases, were all rows "
      "independent (binomial; the widest band of the methods).";
  chart.svg = still_calibration(values, summary, chart.title);
  Names places = {kAll};
  for (const std::string& title : titles(summary)) places.push_back(title);
  places = present(values, "d", places);
  chart.spec = chart_frame(chart, std::move(values), 340);
  chart.spec["params"] = {choice("dataset", "Data set", places)};
  chart.spec["transform"] = only("datum.d === dataset");
  const Json x = {
      {"field", "level"}, {"type", "ordinal"}, {"title", "Nominal coverage (%)"}, {"axis", {{"labelAngle", 0}}}};
  const char* const title = "Observed minus nominal (points)";
  const Json y = {{"field", "off"}, {"type", "quantitative"}, {"title", title}};
  const Json tooltip = {{{"field", "m"}, {"title", view.series()}},
                        {{"field", "level"}, {"title", "Nominal"}},
                        {{"field", "off"}, {"title", "Observed minus nominal"}},
                        {{"field", "n"}, {"title", "Test rows"}}};
  chart.spec["layer"] = {
      {{"transform",
        {{{"aggregate",
           {{{"op", "min"}, {"field", "low"}, {"as", "low"}}, {{"op", "max"}, {"field", "high"}, {"as", "high"}}}},
          {"groupby", {"level"}}}}},
       {"mark", {{"type", "area"}, {"opacity", 0.2}}},
       {"encoding",
        {{"x", x},
         {"y", {{"field", "low"}, {"type", "quantitative"}, {"title", title}}},
         {"y2", {{"field", "high"}}}}}},
      {{"mark", {{"type", "rule"}, {"strokeDash", {4, 4}}}}, {"encoding", {{"y", {{"datum", 0}}}}}},
      {{"mark", {{"type", "line"}, {"point", true}}},
       {"encoding",
        {{"x", x}, {"y", y}, {"color", method_color(view, chart.spec["data"]["values"])}, {"tooltip", tooltip}}}}};
  return chart;
}

Chart prediction_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  Chart chart;
  Json values = prediction_values(view);
  if (values.empty()) return chart;
  chart.name = "predictions";
  chart.title = "Predicted against true";
  const Names datasets = present(values, "d", titles(summary)), methods = present(values, "m", summary.methods);
  chart.description = fmt::format(
      "At most {} rows{}; bars reach 1.96 standard deviations to both sides. On the dashed line a prediction is right. "
      "Where charts stand still: at most {} rows{}.",
      kMostPredictions, view.model ? "" : " of each data set and method, spread over the folds", kMostStillPredictions,
      view.model ? "" : " of the first fold, and of the first method with error bars");
  chart.description += still_note(kMostPanels, datasets.size());
  chart.svg = still_predictions(view, chart.title);
  chart.spec = chart_frame(chart, std::move(values), 380);
  chart.spec["params"] = {choice("dataset", "Data set", datasets), choice("method", view.series(), methods)};
  chart.spec["transform"] = only("datum.d === dataset && datum.m === method");
  const auto axis = [](const char* field, const char* title) {
    return Json{{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", {{"zero", false}}}};
  };
  const Json x = axis("t", "True"), y = axis("p", "Predicted");
  const Json ends = {{{"op", "min"}, {"field", "t"}, {"as", "from"}}, {{"op", "max"}, {"field", "t"}, {"as", "to"}}};
  chart.spec["layer"] = {{{"mark", {{"type", "rule"}, {"opacity", 0.4}}},
                          {"encoding", {{"x", x}, {"y", axis("lo", "Predicted")}, {"y2", {{"field", "hi"}}}}}},
                         {{"mark", {{"type", "point"}, {"filled", true}, {"size", 30}, {"tooltip", true}}},
                          {"encoding", {{"x", x}, {"y", y}}}},
                         {{"transform", {{{"aggregate", ends}}, {{"fold", {"from", "to"}}, {"as", {"end", "v"}}}}},
                          {"mark", {{"type", "line"}, {"strokeDash", {4, 4}}, {"opacity", 0.8}}},
                          {"encoding", {{"x", axis("v", "True")}, {"y", axis("v", "Predicted")}}}}};
  return chart;
}

}  // namespace alacarte::report_detail
