// Charts of learned quantities: evidence traces, relevances, and spectra. Frequencies spread over decades (inputs that
// are only centred, mixtures of broad and narrow parts), so their axis is logarithmic, and the densities are those of
// the logarithm: areas are probabilities.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "report/charts.hpp"

namespace alacarte::report_detail {
namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr std::size_t kMaxTracePoints = 60, kMaxInputs = 10;
constexpr double kMinRelevance = 1e-4;  // share of the largest; smaller ones would widen the axis by decades
constexpr double kWindow = 0.05;        // half width in log frequency
constexpr double kTolerance = 0.004;    // error of a curve between its points, as a share of the largest density

/// Returns the first fit of a result, which represents all of them.
const FitRecord& fit_of(const RunResult& result) { return result.fits.front(); }
bool has_spectrum(const RunResult& result) { return !result.fits.empty() && fit_of(result).spectrum != nullptr; }

std::string input_name(const RunResult& result, std::size_t input) {
  return input < result.input_names.size() ? result.input_names[input] : std::to_string(input + 1);
}

/// Returns a chart by method with a panel per data set: `add` draws the first result of each method that has the data.
/// Panels without series are omitted.
Chart chart_of_fits(const ChartView& view, Chart words, const HasData& has_data,
                    const std::function<void(const std::string& method, const RunResult& result, Panel& panel)>& add) {
  Chart chart = chart_by_method(view, std::move(words));
  for (const DatasetSummary& row : view.summary.datasets) {
    Panel panel{{row.title}};
    for (const std::string& method : view.summary.methods)
      if (const RunResult* const result = first_with(has_data, view, row.name, method)) add(method, *result, panel);
    if (!panel.series.empty()) chart.panels.push_back(std::move(panel));
  }
  return chart;
}

/// Adds a row of cells: shares of the largest relevance.
void add_relevance(const std::string& method, const RunResult& result, Panel& panel) {
  const std::vector<double>& relevance = fit_of(result).relevance;
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

/// Averages the polyline over a window in log x: otherwise a peak far narrower than the window would hide the rest.
Points averaged(const Points& points) {
  std::vector<double> place, area;
  for (std::size_t i = 0; i < points.size(); ++i) {
    place.push_back(std::log(points[i].first));
    area.push_back(i == 0 ? 0
                          : area.back() + 0.5 * (points[i].second + points[i - 1].second) * (place[i] - place[i - 1]));
  }
  const auto area_below = [&](double at) {
    const auto above = static_cast<std::size_t>(std::upper_bound(place.begin(), place.end(), at) - place.begin());
    if (above == 0) return 0.0;
    if (above == place.size()) return area.back();
    const double step = at - place[above - 1], width = place[above] - place[above - 1];
    const double left = points[above - 1].second, right = points[above].second;
    return area[above - 1] + step * (left + 0.5 * (right - left) * step / width);
  };
  std::vector<double> wanted;
  for (const double at : place)
    // The average jumps where a needle enters and leaves the window, so each jump gets a point on both sides.
    for (const double shift : {-1.04, -0.96, 0.0, 0.96, 1.04}) wanted.push_back(at + shift * kWindow);
  std::sort(wanted.begin(), wanted.end());
  Points result;
  for (const double at : wanted)
    if (result.empty() || at - std::log(result.back().first) > 1e-3)
      result.emplace_back(std::exp(at), (area_below(at + kWindow) - area_below(at - kWindow)) / (2 * kWindow));
  return result;
}

/// Adds the points of the polyline between its ends that are needed: omitting the others moves it by at most
/// `tolerance` in y, straight over log x.
void add_needed(const Points& points, std::size_t first, std::size_t last, double tolerance, Points& needed) {
  const auto place = [&](std::size_t i) { return std::log(points[i].first); };
  const double from = place(first), slope = (points[last].second - points[first].second) / (place(last) - from);
  double worst = tolerance;
  std::size_t at = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    const double off = std::abs(points[i].second - points[first].second - slope * (place(i) - from));
    if (off > worst) {
      worst = off;
      at = i;
    }
  }
  if (at == first) return;
  add_needed(points, first, at, tolerance, needed);
  needed.push_back(points[at]);
  add_needed(points, at, last, tolerance, needed);
}

/// Rounds to few significant digits, to keep pages small.
double rounded(double value, int digits) { return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr); }

