#pragma once
// A chart as data. One description gives both the interactive Vega-Lite specification and the static SVG.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte {

enum class Mark {
  line,
  points,
  line_and_points,
  error_bars,  ///< vertical, from `low` to `high`
  band,        ///< the area between `low` and `high`
  x_range,     ///< from x = low[0] to x = high[0], over the full height
  reference,   ///< a dashed line, which the legend does not list
  bars,        ///< from 0 to y; the series of a panel stand side by side
  cells,       ///< one square for each x and y, coloured by the first of `details`, which is in [0, 1]
};

/// Vectors hold one entry for each point and are empty where the mark has no use for them. All numbers are finite.
struct Series {
  Mark mark;
  std::string name = {};  ///< in the legend; "" = not listed
  std::vector<double> x = {}, y = {}, low = {}, high = {};
  std::vector<std::string> labels = {};           ///< printed beside the points
  std::vector<std::vector<double>> details = {};  ///< one column for each of Chart::details
};

/// What one setting of the choices shows.
struct Panel {
  std::vector<std::string> choices = {};  ///< one option for each of Chart::choices
  std::vector<Series> series = {};
  std::vector<std::string> x_categories = {}, y_categories = {};  ///< if not empty, x or y are indices into these
  bool in_static_svg = true;                                      ///< false: interactive only
};

struct ChartAxis {
  std::string title;
  double log_base = 0;  ///< 2 or 10; 0 = linear
  bool from_zero = false;
  std::optional<std::pair<double, double>> domain = {};  ///< default: that of the data
};

struct Chart {
  std::string name;                ///< of its files: "accuracy-time"
  std::string title, description;  ///< plain text
  ChartAxis x, y;
  std::vector<std::string> choices = {};  ///< titles of the menus that select a panel: "Data set"
  std::string series_title = {};          ///< of the legend: "Method"
  /// Names of series by colour. If empty, colours follow the order of the series in each panel.
  std::vector<std::string> series = {};
  std::vector<std::string> details = {};  ///< titles of further columns of the tooltips
  std::string static_note = {};           ///< which panels the static SVG shows, if not all
  std::vector<Panel> panels = {};         ///< none: there are no data for this chart
};

/// At most this many panels fit a static SVG.
inline constexpr std::size_t max_static_panels = 12;
/// Those that the static SVG shows.
std::vector<Panel> static_panels(const Chart& chart);

/// Colour of the index-th series, "#rrggbb"; repeats after 20.
const char* series_color(std::size_t index);

/// The text of a Vega-Lite 5 specification, data included. Numbers have six significant digits.
std::string vega_lite(const Chart& chart);

/// A self-contained SVG of the static panels, side by side if there are several. A page may restyle the classes frame,
/// grid, band and rule.
std::string static_svg(const Chart& chart);

std::string xml_escape(const std::string& text);

}  // namespace alacarte
