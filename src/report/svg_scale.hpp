#pragma once
// Axes of static SVGs: positions and ticks.
#include "chart.hpp"

namespace alacarte::report_detail {

using Ticks = std::vector<std::pair<double, std::string>>;

/// Maps the numbers of an axis to [0, 1].
class Scale {
 public:
  /// Fits the scale to all of `numbers` with a margin, or to the categories.
  Scale(const ChartAxis& axis, const std::vector<std::string>& categories, std::vector<double> numbers);
  double place(double value) const;
  /// Returns about `wanted` ticks at round numbers.
  Ticks ticks(int wanted) const;

 private:
  Ticks log_ticks(int wanted) const;
  double base_, low_ = 0, high_ = 1;
};

/// Returns at most max_ticks of the categories, evenly spaced, each shortened to max_letters.
Ticks category_ticks(const std::vector<std::string>& categories, std::size_t max_ticks, std::size_t max_letters);

/// Truncates the text to max_letters characters (UTF-8), the last an ellipsis if any are omitted.
std::string shortened(const std::string& text, std::size_t max_letters);

}  // namespace alacarte::report_detail
