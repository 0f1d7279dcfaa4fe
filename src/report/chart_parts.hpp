#pragma once
// Charts, one function each; a chart without a title says that there is no data for it.
#include <functional>

#include "alacarte/report/charts.hpp"
#include "report/still_chart.hpp"

namespace alacarte::report_detail {

using Names = std::vector<std::string>;

/// What the charts are drawn of: an experiment, or one model, whose fits stand where methods do.
struct ChartView {
  const ResultSet& results;
  const Summary& summary;
  bool model = false;
  const char* series() const { return model ? "Fit" : "Method"; }
  /// Panels that stand alone on a model's page have its width.
  StillSize panel_size() const { return model ? StillSize::wide : StillSize::panel; }
  /// "Densities ..., of <which>."
  const char* which() const { return model ? "each fit" : "the first fit of each method on its first fold"; }
};

/// A Vega-Lite document with title, description and data; the width is that of the page.
nlohmann::json chart_frame(const Chart& chart, nlohmann::json values, int height);
/// Colour by the field "m", the same for a method in every chart; the legend has those that the values name.
nlohmann::json method_color(const ChartView& view, const nlohmann::json& values);
/// A choice below the chart, which transforms may use as a variable; of one option: that, and nothing to choose.
nlohmann::json choice(const std::string& name, const std::string& label, const Names& options);
nlohmann::json only(const std::string& expression);  ///< a filter
/// Six significant digits, or as many as given: charts need no more, and pages stay small.
double rounded(double value, int digits = 6);

/// Between which shares of so many rows 95 of 100 samples lie, where each row is a hit with probability `share`.
std::pair<double, double> binomial_band(double share, double rows);

/// Done units of a data set and method by fold, and the first of them that will do (null: none).
std::vector<const UnitResult*> units_of(const ChartView& view, const std::string& dataset, const std::string& method);
const UnitResult* first_unit(const ChartView& view, const std::string& dataset, const std::string& method,
                             const std::function<bool(const UnitResult&)>& will_do);

/// Titles of the data sets, and those of `all` that rows of a table of values name under the key, in that order.
Names titles(const Summary& summary);
Names present(const nlohmann::json& values, const char* key, const Names& all);
/// `wanted` of `size` indices, evenly; the first and the last among them.
std::vector<std::size_t> spread(std::size_t size, std::size_t wanted);

/// A still chart has a panel for each of the first data sets that have what it shows.
inline constexpr std::size_t kMostPanels = 12;
/// "Still, the first 12 of 18 data sets." or nothing when all are shown.
std::string still_note(std::size_t shown, std::size_t all);
/// One panel's worth of lines, by colour, and the panel; `names` collects what the legend needs.
struct StillLines {
  std::vector<std::pair<std::size_t, Points>> lines;
  Extent x, y;
  void add(std::size_t color, const Points& points);
  StillChart panel(const std::string& title, Axis x_axis, Axis y_axis, StillSize size) const;
};
/// A line for each method of each data set, of the first unit that `will_do`. `each` gets what is drawn; `panel` makes
/// the panels, of the first data sets.
std::vector<StillChart> line_panels(
    const ChartView& view, const std::function<bool(const UnitResult&)>& will_do,
    const std::function<Points(const UnitResult&)>& curve,
    const std::function<void(const DatasetSummary&, const std::string& method, const Points&)>& each,
    const std::function<StillChart(const std::string& title, const StillLines&)>& panel);
/// Methods by the index of their colour.
NamesByColor colored(const Names& shown, const Names& all);

/// RMSE of a reference over that of the method, against the same of `cost`: geometric means over data sets.
Chart accuracy_chart(const ChartView& view, Measure cost);
Chart rank_chart(const Ranking& ranking);
/// RMSE against m, a line for each Q.
Chart count_chart(const ChartView& view);
Chart calibration_chart(const ChartView& view);
Chart prediction_chart(const ChartView& view);
Chart trace_chart(const ChartView& view);
Chart relevance_chart(const ChartView& view);
Chart amplitude_chart(const ChartView& view);
/// Of lengths of frequencies, by method; and of the frequencies along inputs, by input.
Chart radial_chart(const ChartView& view);
Chart input_spectrum_chart(const ChartView& view);

}  // namespace alacarte::report_detail
