#include <gtest/gtest.h>

#include <cmath>

#include "inference/inference.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

// Compares 4 means and 10 covariances of 4000 draws at 4 rows with predict() and covariance(), each within five
// standard errors (14 comparisons of a Gaussian statistic: a false alarm in about 1e5 seeds; the seed is fixed).
void expect_moments(const FunctionPosterior& posterior, const Matrix& test, std::uint64_t seed) {
  constexpr Index kDraws = 4000;
  const Index rows = test.rows();
  Vector mean(rows), none(0);
  posterior.predict(test, mean, none);
  const Matrix covariance = posterior.covariance(test);
  RandomStream stream(seed);
  Matrix draws = posterior.draws(test, kDraws, stream);
  draws.colwise() -= mean;
  const Vector average = draws.rowwise().mean();
  const Matrix sample = draws * draws.transpose() / static_cast<double>(kDraws);
  for (Index i = 0; i < rows; ++i) {
    EXPECT_LT(std::abs(average[i]), 5 * std::sqrt(covariance(i, i) / kDraws));
    for (Index j = 0; j <= i; ++j) {
      const double error = std::sqrt((covariance(i, i) * covariance(j, j) + std::pow(covariance(i, j), 2)) / kDraws);
      EXPECT_LT(std::abs(sample(i, j) - covariance(i, j)), 5 * error);
    }
  }
}

TEST(Draws, HaveThePosteriorMomentsInEveryForm) {
  const Matrix x = normal_matrix(16, 2, 61), test = 1.5 * normal_matrix(4, 2, 62);
  const Vector y = smooth_target(x, 63);
  const auto map = std::make_shared<CosineMap>(2, 6, 64);
  const std::shared_ptr<Kernel> kernel = find_kernel("exact-rbf")->make({}, 2);
  for (const MeanKind mean : {MeanKind::zero, MeanKind::constant}) {
    InferenceOptions options;
    options.mean = mean;
    Vector theta = Vector::Zero(map->parameters().size() + 1);
    theta[theta.size() - 1] = -0.7;
    options.form = EvidenceForm::primal;
    expect_moments(function_of(*make_inference(map, x, y, options)->posterior(theta)), test, 1);
    options.form = EvidenceForm::dual;
    expect_moments(function_of(*make_inference(map, x, y, options)->posterior(theta)), test, 2);
    Vector exact = Vector::Zero(3);
    exact[2] = -0.7;
    expect_moments(function_of(*make_inference(kernel, x, y, options)->posterior(exact)), test, 3);
  }
}

}  // namespace
}  // namespace alacarte
