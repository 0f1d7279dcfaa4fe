// How far the probabilities of classes can be believed.
#include <fmt/format.h>

#include <algorithm>

#include "report/chart_parts.hpp"

namespace alacarte {

using namespace report_detail;
using Json = nlohmann::json;

namespace {

constexpr const char* kAcross = "Probability of the predicted class";
constexpr const char* kUp = "Share of rows that are of it";

/// Bins with rows, in order: mean probability and share right, and between which shares they may lie by chance.
Json bin_values(const ClassMetrics& metrics) {
  Json values = Json::array();
  for (const CalibrationBin& bin : metrics.bins) {
    if (bin.rows == 0) continue;
    const auto rows = static_cast<double>(bin.rows);
    const double said = std::min(1.0, bin.probability / rows);
    const auto [low, high] = binomial_band(said, rows);
    values.push_back({{"p", rounded(said)},
                      {"share", rounded(static_cast<double>(bin.right) / rows)},
                      {"low", rounded(low)},
                      {"high", rounded(high)},
                      {"n", bin.rows}});
  }
  return values;
}

std::string still_reliability(const Json& values, const std::string& title) {
  StillChart still(title, {kAcross, 0, 1, false}, {kUp, 0, 1, false});
  std::vector<StillChart::Bar> bars;
  for (const Json& value : values) bars.push_back({value["p"], value["low"], value["high"]});
  still.line({{0, 0}, {1, 1}}, std::nullopt);
  still.bars(bars);
  for (const Json& value : values)
    still.point(value["p"], value["share"], fmt::format("{}", value["n"].get<Index>()), 0);
  return still.text();
}

Json unit_axis(const char* field, const char* title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", {{"domain", {0, 1}}}}};
}

}  // namespace

Chart make_reliability_chart(const ClassMetrics& metrics) {
  Chart chart;
  Json values = bin_values(metrics);
  if (values.empty()) return chart;
  chart.name = "reliability";
  chart.title = "Reliability of the probabilities";
  chart.description = fmt::format(
      "Rows in {} bins of the probability that the model gives to the class it predicts, their number at each point. "
      "Where probabilities can be believed, points lie on the dashed line but for chance: inside the bars 95 times of "
      "100 (binomial). The expected calibration error, the mean distance from the line, is {:.3g}.",
      kCalibrationBins, metrics.ece);
  chart.svg = still_reliability(values, chart.title);
  chart.spec = chart_frame(chart, std::move(values), 360);
  const Json tooltip = {
      {{"field", "p"}, {"title", kAcross}}, {{"field", "share"}, {"title", kUp}}, {{"field", "n"}, {"title", "Rows"}}};
  chart.spec["encoding"] = {{"x", unit_axis("p", kAcross)}};
  chart.spec["layer"] = {{{"data", {{"values", {{{"p", 0}, {"share", 0}}, {{"p", 1}, {"share", 1}}}}}},
                          {"mark", {{"type", "line"}, {"strokeDash", {4, 4}}, {"color", "#777"}}},
                          {"encoding", {{"y", unit_axis("share", kUp)}}}},
                         {{"mark", {{"type", "rule"}, {"opacity", 0.4}}},
                          {"encoding", {{"y", unit_axis("low", kUp)}, {"y2", {{"field", "high"}}}}}},
                         {{"mark", {{"type", "point"}, {"filled", true}}},
                          {"encoding",
                           {{"y", unit_axis("share", kUp)},
                            {"size", {{"field", "n"}, {"type", "quantitative"}, {"title", "Rows"}}},
                            {"tooltip", tooltip}}}}};
  return chart;
}

}  // namespace alacarte
