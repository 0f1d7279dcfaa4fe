// Charts of how fits went and of what they found relevant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_parts.hpp"

namespace alacarte::report_detail {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTracePoints = 60;
constexpr std::size_t kMostStillInputs = 30;

bool has_trace(const UnitResult& unit) { return !unit.fits.empty() && !unit.fits.front().trace.empty(); }
bool has_relevance(const UnitResult& unit) { return !unit.fits.empty() && !unit.fits.front().relevance.empty(); }

Points trace_points(const UnitResult& unit) {
  const std::vector<double>& trace = unit.fits.front().trace;
  Points points;
  for (const std::size_t i : spread(trace.size(), kMostTracePoints))
    if (std::isfinite(trace[i])) points.emplace_back(static_cast<double>(i), trace[i]);
  return points;
}

/// Shares of the largest; not a number where there is none.
std::vector<double> relative_relevance(const UnitResult& unit) {
  std::vector<double> relevance = unit.fits.front().relevance;
  double most = 0;
  for (const double value : relevance)
    if (std::isfinite(value)) most = std::max(most, value);
  for (double& value : relevance) value = most > 0 ? value / most : std::nan("");
  return relevance;
}

std::string input_name(const UnitResult& unit, std::size_t j) {
  return j < unit.input_names.size() ? unit.input_names[j] : std::to_string(j + 1);
}

/// Rows are methods, columns inputs: those that matter most to any method, in the order of the file.
StillChart relevance_panel(const std::string& title, const std::vector<std::pair<std::string, const UnitResult*>>& rows,
                           StillSize size) {
  std::vector<double> most;
  for (const auto& [method, unit] : rows) {
    const std::vector<double> relevance = relative_relevance(*unit);
    most.resize(std::max(most.size(), relevance.size()));
    for (std::size_t j = 0; j < relevance.size(); ++j)
      if (relevance[j] > most[j]) most[j] = relevance[j];
  }
  std::vector<std::size_t> inputs(most.size());
  for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] = j;
  std::stable_sort(inputs.begin(), inputs.end(), [&](std::size_t a, std::size_t b) { return most[a] > most[b]; });
  if (inputs.size() > kMostStillInputs) inputs.resize(kMostStillInputs);
  std::sort(inputs.begin(), inputs.end());
  const auto last = static_cast<double>(inputs.size()) - 1, top = static_cast<double>(rows.size()) - 1;
  StillChart still(title, {"Input", -0.5, last + 0.5, false}, {"", -0.5, top + 0.5, false}, size);
  std::vector<StillChart::Cell> cells;
  std::vector<std::pair<double, std::string>> ticks_x, ticks_y;
  const std::size_t step = (inputs.size() + 9) / 10, most_letters = size == StillSize::wide ? 15 : 9;
  for (std::size_t k = 0; k < inputs.size(); k += step)
    ticks_x.emplace_back(static_cast<double>(k), shortened(input_name(*rows.front().second, inputs[k]), 9));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = top - static_cast<double>(i);
    const std::vector<double> relevance = relative_relevance(*rows[i].second);
    ticks_y.emplace_back(y, shortened(rows[i].first, most_letters));
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] < relevance.size() && std::isfinite(relevance[inputs[k]]))
        cells.push_back({static_cast<double>(k), y, relevance[inputs[k]]});
  }
  still.ticks_x(ticks_x);
  still.ticks_y(ticks_y);
  still.cells(cells);
  return still;
}

std::string still_relevances(const ChartView& view, const std::string& title) {
  std::vector<StillChart> panels;
  for (const DatasetSummary& row : view.summary.datasets) {
    std::vector<std::pair<std::string, const UnitResult*>> rows;
    for (const std::string& method : view.summary.methods)
      if (const UnitResult* unit = first_unit(view, row.name, method, has_relevance)) rows.emplace_back(method, unit);
    if (!rows.empty() && panels.size() < kMostPanels)
      panels.push_back(relevance_panel(row.title, rows, view.panel_size()));
  }
  return still_grid(title, panels, {});
}

}  // namespace

Chart trace_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  Chart chart;
  Json values = Json::array();
  const std::vector<StillChart> panels = line_panels(
      view, has_trace, trace_points,
      [&](const DatasetSummary& row, const std::string& method, const Points& points) {
        for (const auto& [i, value] : points)
          values.push_back({{"d", row.title}, {"m", method}, {"i", i}, {"v", rounded(value)}});
      },
      [&](const std::string& title, const StillLines& lines) {
        return lines.panel(title, lines.x.axis("Iteration"), lines.y.axis(""), view.panel_size());
      });
  if (values.empty()) return chart;
  const Names datasets = present(values, "d", titles(summary));
  chart.name = "traces";
  chart.title = "Evidence traces";
  chart.description = fmt::format(
      "Negative log posterior (evidence and priors) by iteration, of {}. Less is better; values of different families "
      "of kernels compare only roughly.{}",
      view.which(), still_note(panels.size(), datasets.size()));
  chart.svg = still_grid(chart.title, panels, colored(present(values, "m", summary.methods), summary.methods));
  chart.spec = chart_frame(chart, std::move(values), 340);
  chart.spec["params"] = {choice("dataset", "Data set", datasets)};
  chart.spec["transform"] = only("datum.d === dataset");
  chart.spec["mark"] = {{"type", "line"}, {"tooltip", true}};
  chart.spec["encoding"] = {
      {"x", {{"field", "i"}, {"type", "quantitative"}, {"title", "Iteration"}}},
      {"y",
       {{"field", "v"}, {"type", "quantitative"}, {"title", "Negative log posterior"}, {"scale", {{"zero", false}}}}},
      {"color", method_color(view, chart.spec["data"]["values"])}};
  return chart;
}

