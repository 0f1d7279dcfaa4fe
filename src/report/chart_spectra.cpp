// Charts of learned spectra. Frequencies spread over decades (inputs that are only centred, mixtures of broad and
// narrow parts), so they stand on a logarithmic axis, and the densities are those of the logarithm: areas are
// probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "report/chart_builders.hpp"

namespace alacarte::report_detail {
namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr std::size_t kMaxInputs = 10;
constexpr double kMinRelevance = 1e-4;  // of the largest: others would widen the axis by decades
constexpr double kWindow = 0.05;        // half of it, in log frequency
constexpr double kTolerance = 0.004;    // of the largest density, by which a curve may be off between its points

bool has_spectrum(const RunResult& result) { return !result.fits.empty() && result.fits.front().spectrum != nullptr; }
const Spectrum& spectrum_of(const RunResult& result) { return *result.fits.front().spectrum; }

/// Averages over a window in log x, of the polyline: a hat far narrower than the window would else be a needle that
/// hides all the rest.
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
    // Where a needle enters and leaves the window, its average jumps: a point on both sides of each jump.
    for (const double shift : {-1.04, -0.96, 0.0, 0.96, 1.04}) wanted.push_back(at + shift * kWindow);
  std::sort(wanted.begin(), wanted.end());
  Points result;
  for (const double at : wanted)
    if (result.empty() || at - std::log(result.back().first) > 1e-3)
      result.emplace_back(std::exp(at), (area_below(at + kWindow) - area_below(at - kWindow)) / (2 * kWindow));
  return result;
}

/// Keeps what lies between the ends, both kept already, and is off their chord.
void keep_needed(const Points& points, std::size_t first, std::size_t last, double tolerance, std::vector<bool>& kept) {
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
  kept[at] = true;
  keep_needed(points, first, at, tolerance, kept);
  keep_needed(points, at, last, tolerance, kept);
}

/// The polyline, straight over log x, without the points it does not need: none moves by more than `tolerance` in y.
Points simplified(const Points& points, double tolerance) {
  if (points.size() < 3) return points;
  std::vector<bool> kept(points.size());
  kept.front() = kept.back() = true;
  keep_needed(points, 0, points.size() - 1, tolerance, kept);
  Points result;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i]) result.push_back(points[i]);
  return result;
}

/// Rounded to few significant digits, to keep pages small.
double rounded(double value, int digits) { return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr); }

/// Density of the natural logarithm over the grid, simplified.
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
  const auto begin = first == points.begin() ? first : first - 1, end = last == points.end() ? last : last + 1;
  for (const auto& [at, height] : simplified(Points(begin, end), kTolerance * maximum)) {
    line.x.push_back(rounded(at, 4));
    line.y.push_back(rounded(height, 3));
  }
  return line;
}

/// Inputs by decreasing relevance, limited to what a chart can distinguish.
std::vector<std::size_t> shown_inputs(const RunResult& result) {
  std::vector<double> relevance = result.fits.front().relevance;
  for (double& value : relevance) value = std::isfinite(value) ? value : 0;
  const auto count = static_cast<std::size_t>(spectrum_of(result).input_count());
  const bool known = relevance.size() == count;
  std::vector<std::size_t> inputs(count);
  for (std::size_t j = 0; j < count; ++j) inputs[j] = j;
  if (known)
    std::stable_sort(inputs.begin(), inputs.end(),
                     [&](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
  const double minimum = known ? kMinRelevance * relevance[inputs.front()] : 0;
  std::vector<std::size_t> shown;
  for (const std::size_t j : inputs)
    if (shown.size() < kMaxInputs && (!known || relevance[j] >= minimum)) shown.push_back(j);
  return shown;
}

/// The curves of the inputs, the most relevant first.
std::vector<Series> input_curves(const RunResult& result) {
  std::vector<Series> curves;
  const Spectrum& spectrum = spectrum_of(result);
  for (const std::size_t j : shown_inputs(result)) {
    const auto input = static_cast<Index>(j);
    Series line = curve(input_name(result, j), spectrum.marginal_grid(input),
                        [&](double frequency) { return spectrum.marginal(input, frequency); });
    if (!line.x.empty()) curves.push_back(std::move(line));
  }
  return curves;
}

}  // namespace

Chart radial_chart(const ChartView& view) {
  Chart chart = chart_by_method(view, "spectra-radial", "Learned spectra: lengths of the frequencies");
  chart.description = fmt::format(
      "Density of the length of a frequency in units of the inverse length-scales, per unit of its natural logarithm, "
      "so that areas are probabilities; of {}. Gaussian kernels give the chi law whatever the data, mixtures lengths "
      "around their mean frequencies, PWL its hats (in the space padded to a power of two). Averaged over a tenth of "
      "the frequency, which gives narrow hats a height. {}",
      view.which(),
      view.model ? "Free frequencies are smoothed."
                 : "Kernels whose frequencies are free (FSARD, FSGBARD, SSGPR) have none here.");
  chart.x = {"Frequency length times length-scale", 10};
  chart.y = {"Density of its logarithm", 0, true};
  chart.panels = panels_by_dataset(view, has_spectrum, [](const auto& method, const RunResult& result, Panel& panel) {
    const Spectrum& spectrum = spectrum_of(result);
    Series line = curve(method, spectrum.radial_grid(), [&](double length) { return spectrum.radial(length); });
    if (!line.x.empty()) panel.series.push_back(std::move(line));
  });
  return chart;
}

Chart input_spectrum_chart(const ChartView& view) {
  Chart chart;
  chart.name = "spectra-inputs";
  chart.title = "Learned spectra: frequencies along the inputs";
  chart.description = fmt::format(
      "Density of the absolute frequency along each input, per unit of its natural logarithm (the spectrum is "
      "symmetric; components count by their squared amplitude); of {}. At most the {} most relevant inputs, the most "
      "relevant first. Inputs far to the left vary slowly: they hardly matter.",
      view.which(), kMaxInputs);
  chart.static_note = "the method of least RMSE among those with a spectrum, and colours follow the rank of the input";
  chart.x = {"Frequency (radians per unit of the scaled input)", 10};
  chart.y = {"Density of its logarithm", 0, true};
  chart.choices = {"Data set", view.series_title()};
  chart.series_title = "Input";
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
