#pragma once
// Axes of static SVGs: positions and ticks.
#include "chart.hpp"

namespace alacarte::report_detail {

using Ticks = std::vector<std::pair<double, std::string>>;

/// Maps the numbers of an axis to [0, 1].
class Scale {
 public:
  /// Holds all of `numbers` with a margin, or the categories.
  Scale(const ChartAxis& axis, const std::vector<std::string>& categories, std::vector<double> numbers);
  double place(double value) const;
  /// Ticks at round numbers, about `wanted` of them.
  Ticks ticks(int wanted) const;

 private:
  Ticks log_ticks(int wanted) const;
  double base_, low_ = 0, high_ = 1;
};

/// At most max_ticks of the categories, evenly spaced, each shortened to max_letters.
Ticks category_ticks(const std::vector<std::string>& categories, std::size_t max_ticks, std::size_t max_letters);

/// The text cut to max_letters characters (UTF-8), the last of them an ellipsis if any are left out.
std::string shortened(const std::string& text, std::size_t max_letters);

}  // namespace alacarte::report_detail