Chart relevance_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  Chart chart;
  Json values = Json::array();
  bool named = false;
  for (const DatasetSummary& row : summary.datasets)
    for (const std::string& method : summary.methods) {
      const UnitResult* const unit = first_unit(view, row.name, method, has_relevance);
      if (unit == nullptr) continue;
      named = named || !unit->input_names.empty();
      const std::vector<double> relevance = relative_relevance(*unit);
      for (std::size_t j = 0; j < relevance.size(); ++j)
        if (std::isfinite(relevance[j]))
          values.push_back({{"d", row.title},
                            {"m", method},
                            {"j", j + 1},
                            {"n", input_name(*unit, j)},
                            {"r", rounded(relevance[j])}});
    }
  if (values.empty()) return chart;
  const Names datasets = present(values, "d", titles(summary));
  chart.name = "relevances";
  chart.title = "Relevance of the inputs";
  chart.description = fmt::format(
      "Root mean square frequency of the learned spectrum along each input as a share of the largest one, of {}. "
      "Kernels with one length-scale for all inputs give 1 throughout.{}{}",
      view.which(),
      fmt::format(" Where charts stand still, at most the {} inputs that matter most are shown.", kMostStillInputs),
      still_note(kMostPanels, datasets.size()));
  chart.svg = still_relevances(view, chart.title);
  chart.spec = chart_frame(chart, std::move(values), 300);
  chart.spec["params"] = {choice("dataset", "Data set", datasets)};
  chart.spec["transform"] = only("datum.d === dataset");
  chart.spec["mark"] = {{"type", "rect"}, {"tooltip", true}};
  const Json axis = named ? Json{{"labelAngle", -45}, {"labelOverlap", true}, {"labelLimit", 90}}
                          : Json{{"labelAngle", 0}, {"labelOverlap", true}};
  chart.spec["encoding"] = {{"x",
                             {{"field", named ? "n" : "j"},
                              {"type", named ? "nominal" : "ordinal"},
                              {"title", "Input"},
                              {"sort", {{"field", "j"}}},
                              {"axis", axis}}},
                            {"y", {{"field", "m"}, {"type", "nominal"}, {"title", nullptr}, {"sort", summary.methods}}},
                            {"color",
                             {{"field", "r"},
                              {"type", "quantitative"},
                              {"title", "Relevance"},
                              {"scale", {{"domain", {0, 1}}, {"scheme", "viridis"}}}}}};
  return chart;
}

// Amplitudes that are numerically 0 keep their row, and a bar of no length.
Chart amplitude_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  const auto has_amplitudes = [](const UnitResult& unit) {
    return !unit.fits.empty() && !unit.fits.front().amplitudes.empty();
  };
  Chart chart;
  Json values = Json::array();
  std::vector<StillChart> panels;
  for (const DatasetSummary& row : summary.datasets)
    for (std::size_t m = 0; m < summary.methods.size(); ++m) {
      const UnitResult* const unit = first_unit(view, row.name, summary.methods[m], has_amplitudes);
      if (unit == nullptr) continue;
      const auto& amplitudes = unit->fits.front().amplitudes;
      std::vector<StillChart::Bar> bars;
      std::vector<std::pair<double, std::string>> ticks;
      Points points;
      Extent y;
      y.add(0);
      for (std::size_t q = 0; q < amplitudes.size(); ++q) {
        const auto& [name, amplitude] = amplitudes[q];
        values.push_back(
            {{"d", row.title}, {"m", summary.methods[m]}, {"c", name}, {"q", q}, {"a", rounded(amplitude)}});
        points.emplace_back(static_cast<double>(q), amplitude);
        bars.push_back({points.back().first, 0, amplitude});
        ticks.emplace_back(points.back().first, name);
        y.add(amplitude);
      }
      if (panels.size() == kMostPanels) continue;
      StillChart still(summary.methods[m], {"Component", 0, points.back().first, false}, y.axis(""), StillSize::panel);
      still.ticks_x(ticks);
      still.bars(bars);
      still.dots(points, m);
      panels.push_back(still);
    }
  if (values.empty()) return chart;
  chart.name = "amplitudes";
  chart.title = "Amplitudes";
  chart.description =
      "Standard deviation under the prior of what each component adds to the function, and of the noise, in the unit "
      "of "
      "the target; their squares add up.";
  chart.svg = still_grid(chart.title, panels, {});
  const Names methods = present(values, "m", summary.methods);
  chart.spec = chart_frame(chart, std::move(values), 300);
  chart.spec["mark"] = {{"type", "bar"}, {"tooltip", true}};
  chart.spec["encoding"] = {{"x",
                             {{"field", "c"},
                              {"type", "nominal"},
                              {"title", "Component"},
                              {"sort", {{"field", "q"}}},
                              {"axis", {{"labelAngle", 0}}}}},
                            {"xOffset", {{"field", "m"}, {"sort", methods}}},
                            {"y", {{"field", "a"}, {"type", "quantitative"}, {"title", "Standard deviation"}}},
                            {"color", method_color(view, chart.spec["data"]["values"])}};
  return chart;
}

}  // namespace alacarte::report_detail