/// Returns the simplified density of the natural logarithm over the grid.
Series curve(const std::string& name, const std::vector<double>& grid, const std::function<double(double)>& density) {
  Points points;
  for (const double at : grid)
    if (const double height = at * density(at); std::isfinite(height)) points.emplace_back(at, height);
  Series line{Mark::line, name};
  if (points.empty()) return line;
  points = averaged(points);
  double maximum = 0;
  for (const auto& [at, height] : points) maximum = std::max(maximum, height);
  const auto tall = [&](const auto& point) { return point.second > kTolerance * maximum; };
  const auto first = std::find_if(points.begin(), points.end(), tall);
  const auto last = std::find_if(points.rbegin(), points.rend(), tall).base();
  if (maximum == 0 || first >= last) return line;
  const Points shown(first == points.begin() ? first : first - 1, last == points.end() ? last : last + 1);
  Points needed = {shown.front()};
  add_needed(shown, 0, shown.size() - 1, kTolerance * maximum, needed);
  needed.push_back(shown.back());
  for (const auto& [at, height] : needed) {
    line.x.push_back(rounded(at, 4));
    line.y.push_back(rounded(height, 3));
  }
  return line;
}

/// Returns the curves of the inputs by decreasing relevance, as many as a chart can distinguish.
std::vector<Series> input_curves(const RunResult& result) {
  const Spectrum& spectrum = *fit_of(result).spectrum;
  const auto count = static_cast<std::size_t>(spectrum.input_count());
  std::vector<double> relevance = fit_of(result).relevance;
  if (relevance.size() != count) relevance.assign(count, 1.0);  // unknown
  for (double& value : relevance) value = std::isfinite(value) ? value : 0;
  std::vector<std::size_t> inputs = order_of(relevance, true);
  const double minimum = kMinRelevance * relevance[inputs.front()];
  std::erase_if(inputs, [&](std::size_t j) { return relevance[j] < minimum; });
  inputs.resize(std::min(inputs.size(), kMaxInputs));
  std::vector<Series> curves;
  for (const std::size_t j : inputs) {
    const auto input = static_cast<Index>(j);
    Series line = curve(input_name(result, j), spectrum.marginal_grid(input),
                        [&](double frequency) { return spectrum.marginal(input, frequency); });
    if (!line.x.empty()) curves.push_back(std::move(line));
  }
  return curves;
}

}  // namespace

Chart trace_chart(const ChartView& view) {
  return chart_of_fits(
      view,
      {.name = "traces",
       .title = "Evidence traces",
       .description = fmt::format(
           "Negative log posterior (evidence and priors) by iteration, of {}. Less is better; values of different "
           "families of kernels compare only roughly.",
           view.which()),
       .x = {"Iteration"},
       .y = {"Negative log posterior"}},
      [](const RunResult& result) { return !result.fits.empty() && !fit_of(result).trace.empty(); },
      [](const std::string& method, const RunResult& result, Panel& panel) {
        const std::vector<double>& trace = fit_of(result).trace;
        Series line{Mark::line, method};
        for (const std::size_t i : spread(trace.size(), kMaxTracePoints))
          if (std::isfinite(trace[i])) {
            line.x.push_back(static_cast<double>(i));
            line.y.push_back(trace[i]);
          }
        if (!line.x.empty()) panel.series.push_back(std::move(line));
      });
}

Chart relevance_chart(const ChartView& view) {
  return chart_of_fits(
      view,
      {.name = "relevances",
       .title = "Relevance of the inputs",
       .description = fmt::format(
           "Root mean square frequency of the learned spectrum along each input as a share of the largest one, of {}. "
           "Kernels with one length-scale for all inputs give 1 throughout.",
           view.which()),
       .x = {"Input"},
       .y = {},
       .details = {"Relevance"}},
      [](const RunResult& result) { return !result.fits.empty() && !fit_of(result).relevance.empty(); }, add_relevance);
}

