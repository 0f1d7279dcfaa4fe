#include "model/likelihoods/gaussian_points.hpp"

#include <Eigen/Cholesky>
#include <boost/math/special_functions/erf.hpp>
#include <boost/random/sobol.hpp>
#include <numbers>

#include "alacarte/model/likelihood.hpp"

namespace alacarte {

Matrix gaussian_points(Index dimensions) {
  constexpr Index kPoints = 256;
  boost::random::sobol sequence(static_cast<std::size_t>(dimensions));
  Matrix points(kPoints, dimensions);
  const double range = static_cast<double>(boost::random::sobol::max()) + 1;
  for (Index i = 0; i < kPoints; ++i)
    for (Index k = 0; k < dimensions; ++k) {
      const double u = i == 0 ? 0 : static_cast<double>(sequence()) / range;
      const double inside = u + 0.5 / static_cast<double>(kPoints);
      points(i, k) = -std::numbers::sqrt2 * boost::math::erfc_inv(2 * inside);
    }
  return points;
}

Matrix covariance_root(ConstMat covariances, Index row, Index outputs) {
  Matrix full(outputs, outputs);
  for (Index b = 0; b < outputs; ++b)
    for (Index a = b; a < outputs; ++a) full(a, b) = full(b, a) = covariances(row, pair_place(a, b, outputs));
  const Eigen::LDLT<Matrix> factor(full);
  Matrix lower = factor.matrixL();
  lower = lower * factor.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal();
  return factor.transpositionsP().transpose() * lower;
}

}  // namespace alacarte
