// The evidence of class indicators: its value by dense algebra, its gradient by central differences.
#include "inference/label_evidence.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <numbers>

#include "alacarte/model/likelihood.hpp"
#include "alacarte/optimise/gradient_checker.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

/// -log N(y_k; 0, gram + s^2 I) summed over centred indicators of mean variance 1, times (K-1)/K.
double dense_value(const Matrix& gram, const Vector& y, Index classes, double variance) {
  const Index n = y.size();
  Matrix indicators = Matrix::Zero(n, classes);
  for (Index i = 0; i < n; ++i) indicators(i, static_cast<Index>(y[i])) = 1;
  indicators.rowwise() -= indicators.colwise().mean().eval();
  indicators /= std::sqrt(indicators.squaredNorm() / static_cast<double>(n * classes));
  const Matrix a = gram + variance * Matrix::Identity(n, n);
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(a);
  const double fit = indicators.cwiseProduct(a.ldlt().solve(indicators)).sum();
  const double k = static_cast<double>(classes);
  const double all = k * spectrum.eigenvalues().array().log().sum() + fit +
                     static_cast<double>(n) * k * std::log(2 * std::numbers::pi);
  return 0.5 * (k - 1) / k * all;
}

struct LabelProblem {
  Matrix x;
  Vector y;
  TrainingStatistics statistics;
  explicit LabelProblem(Index n) : x(normal_matrix(n, 3, 5)), y(class_target(*find_likelihood("softmax"), x, 6)) {
    RandomStream stream(7);
    statistics = training_statistics(x, y, stream);
    statistics.target_sd = 1;
  }
};

Vector somewhere(const Objective& objective, const Vector& start) {
  RandomStream stream(9);
  Vector theta(objective.parameters().size());
  theta << start, std::log(0.4);
  for (const Index at : objective.parameters().trainable_entries()) theta[at] += 0.1 * stream.normal();
  return theta;
}

TEST(LabelEvidence, OfAKernelIsThatOfTheIndicators) {
  const LabelProblem problem(50);
  for (const char* name : {"exact-ard", "exact-matern", "exact-rq"}) {
    const std::shared_ptr<const Kernel> kernel = find_kernel(name)->make(example_recipe(name, 1), 3);
    const auto evidence = make_label_evidence(kernel, MemoryRows::view(problem.x, problem.y), 3, 1);
    RandomStream stream(3);
    const Vector theta = somewhere(*evidence, kernel->start(problem.statistics, 0, stream));
    const Index own = kernel->parameters().size();
    Matrix gram(50, 50);
    kernel->gram(theta.head(own), problem.x, problem.x, gram);
    Vector gradient(theta.size());
    const double expected = dense_value(gram, problem.y, 3, std::exp(2 * theta[own]));
    EXPECT_NEAR(evidence->evaluate(theta, gradient), expected, 1e-9 * std::abs(expected)) << name;
    EXPECT_LT(check_gradient(*evidence, theta, 16).worst(), 1e-6) << name;
  }
}

// More features than rows, and fewer; a chunk and many.
TEST(LabelEvidence, OfAMapIsThatOfTheIndicators) {
  for (const Index n : {20, 700}) {
    const LabelProblem problem(n);
    for (const char* name : {"ssgpr", "ard", "gm"}) {
      const Recipe recipe = example_recipe(name, 16);
      const std::shared_ptr<const FeatureMap> map =
          find_feature_map(name)->make(recipe, 3, RandomStreams(2), problem.statistics);
      const auto evidence = make_label_evidence(map, MemoryRows::view(problem.x, problem.y), 3, 2);
      RandomStream stream(3);
      const Vector theta = somewhere(*evidence, map->start(problem.statistics, 0, stream));
      const Index own = map->parameters().size();
      Matrix psi(n, map->feature_count());
      map->prepare(theta.head(own))->forward(problem.x, psi);
      Vector gradient(theta.size());
      const double expected = dense_value(psi * psi.transpose(), problem.y, 3, std::exp(2 * theta[own]));
      EXPECT_NEAR(evidence->evaluate(theta, gradient), expected, 1e-9 * std::abs(expected)) << name;
      EXPECT_LT(check_gradient(*evidence, theta, 16).worst(), 1e-6) << name << " of " << n << " rows";
    }
  }
}

TEST(LabelEvidence, RefusesTargetsThatAreNoClasses) {
  const LabelProblem problem(20);
  const std::shared_ptr<const Kernel> kernel = find_kernel("exact-ard")->make(example_recipe("exact-ard", 1), 3);
  const auto rows = MemoryRows::view(problem.x, problem.y);
  EXPECT_THROW(make_label_evidence(kernel, rows, 2, 1), std::invalid_argument);
  EXPECT_THROW(make_label_evidence(kernel, rows, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
