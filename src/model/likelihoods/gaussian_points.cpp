#include "model/likelihoods/gaussian_points.hpp"

#include "alacarte/model/likelihood.hpp"
#include "core/sobol.hpp"
#include "core/special_functions.hpp"
#include "linalg/decompositions.hpp"

namespace alacarte {

Matrix gaussian_points(Index dimensions) {
  constexpr Index kPoints = 256;
  const std::vector<std::uint64_t> sequence = sobol_points(kPoints - 1, dimensions);
  Matrix points(kPoints, dimensions);
  for (Index i = 0; i < kPoints; ++i)
    for (Index k = 0; k < dimensions; ++k) {
      const double u =
          i == 0 ? 0 : static_cast<double>(sequence[static_cast<std::size_t>((i - 1) * dimensions + k)]) * 0x1p-64;
      points(i, k) = normal_quantile(u + 0.5 / static_cast<double>(kPoints));
    }
  return points;
}

Matrix unpacked(ConstMat pairs, Index row, Index outputs) {
  Matrix full(outputs, outputs);
  for (Index b = 0; b < outputs; ++b)
    for (Index a = b; a < outputs; ++a) full(a, b) = full(b, a) = pairs(row, packed_index(a, b, outputs));
  return full;
}

Matrix covariance_root(ConstMat covariances, Index row, Index outputs) {
  return square_root_factor(unpacked(covariances, row, outputs));
}

}  // namespace alacarte
