#include "report/chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cstdlib>

namespace alacarte::report_detail {

using Json = nlohmann::json;

Json chart_frame(const Chart& chart, Json values, int height) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", chart.title + ". " + chart.description},
          {"width", "container"},
          {"height", height},
          {"data", {{"values", std::move(values)}}}};
}

Json method_color(const ChartView& view, const Json& values) {
  const Names shown = present(values, "m", view.summary.methods);
  return {{"field", "m"},
          {"type", "nominal"},
          {"title", view.series()},
          {"scale", {{"domain", view.summary.methods}}},
          {"legend", {{"orient", "bottom"}, {"columns", 3}, {"values", shown}}}};
}

Json choice(const std::string& name, const std::string& label, const Names& options) {
  Json param = {{"name", name}, {"value", options.front()}};
  if (options.size() > 1) param["bind"] = {{"input", "select"}, {"options", options}, {"name", label + " "}};
  return param;
}

Json only(const std::string& expression) { return Json::array({{{"filter", expression}}}); }

double rounded(double value, int digits) { return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr); }

std::pair<double, double> binomial_band(double share, double rows) {
  const boost::math::binomial_distribution<double> law(rows, share);
  return {boost::math::quantile(law, 0.025) / rows, boost::math::quantile(law, 0.975) / rows};
}

std::vector<const UnitResult*> units_of(const ChartView& view, const std::string& dataset, const std::string& method) {
  std::vector<const UnitResult*> units;
  for (const UnitResult& unit : view.results.units)
    if (unit.done && unit.dataset == dataset && unit.label == method) units.push_back(&unit);
  std::sort(units.begin(), units.end(), [](const UnitResult* a, const UnitResult* b) { return a->fold < b->fold; });
  return units;
}

const UnitResult* first_unit(const ChartView& view, const std::string& dataset, const std::string& method,
                             const std::function<bool(const UnitResult&)>& will_do) {
  const auto units = units_of(view, dataset, method);
  const auto found = std::find_if(units.begin(), units.end(), [&](const UnitResult* unit) { return will_do(*unit); });
  return found == units.end() ? nullptr : *found;
}

Names titles(const Summary& summary) {
  Names names;
  for (const DatasetSummary& row : summary.datasets) names.push_back(row.title);
  return names;
}

Names present(const Json& values, const char* key, const Names& all) {
  Names names;
  for (const std::string& name : all)
    if (std::any_of(values.begin(), values.end(), [&](const Json& value) { return value[key] == name; }))
      names.push_back(name);
  return names;
}

std::vector<std::size_t> spread(std::size_t size, std::size_t wanted) {
  std::vector<std::size_t> indices;
  if (size <= wanted) wanted = size;
  for (std::size_t i = 0; i < wanted; ++i) indices.push_back(wanted == 1 ? 0 : i * (size - 1) / (wanted - 1));
  return indices;
}

std::string still_note(std::size_t shown, std::size_t all) {
  return shown < all ? fmt::format(" Where charts stand still, the first {} of {} data sets are shown.", shown, all)
                     : std::string();
}

void StillLines::add(std::size_t color, const Points& points) {
  lines.emplace_back(color, points);
  for (const auto& [px, py] : points) {
    x.add(px);
    y.add(py);
  }
}

StillChart StillLines::panel(const std::string& title, Axis x_axis, Axis y_axis, StillSize size) const {
  StillChart still(title, x_axis, y_axis, size);
  const double tolerance = 0.005 * (y_axis.high - y_axis.low);
  for (const auto& [color, points] : lines) still.line(simplified(points, tolerance, x_axis.logarithmic), color);
  return still;
}

std::vector<StillChart> line_panels(
    const ChartView& view, const std::function<bool(const UnitResult&)>& will_do,
    const std::function<Points(const UnitResult&)>& curve,
    const std::function<void(const DatasetSummary&, const std::string& method, const Points&)>& each,
    const std::function<StillChart(const std::string& title, const StillLines&)>& panel) {
  std::vector<StillChart> panels;
  for (const DatasetSummary& row : view.summary.datasets) {
    StillLines lines;
    for (std::size_t m = 0; m < view.summary.methods.size(); ++m) {
      const std::string& method = view.summary.methods[m];
      const UnitResult* const unit = first_unit(view, row.name, method, will_do);
      const Points points = unit == nullptr ? Points() : curve(*unit);
      if (points.empty()) continue;
      each(row, method, points);
      lines.add(m, points);
    }
    if (!lines.x.empty() && panels.size() < kMostPanels) panels.push_back(panel(row.title, lines));
  }
  return panels;
}

NamesByColor colored(const Names& shown, const Names& all) {
  NamesByColor names;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::count(shown.begin(), shown.end(), all[i]) > 0) names.emplace_back(all[i], i);
  return names;
}

}  // namespace alacarte::report_detail
