// Accuracy against the numbers of components Q and of frequencies m: Yang et al. 2015, figure 2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/chart_builders.hpp"

namespace alacarte::report_detail {
namespace {

struct CountPoint {
  Index frequencies;
  double mean, error;
  std::size_t folds;
};
using Lines = std::map<Index, std::vector<CountPoint>>;  ///< by components

bool has_frequencies(const RunResult& result) { return result.frequencies > 0; }

/// Recipes that differ in Q and m alone are one family. It has its model's name, with a number where two have it.
std::vector<std::pair<std::string, std::string>> families(const ChartView& view) {
  std::vector<std::pair<std::string, std::string>> found;  // what they share, and the name
  for (const std::string& method : view.summary.methods)
    for (const DatasetSummary& row : view.summary.datasets) {
      const RunResult* const result = first_with(has_frequencies, view, row.name, method);
      if (result == nullptr) continue;
      const auto same = [&](const auto& family) { return family.first == result->family; };
      if (std::any_of(found.begin(), found.end(), same)) continue;
      const auto alike = std::count_if(found.begin(), found.end(), [&](const auto& family) {
        return family.second.substr(0, family.second.find(' ')) == result->model;
      });
      found.emplace_back(result->family, alike == 0 ? result->model : fmt::format("{} ({})", result->model, alike + 1));
    }
  return found;
}

/// Means over folds with their standard errors; empty unless two sizes can be compared.
Lines lines_of(const ChartView& view, const DatasetSummary& row, const std::string& family) {
  Lines lines;
  std::set<std::pair<Index, Index>> sizes;
  for (const std::string& method : view.summary.methods) {
    const RunResult* const result = first_with(has_frequencies, view, row.name, method);
    const FoldSummary* const error = row.find(method, Measure::rmse);
    if (result == nullptr || error == nullptr || result->family != family) continue;
    if (!sizes.insert({result->components, result->frequencies}).second) continue;
    const double folds = static_cast<double>(error->folds.size());
    lines[result->components].push_back(
        {result->frequencies, error->mean, error->sd ? *error->sd / std::sqrt(folds) : 0.0, error->folds.size()});
  }
  for (auto& [components, points] : lines)
    std::sort(points.begin(), points.end(),
              [](const CountPoint& a, const CountPoint& b) { return a.frequencies < b.frequencies; });
  return sizes.size() < 2 ? Lines() : lines;
}

std::string line_name(Index components) {
  return components == 0 ? std::string("one component") : fmt::format("Q = {}", components);
}

/// For each Q the standard errors and a line.
Panel count_panel(const std::string& dataset, const std::string& family, const Lines& lines) {
  Panel panel{{dataset, family}};
  for (const auto& [components, points] : lines) {
    Series line{Mark::line_and_points, line_name(components)}, bars{Mark::error_bars};
    line.details.resize(2);
    for (const CountPoint& point : points) {
      line.x.push_back(static_cast<double>(point.frequencies));
      line.y.push_back(point.mean);
      line.details[0].push_back(point.error);
      line.details[1].push_back(static_cast<double>(point.folds));
      bars.low.push_back(point.mean - point.error);
      bars.high.push_back(point.mean + point.error);
    }
    bars.x = line.x;
    panel.series.insert(panel.series.end(), {std::move(bars), std::move(line)});
  }
  return panel;
}

}  // namespace

Chart count_chart(const ChartView& view) {
  Chart chart;
  chart.name = "rmse-counts";
  chart.title = "RMSE against components Q and frequencies m";
  chart.description =
      "Mean over folds and its standard error, of methods whose recipes differ in Q and m alone; m counts the "
      "frequencies of each component.";
  chart.x = {"Frequencies m", 2};
  chart.y.title = "RMSE";
  chart.choices = {"Data set", "Model"};
  chart.series_title = "Components";
  chart.details = {"Standard error", "Folds"};
  std::set<Index> components;
  for (const auto& [family, name] : families(view))
    for (const DatasetSummary& row : view.summary.datasets) {
      const Lines lines = lines_of(view, row, family);
      if (lines.empty()) continue;
      for (const auto& [count, points] : lines) components.insert(count);
      chart.panels.push_back(count_panel(row.title, name, lines));
    }
  for (const Index count : components) chart.series.push_back(line_name(count));
  return chart;
}

}  // namespace alacarte::report_detail
