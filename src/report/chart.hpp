#pragma once
// Charts as data. One description gives both the interactive Vega-Lite specification and the static SVG.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte {

enum class Mark {
  line,
  points,
  line_and_points,
  error_bars,  ///< vertical lines from `low` to `high`
  band,        ///< the area between `low` and `high`
  x_range,     ///< from x = low[0] to x = high[0], over the full height
  reference,   ///< a dashed line without a legend entry
  bars,        ///< from 0 to y; the series of a panel are side by side
  cells,       ///< one square per x and y, coloured by the first of `details`, in [0, 1]
};

/// Vectors hold one entry per point and are empty if the mark does not use them. All numbers are finite.
struct Series {
  Mark mark;
  std::string name = {};  ///< legend entry; "" = not listed
  std::vector<double> x = {}, y = {}, low = {}, high = {};
  std::vector<std::string> labels = {};           ///< printed beside the points
  std::vector<std::vector<double>> details = {};  ///< one column per entry of Chart::details
};

/// Contents of the chart for one setting of the choices.
struct Panel {
  std::vector<std::string> choices = {};  ///< one option per entry of Chart::choices
  std::vector<Series> series = {};
  std::vector<std::string> x_categories = {}, y_categories = {};  ///< if not empty, x or y are indices into these
  bool in_static_svg = true;                                      ///< false: interactive chart only
};

struct ChartAxis {
  std::string title;
  double log_base = 0;  ///< 2 or 10; 0 = linear
  bool from_zero = false;
  std::optional<std::pair<double, double>> domain = {};  ///< default: range of the data
};

struct Chart {
  std::string name;                ///< stem of its file names: "accuracy-time"
  std::string title, description;  ///< plain text
  ChartAxis x, y;
  std::vector<std::string> choices = {};  ///< titles of the menus that select a panel: "Data set"
  std::string series_title = {};          ///< title of the legend: "Method"
  /// Names of series by colour. If empty, colours follow the order of the series in each panel.
  std::vector<std::string> series = {};
  std::vector<std::string> details = {};  ///< titles of further columns of the tooltips
  std::string static_note = {};           ///< panels that the static SVG shows, if not all
  std::vector<Panel> panels = {};         ///< empty: there are no data for this chart
};

/// Maximum number of panels in a static SVG.
inline constexpr std::size_t max_static_panels = 12;
/// Returns the panels of the static SVG.
std::vector<Panel> static_panels(const Chart& chart);

/// Returns the colour of the index-th series, "#rrggbb"; repeats after 20.
const char* series_colour(std::size_t index);

/// Returns a Vega-Lite 5 specification with its data. Numbers have six significant digits.
std::string vega_lite(const Chart& chart);

/// Returns a self-contained SVG of the static panels, side by side if there are several. A page may restyle the classes
/// frame, grid, band and rule.
std::string static_svg(const Chart& chart);

std::string xml_escape(const std::string& text);

}  // namespace alacarte
