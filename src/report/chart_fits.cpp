// Charts of how fits went and of what they found relevant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_builders.hpp"

namespace alacarte::report_detail {
namespace {

constexpr std::size_t kMaxTracePoints = 60;

bool has_trace(const RunResult& result) { return !result.fits.empty() && !result.fits.front().trace.empty(); }
bool has_relevance(const RunResult& result) { return !result.fits.empty() && !result.fits.front().relevance.empty(); }
bool has_amplitudes(const RunResult& result) { return !result.fits.empty() && !result.fits.front().amplitudes.empty(); }

/// A row of cells, as shares of the largest relevance.
void add_relevance(const std::string& method, const RunResult& result, Panel& panel) {
  const std::vector<double>& relevance = result.fits.front().relevance;
  double maximum = 0;
  for (const double value : relevance)
    if (std::isfinite(value)) maximum = std::max(maximum, value);
  Series cells{Mark::cells};
  cells.details.resize(1);
  for (std::size_t j = 0; j < relevance.size(); ++j) {
    if (j >= panel.x_categories.size()) panel.x_categories.push_back(input_name(result, j));
    if (maximum == 0 || !std::isfinite(relevance[j])) continue;
    cells.x.push_back(static_cast<double>(j));
    cells.y.push_back(static_cast<double>(panel.y_categories.size()));
    cells.details.front().push_back(relevance[j] / maximum);
  }
  if (cells.x.empty()) return;
  panel.y_categories.push_back(method);
  panel.series.push_back(std::move(cells));
}

}  // namespace

Chart trace_chart(const ChartView& view) {
  Chart chart = chart_by_method(view, "traces", "Evidence traces");
  chart.description = fmt::format(
      "Negative log posterior (evidence and priors) by iteration, of {}. Less is better; values of different families "
      "of kernels compare only roughly.",
      view.which());
  chart.x.title = "Iteration";
  chart.y.title = "Negative log posterior";
  chart.panels = panels_by_dataset(view, has_trace, [](const auto& method, const RunResult& result, Panel& panel) {
    const std::vector<double>& trace = result.fits.front().trace;
    Series line{Mark::line, method};
    for (const std::size_t i : spread(trace.size(), kMaxTracePoints))
      if (std::isfinite(trace[i])) {
        line.x.push_back(static_cast<double>(i));
        line.y.push_back(trace[i]);
      }
    if (!line.x.empty()) panel.series.push_back(std::move(line));
  });
  return chart;
}

Chart relevance_chart(const ChartView& view) {
  Chart chart = chart_by_method(view, "relevances", "Relevance of the inputs");
  chart.description = fmt::format(
      "Root mean square frequency of the learned spectrum along each input as a share of the largest one, of {}. "
      "Kernels with one length-scale for all inputs give 1 throughout.",
      view.which());
  chart.x.title = "Input";
  chart.details = {"Relevance"};
  chart.panels = panels_by_dataset(view, has_relevance, add_relevance);
  return chart;
}

// Amplitudes that are numerically 0 keep their place, and a bar of no length.
Chart amplitude_chart(const ChartView& view) {
  Chart chart = chart_by_method(view, "amplitudes", "Amplitudes");
  chart.description =
      "Standard deviation under the prior of what each component adds to the function, and of the noise, in the unit "
      "of the target; their squares add up.";
  chart.x.title = "Component";
  chart.y = {"Standard deviation", 0, true};
  Names components;  // of the largest fit, and the noise behind them
  for (const RunResult& result : view.results.runs)
    if (has_amplitudes(result) && result.fits.front().amplitudes.size() > components.size()) {
      components.clear();
      for (const auto& [name, amplitude] : result.fits.front().amplitudes) components.push_back(name);
    }
  chart.panels = panels_by_dataset(view, has_amplitudes, [&](const auto& method, const RunResult& result, Panel& p) {
    p.x_categories = components;
    Series bars{Mark::bars, method};
    for (const auto& [name, amplitude] : result.fits.front().amplitudes) {
      const auto at = std::find(components.begin(), components.end(), name);
      bars.x.push_back(static_cast<double>(at - components.begin()));
      bars.y.push_back(amplitude);
    }
    p.series.push_back(std::move(bars));
  });
  return chart;
}

}  // namespace alacarte::report_detail
