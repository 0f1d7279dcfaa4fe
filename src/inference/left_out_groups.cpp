#include "inference/left_out_groups.hpp"

#include <algorithm>
#include <limits>

#include "linalg/decompositions.hpp"

namespace alacarte {
namespace {

// Rows of small groups whose blocks are made together, since single ones would read the whole factor for each.
constexpr std::size_t kGroupedRowsAtOnce = 128;

std::vector<Index> places_among(const std::vector<Index>& rows, const std::vector<Index>& all) {
  std::vector<Index> places;
  for (const Index row : rows) places.push_back(std::lower_bound(all.begin(), all.end(), row) - all.begin());
  return places;
}

/// Predicts one group, whose rows are at `places` of a block.
void leave_group_out(const PrecisionBlock& block, const std::vector<Index>& places, const std::vector<Index>& results,
                     LeaveOneOut& left) {
  const SymmetricEigen eigen = symmetric_eigen(block.precision(places, places));
  // Rounding may leave 0 where the other rows say nothing.
  const double least = std::max(std::numeric_limits<double>::min(),
                                std::numeric_limits<double>::epsilon() * eigen.values.cwiseAbs().maxCoeff());
  const Vector inverse = eigen.values.cwiseMax(least).cwiseInverse();
  const Vector along = inverse.cwiseProduct(eigen.vectors.transpose() * block.projected(places));
  left.mean(results, 0) = block.y(places) - eigen.vectors * along;
  left.variance(results, 0) = eigen.vectors.cwiseAbs2() * inverse;
}

}  // namespace

LeaveOneOut leave_groups_out(Inference& inference, ConstVec theta, const std::vector<std::vector<Index>>& groups,
                             Index target) {
  std::vector<Index> all;
  for (const std::vector<Index>& group : groups) all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  const auto count = static_cast<Index>(all.size());
  LeaveOneOut left{Matrix(count, 1), Matrix(count, 1)};
  for (auto first = groups.begin(); first != groups.end();) {
    std::vector<Index> rows;
    auto last = first;
    do rows.insert(rows.end(), last->begin(), last->end());
    while (++last != groups.end() && rows.size() + last->size() <= kGroupedRowsAtOnce);
    std::sort(rows.begin(), rows.end());
    const PrecisionBlock block = inference.precision_block(theta, rows, target);
    for (; first != last; ++first) leave_group_out(block, places_among(*first, rows), places_among(*first, all), left);
  }
  return left;
}

}  // namespace alacarte
