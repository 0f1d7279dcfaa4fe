#pragma once
// Small SVG drawings for pages without Vega. They stand alone; a page may restyle the classes frame, grid, band, rule.
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte::experiment_detail {

std::string xml_escape(const std::string& text);

struct Axis {
  std::string title;
  double low = 0, high = 1;  ///< of the data
  bool logarithmic = false;
};

/// A plot with axes; everything added is in data units. Methods have the colour of their index everywhere.
class StillChart {
 public:
  /// Widens axes so that points do not touch the frame. `title` is read out by screen readers.
  StillChart(std::string title, Axis x, Axis y);
  void ticks_x(const std::vector<std::pair<double, std::string>>& ticks);  ///< instead of the numbers
  void ticks_y(const std::vector<std::pair<double, std::string>>& ticks);
  void point(double x, double y, const std::string& label, std::size_t color);
  /// Without a colour: a dashed rule.
  void line(const std::vector<std::pair<double, double>>& points, std::optional<std::size_t> color);
  void band(const std::vector<std::pair<double, double>>& low, const std::vector<std::pair<double, double>>& high);
  void legend(const std::vector<std::string>& names);  ///< by colour index; before the points, which then go unnamed
  std::string text() const;

 private:
  double px(double x) const;
  double py(double y) const;
  std::string axes() const;
  std::string title_, body_;
  Axis x_, y_;
  std::vector<std::pair<double, std::string>> ticks_x_, ticks_y_;
  double legend_height_ = 0;
};

}  // namespace alacarte::experiment_detail
