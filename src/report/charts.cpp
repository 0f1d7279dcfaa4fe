#include "alacarte/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/chart_parts.hpp"

namespace alacarte::report_detail {

using Json = nlohmann::json;

namespace {

struct AccuracyPoint {
  std::string method;
  double accuracy = 0, cost = 0;
  Index datasets = 0;
};

/// Over the data sets where method and reference both have positive numbers.
std::optional<AccuracyPoint> compare(const Summary& summary, const std::string& method, const std::string& reference,
                                     Measure measure) {
  AccuracyPoint point{method};
  for (const DatasetSummary& row : summary.datasets) {
    const FoldSummary *error = row.find(method, Measure::rmse), *base = row.find(reference, Measure::rmse);
    const FoldSummary *cost = row.find(method, measure), *base_cost = row.find(reference, measure);
    if (error == nullptr || base == nullptr || cost == nullptr || base_cost == nullptr) continue;
    if (error->mean <= 0 || base->mean <= 0 || cost->mean <= 0 || base_cost->mean <= 0) continue;
    point.accuracy += std::log(base->mean / error->mean);
    point.cost += std::log(cost->mean / base_cost->mean);
    ++point.datasets;
  }
  if (point.datasets == 0) return std::nullopt;
  point.accuracy = std::exp(point.accuracy / static_cast<double>(point.datasets));
  point.cost = std::exp(point.cost / static_cast<double>(point.datasets));
  return point;
}

std::string still_accuracy(const std::vector<AccuracyPoint>& points, const Summary& summary, const std::string& title,
                           const std::string& x_title, const std::string& y_title) {
  Axis x{x_title, std::numeric_limits<double>::max(), 0, true}, y{y_title, x.low, 0, true};
  for (const AccuracyPoint& point : points) {
    x.low = std::min(x.low, point.cost);
    x.high = std::max(x.high, point.cost);
    y.low = std::min(y.low, point.accuracy);
    y.high = std::max(y.high, point.accuracy);
  }
  StillChart still(title, x, y);
  for (const AccuracyPoint& point : points) {
    const auto at = std::find(summary.methods.begin(), summary.methods.end(), point.method);
    still.point(point.cost, point.accuracy, point.method, static_cast<std::size_t>(at - summary.methods.begin()));
  }
  return still.text();
}

Json log_axis(const char* field, const std::string& title) {
  return Json{{"field", field},
              {"type", "quantitative"},
              {"title", title},
              {"scale", {{"type", "log"}, {"padding", 40}, {"nice", false}}},
              {"axis", {{"format", "~g"}}}};
}

}  // namespace

Chart accuracy_chart(const ChartView& view, Measure cost) {
  const Summary& summary = view.summary;
  const auto known = std::find(summary.methods.begin(), summary.methods.end(), "RBF");
  const std::string reference = known == summary.methods.end() ? summary.methods.front() : *known;
  std::vector<AccuracyPoint> points;
  for (const std::string& method : summary.methods)
    if (const auto point = compare(summary, method, reference, cost)) points.push_back(*point);
  Chart chart;
  if (points.size() < 2) return chart;
  const bool time = cost == Measure::train_seconds;
  const std::string what = time ? "training time" : "peak memory";
  chart.name = time ? "accuracy-time" : "accuracy-memory";
  chart.title = "Accuracy against " + what;
  chart.description = fmt::format(
      "Accuracy is the RMSE of {0} divided by that of the method (more is better), {1} is divided by that of {0}; "
      "geometric means over the data sets that the method shares with {0}. Both axes are logarithmic.",
      reference, what);
  const std::string x_title = fmt::format("{} relative to {}", time ? "Training time" : "Peak memory", reference);
  const std::string y_title = "Accuracy relative to " + reference;
  Json values = Json::array();
  for (const AccuracyPoint& p : points)
    values.push_back(
        {{"m", p.method}, {"accuracy", rounded(p.accuracy)}, {"cost", rounded(p.cost)}, {"datasets", p.datasets}});
  chart.spec = chart_frame(chart, std::move(values), 360);
  Json color = method_color(view, chart.spec["data"]["values"]);
  color["legend"] = nullptr;  // points carry their names
  const Json tooltip = {{{"field", "m"}, {"title", "Method"}},
                        {{"field", "accuracy"}, {"title", y_title}},
                        {{"field", "cost"}, {"title", x_title}},
                        {{"field", "datasets"}, {"title", "Data sets"}}};
  chart.spec["encoding"] = {{"x", log_axis("cost", x_title)}, {"y", log_axis("accuracy", y_title)}};
  chart.spec["layer"] = {
      {{"mark", {{"type", "point"}, {"filled", true}, {"size", 90}}},
       {"encoding", {{"color", color}, {"tooltip", tooltip}}}},
      {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 8}}}, {"encoding", {{"text", {{"field", "m"}}}}}}};
  chart.svg = still_accuracy(points, summary, chart.title, x_title, y_title);
  return chart;
}

