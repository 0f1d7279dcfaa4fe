#include "data/quartiles.hpp"

#include <algorithm>

namespace alacarte {

QuartileScale quartile_scale(const RowSource& rows) {
  std::vector<double> targets;
  targets.reserve(static_cast<std::size_t>(rows.rows()));
  for_each_block(rows, [&](const RowBlock& block) { targets.insert(targets.end(), block.y.begin(), block.y.end()); });
  if (targets.empty()) return {};
  const auto at = [&](double share) {
    const auto place = targets.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(targets.size() - 1));
    std::nth_element(targets.begin(), place, targets.end());
    return *place;
  };
  constexpr double kQuartileDistance = 1.3489795003921634;  // of a standard normal variable
  const double low = at(0.25), median = at(0.5), high = at(0.75);
  const double sd = (high - low) / kQuartileDistance;
  return {median, sd > 0 ? sd : target_moments(rows).sd};
}

}  // namespace alacarte
