// Derivatives of every registered map along its inputs, against central differences and the map's own adjoint, if any.
#include <gtest/gtest.h>

#include <set>

#include "features/kernel_features.hpp"
#include "features/maps_under_test.hpp"
#include "support/differences.hpp"

namespace alacarte {
namespace {

Matrix tangent_of(const FeatureMap& map, ConstVec theta, ConstMat x, ConstMat x_dot) {
  const auto prepared = map.prepare(theta);
  Matrix psi(x.rows(), map.feature_count()), psi_dot(x.rows(), map.feature_count());
  prepared->forward(x, psi);
  prepared->forward_tangent(x, psi, x_dot, psi_dot);
  return psi_dot;
}

/// Returns extrapolated differences of psi along x_dot, for each row.
Matrix differences_along(const FeatureMap& map, ConstVec theta, ConstMat x, ConstMat x_dot, double step) {
  const auto slope = [&](double h) {
    return Matrix((features(map, theta, x + h * x_dot) - features(map, theta, x - h * x_dot)) / (2 * h));
  };
  return (4 * slope(step / 2) - slope(step)) / 3;
}

TEST(MapTangent, EqualsCentralDifferencesForEveryRegisteredMap) {
  std::set<std::string> without;
  for (const Index d : {1, 3, 8})
    for (const MapCase& c : map_cases(11)) {
      const auto map = make_map(c, d);
      const Vector theta = test_theta(*map);
      const Matrix x = normal_matrix(37, d, 41), x_dot = normal_matrix(37, d, 43);
      if (!map->has_tangent()) {
        without.insert(c.label);
        EXPECT_THROW(tangent_of(*map, theta, x, x_dot), std::invalid_argument) << c.label;
        continue;
      }
      const Matrix analytic = tangent_of(*map, theta, x, x_dot);
      const Matrix numeric = differences_along(*map, theta, x, x_dot, c.waves ? 1e-5 : 1e-3);
      EXPECT_LT((analytic - numeric).cwiseAbs().maxCoeff(), 1e-12 + 1e-6 * numeric.cwiseAbs().maxCoeff())
          << c.label << " d=" << d;
      // A row alone has the same derivative as among others.
      const Matrix lone = tangent_of(*map, theta, x.row(5), x_dot.row(5));
      EXPECT_LT((lone - analytic.row(5)).norm(), 1e-10 * (1 + analytic.row(5).norm())) << c.label << " d=" << d;
    }
  EXPECT_EQ(without, (std::set<std::string>{"gcws", "gcws_full", "sum_sparse"}));
}

// sum(psi_dot * r) = sum(x_bar * x_dot) for the cotangent x_bar of sum(psi * r).
TEST(MapTangent, IsTheAdjointOfTheInputGradient) {
  Index checked = 0;
  for (const MapCase& c : map_cases(11)) {
    const auto map = make_map(c, 3);
    if (!map->has_input_gradient()) continue;
    ++checked;
    const Vector theta = test_theta(*map);
    const auto prepared = map->prepare(theta);
    const Matrix x = normal_matrix(7, 3, 41), x_dot = normal_matrix(7, 3, 45);
    const Matrix r = normal_matrix(7, map->feature_count(), 43);
    Matrix psi(7, map->feature_count()), bar = Matrix::Zero(7, 3);
    prepared->forward(x, psi);
    prepared->add_input_gradient(x, psi, r, bar);
    const double along = tangent_of(*map, theta, x, x_dot).cwiseProduct(r).sum();
    EXPECT_NEAR(along, bar.cwiseProduct(x_dot).sum(), 1e-12 * (1 + std::abs(along))) << c.label;
  }
  EXPECT_GE(checked, 3);
}

// The origin has no direction.
TEST(MapTangent, IsFiniteAtTheOrigin) {
  for (const MapCase& c : map_cases(11)) {
    const auto map = make_map(c, 3);
    if (!map->has_tangent()) continue;
    EXPECT_TRUE(tangent_of(*map, test_theta(*map), Matrix::Zero(2, 3), Matrix::Ones(2, 3)).allFinite()) << c.label;
  }
}

// For an exact kernel on its training rows, the residual adds the variance of the derivative that the features lack.
TEST(MapTangent, FeaturesOfAKernelAndTheirResidualHaveItsVariance) {
  const std::shared_ptr<const Kernel> kernel = find_kernel("exact-rq")->make(example_recipe("exact-rq", 4), 2);
  const auto map = make_kernel_features(kernel, normal_matrix(9, 2, 3));
  RandomStream stream(5);
  const Vector theta = kernel->start(small_statistics(2), 0, stream);
  const Matrix x = normal_matrix(6, 2, 41), x_dot = normal_matrix(6, 2, 43);
  const Matrix psi_dot = tangent_of(*map, theta, x, x_dot);
  Vector variance = psi_dot.rowwise().squaredNorm(), prior(6);
  map->prepare(theta)->add_residual_tangent_variance(x, x_dot, psi_dot, variance);
  kernel->tangent_variance(theta, x, x_dot, prior);
  EXPECT_LT((variance - prior).cwiseAbs().maxCoeff(), 1e-12 * prior.maxCoeff());
}

}  // namespace
}  // namespace alacarte
