// Accuracy against the numbers of components Q and of frequencies m: Yang et al. 2015, figure 2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "report/chart_parts.hpp"

namespace alacarte::report_detail {
namespace {

using Json = nlohmann::json;

/// A method's place: which model, and how large.
struct Size {
  std::string family;
  Index components = 0, frequencies = 0;
};

struct CountPoint {
  Index frequencies;
  double mean, error;
  std::size_t folds;
};
using Lines = std::map<Index, std::vector<CountPoint>>;  ///< by components

const UnitResult* any_unit(const ChartView& view, const std::string& dataset, const std::string& method) {
  return first_unit(view, dataset, method, [](const UnitResult& unit) { return unit.frequencies > 0; });
}

/// Recipes that differ in Q and m alone are one family. It has its model's name, with a number where two have it.
std::vector<std::pair<std::string, std::string>> families(const ChartView& view) {
  std::vector<std::pair<std::string, std::string>> found;  // what they share, and the name
  for (const std::string& method : view.summary.methods)
    for (const DatasetSummary& row : view.summary.datasets) {
      const UnitResult* const unit = any_unit(view, row.name, method);
      if (unit == nullptr) continue;
      const auto same = [&](const auto& family) { return family.first == unit->family; };
      if (std::any_of(found.begin(), found.end(), same)) continue;
      const auto alike = std::count_if(found.begin(), found.end(), [&](const auto& family) {
        return family.second.substr(0, family.second.find(' ')) == unit->model;
      });
      found.emplace_back(unit->family, alike == 0 ? unit->model : fmt::format("{} ({})", unit->model, alike + 1));
    }
  return found;
}

/// Means over folds with their standard errors; empty unless two sizes can be compared.
Lines lines_of(const ChartView& view, const DatasetSummary& row, const std::string& family) {
  Lines lines;
  std::set<std::pair<Index, Index>> sizes;
  for (const std::string& method : view.summary.methods) {
    const UnitResult* const unit = any_unit(view, row.name, method);
    const FoldSummary* const error = row.find(method, Measure::rmse);
    if (unit == nullptr || error == nullptr || unit->family != family) continue;
    if (!sizes.insert({unit->components, unit->frequencies}).second) continue;
    const double folds = static_cast<double>(error->folds.size());
    lines[unit->components].push_back(
        {unit->frequencies, error->mean, error->sd ? *error->sd / std::sqrt(folds) : 0.0, error->folds.size()});
  }
  for (auto& [components, points] : lines)
    std::sort(points.begin(), points.end(),
              [](const CountPoint& a, const CountPoint& b) { return a.frequencies < b.frequencies; });
  return sizes.size() < 2 ? Lines() : lines;
}

std::string line_name(Index components) {
  return components == 0 ? std::string("one component") : fmt::format("Q = {}", components);
}

StillChart count_panel(const std::string& title, const Lines& lines, const std::vector<std::string>& names) {
  Extent x, y;
  for (const auto& [components, points] : lines)
    for (const CountPoint& point : points) {
      x.add(static_cast<double>(point.frequencies));
      y.add(point.mean - point.error);
      y.add(point.mean + point.error);
    }
  StillChart still(title, x.axis("Frequencies m", true), y.axis("RMSE"), StillSize::panel);
  for (const auto& [components, points] : lines) {
    const auto at = std::find(names.begin(), names.end(), line_name(components));
    Points means;
    std::vector<StillChart::Bar> bars;
    for (const CountPoint& point : points) {
      means.emplace_back(static_cast<double>(point.frequencies), point.mean);
      bars.push_back({means.back().first, point.mean - point.error, point.mean + point.error});
    }
    still.bars(bars);
    still.line(means, static_cast<std::size_t>(at - names.begin()));
    still.dots(means, static_cast<std::size_t>(at - names.begin()));
  }
  return still;
}

Json count_spec(const Chart& chart, Json values, const Names& datasets, const Names& kinds, const Names& names) {
  const auto y = [](const char* field) {
    return Json{{"field", field}, {"type", "quantitative"}, {"title", "RMSE"}, {"scale", {{"zero", false}}}};
  };
  std::set<Index> ticks;
  for (const Json& value : values) ticks.insert(value["m"].get<Index>());
  const Json x = {{"field", "m"},
                  {"type", "quantitative"},
                  {"title", "Frequencies m"},
                  {"scale", {{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 20}}},
                  {"axis", {{"format", "d"}, {"values", ticks}}}};
  const Json color = {{"field", "q"},
                      {"type", "nominal"},
                      {"title", nullptr},
                      {"scale", {{"domain", names}}},
                      {"legend", {{"orient", "bottom"}, {"columns", 4}, {"symbolOpacity", 1}}}};
  const Json tooltip = {{{"field", "q"}, {"title", "Components"}},
                        {{"field", "m"}, {"title", "Frequencies"}},
                        {{"field", "r"}, {"title", "RMSE"}},
                        {{"field", "e"}, {"title", "Standard error"}},
                        {{"field", "n"}, {"title", "Folds"}}};
  Json spec = chart_frame(chart, std::move(values), 340);
  spec["params"] = {choice("dataset", "Data set", datasets), choice("family", "Model", kinds)};
  spec["transform"] = only("datum.d === dataset && datum.f === family");
  spec["layer"] = {{{"mark", {{"type", "rule"}, {"opacity", 0.5}}},
                    {"encoding", {{"x", x}, {"y", y("lo")}, {"y2", {{"field", "hi"}}}, {"color", color}}}},
                   {{"mark", {{"type", "line"}, {"point", true}}},
                    {"encoding", {{"x", x}, {"y", y("r")}, {"color", color}, {"tooltip", tooltip}}}}};
  return spec;
}

}  // namespace

Chart count_chart(const ChartView& view) {
  Chart chart;
  std::vector<std::tuple<std::string, std::string, Lines>> found;  // data set, family, lines
  std::set<Index> components;
  Names kinds;
  for (const auto& [family, kind] : families(view))
    for (const DatasetSummary& row : view.summary.datasets) {
      Lines lines = lines_of(view, row, family);
      if (lines.empty()) continue;
      for (const auto& [count, points] : lines) components.insert(count);
      if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
      found.emplace_back(row.title, kind, std::move(lines));
    }
  if (found.empty()) return chart;
  Names names;
  for (const Index count : components) names.push_back(line_name(count));
  Json values = Json::array();
  std::vector<StillChart> panels;
  for (const auto& [dataset, kind, lines] : found) {
    if (panels.size() < kMostPanels) panels.push_back(count_panel(dataset + ", " + kind, lines, names));
    for (const auto& [count, points] : lines)
      for (const CountPoint& point : points)
        values.push_back({{"d", dataset},
                          {"f", kind},
                          {"q", line_name(count)},
                          {"m", point.frequencies},
                          {"r", rounded(point.mean)},
                          {"e", rounded(point.error)},
                          {"lo", rounded(point.mean - point.error)},
                          {"hi", rounded(point.mean + point.error)},
                          {"n", point.folds}});
  }
  chart.name = "rmse-counts";
  chart.title = "RMSE against components Q and frequencies m";
  chart.description = fmt::format(
      "Mean over folds and its standard error, of methods whose recipes differ in Q and m alone; m counts the "
      "frequencies of each component.{}",
      panels.size() < found.size()
          ? fmt::format(" Where charts stand still, the first {} of {} data sets and models are shown.", panels.size(),
                        found.size())
          : "");
  chart.svg = still_grid(chart.title, panels, colored(names, names));
  const Names datasets = present(values, "d", titles(view.summary));
  chart.spec = count_spec(chart, std::move(values), datasets, kinds, names);
  return chart;
}

}  // namespace alacarte::report_detail