Chart rank_chart(const Ranking& ranking) {
  const std::string measure = ranking.measure == Measure::rmse ? "RMSE" : "NLPD";
  const double best = ranking.ranks.front(), end = best + ranking.critical_difference;
  Chart chart;
  chart.name = fmt::format("ranks-{}", name_of(ranking.measure));
  chart.title = "Average ranks by " + measure;
  chart.description = fmt::format(
      "1 is best. Methods inside the band are less than the critical difference ({:.2f}) behind the best: not "
      "significantly worse at the level 0.05.",
      ranking.critical_difference);
  Json values = Json::array();
  const auto count = static_cast<double>(ranking.methods.size());
  StillChart still(chart.title, {"Average rank", 1, std::max(end, ranking.ranks.back()), false}, {"", 1, count, false});
  std::vector<std::pair<double, std::string>> names;
  still.band({{best, 0.6}, {end, 0.6}}, {{best, count + 0.4}, {end, count + 0.4}});
  for (std::size_t i = 0; i < ranking.methods.size(); ++i) {
    values.push_back({{"m", ranking.methods[i]}, {"rank", rounded(ranking.ranks[i])}});
    names.emplace_back(count - static_cast<double>(i), ranking.methods[i]);
    still.point(ranking.ranks[i], names.back().first, fmt::format("{:.2f}", ranking.ranks[i]), 0);
  }
  still.ticks_y(names);
  chart.svg = still.text();
  chart.spec = chart_frame(chart, std::move(values), 40 + 22 * static_cast<int>(ranking.methods.size()));
  chart.spec["layer"] = {
      {{"data", {{"values", {{{"from", rounded(best)}, {"to", rounded(end)}}}}}},
       {"mark", {{"type", "rect"}, {"opacity", 0.15}}},
       {"encoding", {{"x", {{"field", "from"}, {"type", "quantitative"}}}, {"x2", {{"field", "to"}}}}}},
      {{"mark", {{"type", "point"}, {"filled", true}, {"size", 90}, {"tooltip", true}}},
       {"encoding",
        {{"x",
          {{"field", "rank"},
           {"type", "quantitative"},
           {"title", "Average rank"},
           {"scale", {{"zero", false}, {"padding", 15}}}}},
         {"y", {{"field", "m"}, {"type", "nominal"}, {"title", nullptr}, {"sort", ranking.methods}}}}}}};
  return chart;
}

}  // namespace alacarte::report_detail

namespace alacarte {

namespace {

std::vector<Chart> charts_of(const report_detail::ChartView& view) {
  using namespace report_detail;
  std::vector<Chart> charts;
  const auto add = [&](Chart chart) {
    if (!chart.title.empty()) charts.push_back(std::move(chart));
  };
  if (view.summary.methods.empty()) return charts;
  add(accuracy_chart(view, Measure::train_seconds));
  add(accuracy_chart(view, Measure::peak_mb));
  for (const Ranking& ranking : view.summary.rankings) add(rank_chart(ranking));
  add(count_chart(view));
  add(calibration_chart(view));
  add(prediction_chart(view));
  add(trace_chart(view));
  add(relevance_chart(view));
  add(radial_chart(view));
  add(input_spectrum_chart(view));
  add(amplitude_chart(view));
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
