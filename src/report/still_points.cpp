// What still charts do with points before they draw them.
#include <algorithm>
#include <cmath>

#include "report/still_chart.hpp"

namespace alacarte::report_detail {

void Extent::add(double value) {
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

namespace {

/// Keeps what lies between the ends, both kept already, and is off their chord.
void keep_needed(const Points& points, std::size_t first, std::size_t last, double tolerance, bool logarithmic,
                 std::vector<bool>& kept) {
  const auto place = [&](std::size_t i) { return logarithmic ? std::log(points[i].first) : points[i].first; };
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
  keep_needed(points, first, at, tolerance, logarithmic, kept);
  keep_needed(points, at, last, tolerance, logarithmic, kept);
}

}  // namespace

Points simplified(const Points& points, double tolerance, bool logarithmic) {
  if (points.size() < 3) return points;
  std::vector<bool> kept(points.size());
  kept.front() = kept.back() = true;
  keep_needed(points, 0, points.size() - 1, tolerance, logarithmic, kept);
  Points result;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i]) result.push_back(points[i]);
  return result;
}

}  // namespace alacarte::report_detail
