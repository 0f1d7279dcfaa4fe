// Charts of learned spectra. Frequencies spread over decades (inputs that are only centred, mixtures of broad and
// narrow parts), so they stand on a logarithmic axis, and the densities are those of the logarithm: areas are
// probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/chart_parts.hpp"

namespace alacarte::report_detail {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostInputs = 10;
constexpr double kLeastRelevance = 1e-4;  // of the largest: others would widen the axis by decades
constexpr double kWindow = 0.05;          // half of it, in log frequency
constexpr double kTolerance = 0.004;      // of the largest density, by which a curve may be off between its points

bool has_spectrum(const UnitResult& unit) { return !unit.fits.empty() && unit.fits.front().spectrum != nullptr; }
const Spectrum& spectrum_of(const UnitResult& unit) { return *unit.fits.front().spectrum; }

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

/// Density of the natural logarithm over the grid, without the points that nobody would miss.
Points curve(const std::vector<double>& grid, const std::function<double(double)>& density) {
  Points points;
  for (const double at : grid)
    if (const double height = at * density(at); std::isfinite(height)) points.emplace_back(at, height);
  if (points.empty()) return {};
  points = averaged(points);
  double most = 0;
  for (const auto& [at, height] : points) most = std::max(most, height);
  const auto tall = [&](const auto& point) { return point.second > kTolerance * most; };
  const auto first = std::find_if(points.begin(), points.end(), tall);
  const auto last = std::find_if(points.rbegin(), points.rend(), tall).base();
  if (most == 0 || first >= last) return {};
  const auto begin = first == points.begin() ? first : first - 1, end = last == points.end() ? last : last + 1;
  return simplified(Points(begin, end), kTolerance * most, true);
}

Points radial_curve(const UnitResult& unit) {
  const Spectrum& spectrum = spectrum_of(unit);
  return curve(spectrum.radial_grid(), [&](double length) { return spectrum.radial(length); });
}

/// Inputs by falling relevance, as many as a chart can tell apart.
std::vector<std::size_t> shown_inputs(const UnitResult& unit) {
  std::vector<double> relevance = unit.fits.front().relevance;
  for (double& value : relevance) value = std::isfinite(value) ? value : 0;
  const auto count = static_cast<std::size_t>(spectrum_of(unit).input_count());
  const bool known = relevance.size() == count;
  std::vector<std::size_t> inputs(count);
  for (std::size_t j = 0; j < count; ++j) inputs[j] = j;
  if (known)
    std::stable_sort(inputs.begin(), inputs.end(),
                     [&](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
  const double least = known ? kLeastRelevance * relevance[inputs.front()] : 0;
  std::vector<std::size_t> shown;
  for (const std::size_t j : inputs)
    if (shown.size() < kMostInputs && (!known || relevance[j] >= least)) shown.push_back(j);
  return shown;
}

struct InputCurve {
  std::string name;
  Points points;
};

std::vector<InputCurve> input_curves(const UnitResult& unit) {
  std::vector<InputCurve> curves;
  for (const std::size_t j : shown_inputs(unit)) {
    const Spectrum& spectrum = spectrum_of(unit);
    const auto input = static_cast<Index>(j);
    Points points =
        curve(spectrum.marginal_grid(input), [&](double frequency) { return spectrum.marginal(input, frequency); });
    if (!points.empty())
      curves.push_back({j < unit.input_names.size() ? unit.input_names[j] : std::to_string(j + 1), std::move(points)});
  }
  return curves;
}

/// A row of the data: a whole curve, which the chart takes apart.
Json curve_row(const std::string& dataset, const std::string& method, const Points& points) {
  Json row = {{"d", dataset}, {"m", method}, {"x", Json::array()}, {"y", Json::array()}};
  for (const auto& [x, y] : points) {
    row["x"].push_back(rounded(x, 4));
    row["y"].push_back(rounded(y, 3));
  }
  return row;
}

Json flattened(const std::string& filter) { return {{{"filter", filter}}, {{"flatten", {"x", "y"}}}}; }

Json curve_encoding(const std::string& x_title, Json color) {
  return {{"x",
           {{"field", "x"},
            {"type", "quantitative"},
            {"title", x_title},
            {"scale", {{"type", "log"}, {"nice", false}}},
            {"axis", {{"format", "~g"}}}}},
          {"y", {{"field", "y"}, {"type", "quantitative"}, {"title", "Density of its logarithm"}}},
          {"color", std::move(color)}};
}

Axis density_axis(const Extent& extent, const std::string& title) {
  Axis axis = extent.axis(title);
  axis.low = 0;
  return axis;
}

const char* const kRadialTitle = "Length of the frequency times length-scale";
const char* const kInputTitle = "Frequency (radians per unit of the scaled input)";

/// The method whose spectrum a still panel shows: of those that have one, that of least error, or the first.
const std::string* method_of_panel(const ChartView& view, const DatasetSummary& row) {
  const std::string* best = nullptr;
  double least = 0;
  for (const std::string& method : view.summary.methods) {
    if (first_unit(view, row.name, method, has_spectrum) == nullptr) continue;
    const FoldSummary* const error = row.find(method, Measure::rmse);
    if (best != nullptr && (error == nullptr || error->mean >= least)) continue;
    best = &method;
    least = error == nullptr ? 1e308 : error->mean;
  }
  return best;
}

}  // namespace

Chart radial_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  Chart chart;
  Json values = Json::array();
  const std::vector<StillChart> panels = line_panels(
      view, has_spectrum, radial_curve,
      [&](const DatasetSummary& row, const std::string& method, const Points& points) {
        values.push_back(curve_row(row.title, method, points));
      },
      [&](const std::string& title, const StillLines& lines) {
        return lines.panel(title, lines.x.axis("Length times scale", true), density_axis(lines.y, ""),
                           view.panel_size());
      });
  if (values.empty()) return chart;
  const Names datasets = present(values, "d", titles(summary));
  chart.name = "spectra-radial";
  chart.title = "Learned spectra: lengths of the frequencies";
  chart.description = fmt::format(
      "Density of the length of a frequency in units of the inverse length-scales, per unit of its natural logarithm, "
      "so that areas are probabilities; of {}. Gaussian kernels give the chi law whatever the data, mixtures lengths "
      "around their mean frequencies, PWL its hats (in the space padded to a power of two). Averaged over a tenth of "
      "the frequency, which gives "
      "narrow hats a height. {}{}",
      view.which(),
      view.model ? "Free frequencies are smoothed."
                 : "Kernels whose frequencies are free (FSARD, FSGBARD, SSGPR) have none here.",
      still_note(panels.size(), datasets.size()));
  chart.svg = still_grid(chart.title, panels, colored(present(values, "m", summary.methods), summary.methods));
  chart.spec = chart_frame(chart, std::move(values), 320);
  chart.spec["params"] = {choice("dataset", "Data set", datasets)};
  chart.spec["transform"] = flattened("datum.d === dataset");
  chart.spec["mark"] = {{"type", "line"}, {"tooltip", true}};
  chart.spec["encoding"] = curve_encoding(kRadialTitle, method_color(view, chart.spec["data"]["values"]));
  return chart;
}

namespace {

/// One panel for each data set, by the method of least error; of a model one for each fit.
std::vector<StillChart> input_panels(const ChartView& view) {
  std::vector<StillChart> panels;
  const auto add = [&](const DatasetSummary& row, const std::string& method, const std::string& title) {
    const UnitResult* const unit = first_unit(view, row.name, method, has_spectrum);
    if (unit == nullptr || panels.size() == kMostPanels) return;
    StillLines lines;
    for (const InputCurve& c : input_curves(*unit)) lines.add(lines.lines.size(), c.points);
    if (!lines.x.empty())
      panels.push_back(
          lines.panel(title, lines.x.axis("Frequency", true), density_axis(lines.y, ""), StillSize::panel));
  };
  for (const DatasetSummary& row : view.summary.datasets) {
    if (view.model) {
      for (const std::string& method : view.summary.methods) add(row, method, method);
    } else if (const std::string* const method = method_of_panel(view, row)) {
      add(row, *method, row.title + ", " + *method);
    }
  }
  return panels;
}

Names ranks() {
  Names names;
  for (std::size_t k = 1; k <= kMostInputs; ++k) names.push_back(std::to_string(k));
  return names;
}

}  // namespace

Chart input_spectrum_chart(const ChartView& view) {
  const Summary& summary = view.summary;
  Chart chart;
  Json values = Json::array();
  for (const DatasetSummary& row : summary.datasets)
    for (const std::string& method : summary.methods) {
      const UnitResult* const unit = first_unit(view, row.name, method, has_spectrum);
      if (unit == nullptr) continue;
      std::size_t rank = 0;
      for (const InputCurve& c : input_curves(*unit)) {
        values.push_back(curve_row(row.title, method, c.points));
        values.back()["n"] = c.name;
        values.back()["k"] = ++rank;
      }
    }
  if (values.empty()) return chart;
  const Names datasets = present(values, "d", titles(summary)), methods = present(values, "m", summary.methods);
  const std::vector<StillChart> panels = input_panels(view);
  chart.name = "spectra-inputs";
  chart.title = "Learned spectra: frequencies along the inputs";
  chart.description = fmt::format(
      "Density of the absolute frequency along each input, per unit of its natural logarithm (the spectrum is "
      "symmetric; "
      "components count by their squared amplitude); of {}. At most the {} most relevant inputs, the most relevant "
      "first. Inputs far to the left vary slowly: they hardly matter. Where charts stand still, {}colours follow the "
      "rank of the input.{}",
      view.which(), kMostInputs,
      view.model ? "" : "each panel shows the method of least RMSE among those with a spectrum, and ",
      still_note(panels.size(), datasets.size()));
  NamesByColor legend;
  for (const std::string& rank : ranks()) legend.emplace_back("relevance rank " + rank, legend.size());
  chart.svg = still_grid(chart.title, panels, legend);
  chart.spec = chart_frame(chart, std::move(values), 340);
  chart.spec["params"] = {choice("dataset", "Data set", datasets), choice("method", view.series(), methods)};
  chart.spec["transform"] = flattened("datum.d === dataset && datum.m === method");
  chart.spec["mark"] = {{"type", "line"}, {"tooltip", true}};
  chart.spec["encoding"] = curve_encoding(kInputTitle, {{"field", "n"},
                                                        {"type", "nominal"},
                                                        {"title", "Input"},
                                                        {"sort", {{"field", "k"}}},
                                                        {"legend", {{"orient", "bottom"}, {"columns", 5}}}});
  return chart;
}

}  // namespace alacarte::report_detail