// Returns the chart of amplitudes; numerically zero ones keep their place, with a bar of length 0.
Chart amplitude_chart(const ChartView& view) {
  Names components;  // components of the largest fit, then the noise
  const auto has_amplitudes = [](const RunResult& r) { return !r.fits.empty() && !fit_of(r).amplitudes.empty(); };
  for (const RunResult& result : view.results.runs)
    if (has_amplitudes(result) && fit_of(result).amplitudes.size() > components.size()) {
      components.clear();
      for (const auto& [name, amplitude] : fit_of(result).amplitudes) components.push_back(name);
    }
  return chart_of_fits(
      view,
      {.name = "amplitudes",
       .title = "Amplitudes",
       .description = "Standard deviation under the prior of what each component adds to the function, and of the "
                      "noise, in the unit of the target; their squares add up.",
       .x = {"Component"},
       .y = {"Standard deviation", 0, true}},
      has_amplitudes, [&](const std::string& method, const RunResult& result, Panel& panel) {
        panel.x_categories = components;
        Series bars{Mark::bars, method};
        for (const auto& [name, amplitude] : fit_of(result).amplitudes) {
          const auto at = std::find(components.begin(), components.end(), name);
          bars.x.push_back(static_cast<double>(at - components.begin()));
          bars.y.push_back(amplitude);
        }
        panel.series.push_back(std::move(bars));
      });
}

Chart radial_chart(const ChartView& view) {
  return chart_of_fits(
      view,
      {.name = "spectra-radial",
       .title = "Learned spectra: lengths of the frequencies",
       .description = fmt::format(
           "Density of the length of a frequency in units of the inverse length-scales, per unit of its natural "
           "logarithm, so that areas are probabilities; of {}. Gaussian kernels give the chi law whatever the data, "
           "mixtures lengths around their mean frequencies, PWL its hats (in the space padded to a power of two). "
           "Averaged over a tenth of the frequency, which gives narrow hats a height. {}",
           view.which(),
           view.model ? "Free frequencies are smoothed."
                      : "Kernels whose frequencies are free (FSARD, FSGBARD, SSGPR) have none here."),
       .x = {"Frequency length times length-scale", 10},
       .y = {"Density of its logarithm", 0, true}},
      has_spectrum, [](const std::string& method, const RunResult& result, Panel& panel) {
        const Spectrum& spectrum = *fit_of(result).spectrum;
        Series line = curve(method, spectrum.radial_grid(), [&](double length) { return spectrum.radial(length); });
        if (!line.x.empty()) panel.series.push_back(std::move(line));
      });
}

Chart input_spectrum_chart(const ChartView& view) {
  Chart chart{
      .name = "spectra-inputs",
      .title = "Learned spectra: frequencies along the inputs",
      .description = fmt::format(
          "Density of the absolute frequency along each input, per unit of its natural logarithm (the spectrum is "
          "symmetric; components count by their squared amplitude); of {}. At most the {} most relevant inputs, the "
          "most relevant first. Inputs far to the left vary slowly: they hardly matter.",
          view.which(), kMaxInputs),
      .x = {"Frequency (radians per unit of the scaled input)", 10},
      .y = {"Density of its logarithm", 0, true},
      .choices = {"Data set", view.series_title()},
      .series_title = "Input",
      .static_note = "the method of least RMSE among those with a spectrum, and colours follow the rank of the input"};
  for (const DatasetSummary& row : view.summary.datasets) {
    std::size_t best = chart.panels.size();
    double minimum = std::numeric_limits<double>::infinity();
    for (const std::string& method : view.summary.methods) {
      const RunResult* const result = first_with(has_spectrum, view, row.name, method);
      if (result == nullptr) continue;
      const FoldSummary* const error = row.find(method, Measure::rmse);
      if (error != nullptr && error->mean < minimum) {
        minimum = error->mean;
        best = chart.panels.size();
      }
      Panel panel{{row.title, method}, input_curves(*result)};
      panel.in_static_svg = view.model;
      if (!panel.series.empty()) chart.panels.push_back(std::move(panel));
    }
    if (best < chart.panels.size()) chart.panels[best].in_static_svg = true;
  }
  return chart;
}

}  // namespace alacarte::report_detail
