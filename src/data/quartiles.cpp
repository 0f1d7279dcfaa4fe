#include "data/quartiles.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "core/ranks.hpp"

namespace alacarte {

namespace {

/// Maps finite doubles to integers in the same order, and back.
std::int64_t rank_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double double_of(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

/// Returns the value at `place` of all ranks' sorted values: the smallest with more than `place` values up to it.
double value_at(const std::vector<double>& own, double place) {
  std::int64_t low = rank_of(-std::numeric_limits<double>::max()), high = rank_of(std::numeric_limits<double>::max());
  while (low < high) {
    const std::int64_t middle =
        low + static_cast<std::int64_t>((static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) / 2);
    const double value = double_of(middle);
    const auto below = std::count_if(own.begin(), own.end(), [&](double one) { return one <= value; });
    if (ranks::sum(static_cast<double>(below)) > place)
      high = middle;
    else
      low = middle + 1;
  }
  return double_of(low);
}

}  // namespace

QuartileScale quartile_scale(const RowSource& rows) {
  std::vector<double> targets;
  targets.reserve(static_cast<std::size_t>(rows.own_rows()));
  for_each_block(rows, [&](const RowBlock& block) { targets.insert(targets.end(), block.y.begin(), block.y.end()); });
  if (rows.rows() == 0) return {};
  const auto at = [&](double share) {
    if (rows.is_distributed()) return value_at(targets, std::floor(share * static_cast<double>(rows.rows() - 1)));
    const auto place = targets.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(targets.size() - 1));
    std::nth_element(targets.begin(), place, targets.end());
    return *place;
  };
  constexpr double kQuartileDistance = 1.3489795003921634;  // quartile distance of N(0, 1)
  const double low = at(0.25), median = at(0.5), high = at(0.75);
  const double sd = (high - low) / kQuartileDistance;
  return {median, sd > 0 ? sd : target_moments(rows).sd};
}

}  // namespace alacarte
