#pragma once
// Small SVG drawings for pages without Vega. They stand alone; a page may restyle the classes frame, grid, band, rule.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte::report_detail {

std::string xml_escape(const std::string& text);
/// At most so many characters (UTF-8), the last of them an ellipsis where some are left out.
std::string shortened(const std::string& text, std::size_t most);

using Points = std::vector<std::pair<double, double>>;
using NamesByColor = std::vector<std::pair<std::string, std::size_t>>;  ///< with the index of their colour

struct Axis {
  std::string title;
  double low = 0, high = 1;  ///< of the data
  bool logarithmic = false;
};

/// A chart of its own, or a part of a grid with its title above: one panel of three in a row, or as wide as the row.
enum class StillSize { whole, panel, wide };

/// A plot with axes; everything added is in data units. Methods have the colour of their index everywhere.
class StillChart {
 public:
  /// Widens axes so that points do not touch the frame. `title` is read out by screen readers.
  StillChart(std::string title, Axis x, Axis y, StillSize size = StillSize::whole);
  void ticks_x(const std::vector<std::pair<double, std::string>>& ticks);  ///< instead of the numbers
  void ticks_y(const std::vector<std::pair<double, std::string>>& ticks);
  void point(double x, double y, const std::string& label, std::size_t color);
  /// Many small points without names, in few bytes.
  void dots(const Points& points, std::size_t color);
  /// Vertical lines from low to high, in few bytes.
  struct Bar {
    double x, low, high;
  };
  void bars(const std::vector<Bar>& bars);
  /// Without a colour: a dashed rule.
  void line(const Points& points, std::optional<std::size_t> color);
  void band(const Points& low, const Points& high);
  /// Unit squares around the points, the darker the larger their value in [0, 1].
  struct Cell {
    double x, y, value;
  };
  void cells(const std::vector<Cell>& cells);
  void legend(const NamesByColor& names);  ///< before the points, which then go unnamed
  std::string text() const;
  /// As a part of another drawing, its upper left corner at (left, top).
  std::string nested(double left, double top) const;
  double width() const;
  double height() const;

 private:
  struct Layout;
  static const Layout& layout_of(StillSize size);
  double px(double x) const;
  double py(double y) const;
  double free_line(double left, double bottom) const;
  std::string axes() const;
  const Layout* layout_;
  std::string title_, body_;
  std::vector<std::pair<double, double>> names_;  // where names of points stand, left and bottom
  Axis x_, y_;
  std::vector<std::pair<double, std::string>> ticks_x_, ticks_y_;
  double legend_height_ = 0;
};

/// Panels, all of one size, in rows as many as fit, and below them one legend: names with the index of their colour.
std::string still_grid(const std::string& title, const std::vector<StillChart>& panels, const NamesByColor& legend);

/// The axis that holds all the numbers given to it.
class Extent {
 public:
  void add(double value);
  bool empty() const { return low_ > high_; }
  Axis axis(std::string title, bool logarithmic = false) const { return {std::move(title), low_, high_, logarithmic}; }

 private:
  double low_ = 1e308, high_ = -1e308;
};

/// The polyline without the points it does not need: none moves by more than `tolerance` in y. x increases; with
/// `logarithmic` lines are straight over log x.
Points simplified(const Points& points, double tolerance, bool logarithmic);

}  // namespace alacarte::report_detail
