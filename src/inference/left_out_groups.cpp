#include "inference/left_out_groups.hpp"

#include <algorithm>
#include <limits>

#include "linalg/decompositions.hpp"

namespace alacarte {

LeaveOneOut leave_groups_out(Inference& inference, ConstVec theta, const std::vector<std::vector<Index>>& groups,
                             Index target) {
  std::vector<Index> all;
  for (const std::vector<Index>& group : groups) all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  const auto count = static_cast<Index>(all.size());
  LeaveOneOut left{Matrix(count, 1), Matrix(count, 1)};
  for (const std::vector<Index>& group : groups) {
    const PrecisionBlock block = inference.precision_block(theta, group, target);
    const SymmetricEigen eigen = symmetric_eigen(block.precision);
    // Rounding may leave 0 where the other rows say nothing.
    const double least = std::max(std::numeric_limits<double>::min(),
                                  std::numeric_limits<double>::epsilon() * eigen.values.cwiseAbs().maxCoeff());
    const Vector inverse = eigen.values.cwiseMax(least).cwiseInverse();
    const Vector along = inverse.cwiseProduct(eigen.vectors.transpose() * block.projected);
    const Vector means = block.y - eigen.vectors * along, variances = eigen.vectors.cwiseAbs2() * inverse;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Index place = std::lower_bound(all.begin(), all.end(), group[i]) - all.begin();
      left.mean(place, 0) = means[static_cast<Index>(i)];
      left.variance(place, 0) = variances[static_cast<Index>(i)];
    }
  }
  return left;
}

}  // namespace alacarte
