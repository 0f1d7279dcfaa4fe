// Exposures of counts: a Poisson count y of exposure e equals the rate y / e of weight e, up to a constant of the
// evidence; other likelihoods and arbitrary exposures are checked by differences.
#include <gtest/gtest.h>

#include <cmath>

#include "inference/exact_problem.hpp"
#include "support/cosine_map.hpp"
#include "support/differences.hpp"

namespace alacarte {
namespace {

std::shared_ptr<const MemoryRows> rows_of(const Matrix& x, const Vector& y, const Vector& weights,
                                          const Vector& exposure) {
  Dataset data{x, y, {}, {}, {}};
  data.weights = weights;
  data.offsets = exposure.array().log();
  return std::make_shared<const MemoryRows>(std::move(data));
}

/// Returns whole exposures, so that exposure times a whole rate is a count.
Vector whole_exposures(Index rows) {
  Vector exposure(rows);
  for (Index i = 0; i < rows; ++i) exposure[i] = static_cast<double>(1 + i % 5);
  return exposure;
}

TEST(Exposure, OfPoissonCountsIsAWeightOfRates) {
  ExactProblem problem("poisson");
  const Vector& rates = problem.y;
  const Index n = rates.size();
  const Vector exposure = whole_exposures(n), counts = rates.cwiseProduct(exposure);
  const Vector weights = Vector::LinSpaced(n, 0.5, 2);
  const auto given = make_inference(problem.kernel, rows_of(problem.x, counts, weights, exposure), problem.options);
  const auto weighted = make_inference(
      problem.kernel, rows_of(problem.x, rates, weights.cwiseProduct(exposure), Vector::Ones(n)), problem.options);
  // Sums the terms without f: w (y log e - log y!) and w e (-log r!).
  double constant = 0;
  for (Index i = 0; i < n; ++i)
    constant += weights[i] * (counts[i] * std::log(exposure[i]) - std::lgamma(counts[i] + 1) +
                              exposure[i] * std::lgamma(rates[i] + 1));
  Vector gradient(problem.theta.size()), other(problem.theta.size());
  const double value = given->evaluate(problem.theta, gradient);
  EXPECT_NEAR(value, weighted->evaluate(problem.theta, other) - constant, 1e-8 * (1 + std::abs(value)));
  EXPECT_LT((gradient - other).norm(), 1e-8 * gradient.norm());
  const Index rows = problem.at.rows();
  Matrix means(rows, 1), variances(rows, 1), other_means(rows, 1), other_variances(rows, 1);
  given->posterior(problem.theta)->predict_outputs(problem.at, means, variances);
  weighted->posterior(problem.theta)->predict_outputs(problem.at, other_means, other_variances);
  EXPECT_LT((means - other_means).norm(), 1e-8 * means.norm());
  EXPECT_LT((variances - other_variances).norm(), 1e-8 * variances.norm());
  const LeaveOneOut left = given->leave_one_out(problem.theta), rest = weighted->leave_one_out(problem.theta);
  EXPECT_LT((left.mean - rest.mean).norm(), 1e-7 * left.mean.norm()) << "log rates, without the exposure";
  EXPECT_LT((left.variance - rest.variance).norm(), 1e-7 * left.variance.norm());
}

class ExposureGradients : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Likelihoods, ExposureGradients, testing::Values("poisson", "negative-binomial"),
                         [](const auto& info) {
                           return std::string(info.param) == "poisson" ? "Poisson" : "NegativeBinomial";
                         });

TEST_P(ExposureGradients, EqualDifferences) {
  ExactProblem problem(GetParam());
  RandomStream stream(5);
  const Index n = problem.x.rows();
  const Vector exposure = (1.5 * stream.normals(n)).array().exp(), weights = stream.normals(n).array().exp();
  const auto map = std::make_shared<CosineMap>(2, 6, 3);
  const auto objective = make_inference(map, rows_of(problem.x, problem.y, weights, exposure), problem.options);
  Vector theta = Vector::Constant(objective->parameters().size(), 0.3), gradient(theta.size()), unused(theta.size());
  objective->evaluate(theta, gradient);
  const Vector numeric = central_differences([&](const Vector& at) { return objective->evaluate(at, unused); }, theta);
  EXPECT_LT(worst_relative_error(gradient, numeric), 1e-5);
  problem.options.threads = 3;
  problem.options.chunk_rows = 7;
  const auto other = make_inference(map, rows_of(problem.x, problem.y, weights, exposure), problem.options);
  EXPECT_NEAR(other->evaluate(theta, unused), objective->evaluate(theta, gradient), 1e-9 * n);
  EXPECT_LT((gradient - unused).norm(), 1e-8 * gradient.norm());
}

TEST(Exposure, OfOneChangesNothing) {
  ExactProblem problem("negative-binomial");
  const Index n = problem.x.rows();
  const auto map = std::make_shared<CosineMap>(2, 6, 3);
  const auto plain = make_inference(map, problem.x, problem.y, problem.options);
  const auto ones = make_inference(map, rows_of(problem.x, problem.y, {}, Vector::Ones(n)), problem.options);
  const Vector theta = Vector::Constant(plain->parameters().size(), 0.2);
  Vector gradient(theta.size()), other(theta.size());
  EXPECT_EQ(plain->evaluate(theta, gradient), ones->evaluate(theta, other));
  EXPECT_EQ(gradient, other);
}

}  // namespace
}  // namespace alacarte
