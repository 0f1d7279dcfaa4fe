// Every registered likelihood: derivatives against differences, tails, and class probabilities against sums over fine
// grids.
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/model/likelihood.hpp"
#include "support/test_name.hpp"

namespace alacarte {
namespace {

class RegisteredLikelihoods : public ::testing::TestWithParam<LikelihoodEntry> {
 protected:
  const Likelihood& likelihood() const { return GetParam().likelihood; }
  bool of_classes() const { return likelihood().target() == TargetKind::classes; }
  Index classes() const { return !of_classes() ? 0 : likelihood().max_classes() > 0 ? likelihood().max_classes() : 4; }
  Index outputs() const { return likelihood().outputs(classes()); }
  Index pairs() const { return pair_count(outputs()); }

  struct Rows {
    Matrix f;
    Vector y, weights;
  };
  Rows rows(double spread) const {
    RandomStream stream(3);
    Rows rows{Matrix(12, outputs()), Vector(12), Vector(12)};
    for (Index i = 0; i < 12; ++i) {
      for (Index k = 0; k < outputs(); ++k) rows.f(i, k) = spread * stream.normal();
      rows.y[i] = static_cast<double>(stream.below(classes() > 0 ? classes() : 6));
      rows.weights[i] = 0.2 + stream.uniform();
    }
    return rows;
  }
  struct All {
    double value;
    Matrix gradient, curvature;
  };
  All all(const Matrix& f, const Rows& rows) const {
    All result{0, Matrix(f.rows(), outputs()), Matrix(f.rows(), pairs())};
    result.value = likelihood().derivatives(f, rows.y, rows.weights, result.gradient, result.curvature);
    EXPECT_EQ(result.value, likelihood().value(f, rows.y, rows.weights));
    return result;
  }
};

TEST_P(RegisteredLikelihoods, DerivativesEqualDifferences) {
  constexpr double kStep = 1e-5;
  for (const double spread : {0.5, 3.0}) {
    const Rows rows = this->rows(spread);
    const All here = all(rows.f, rows);
    RandomStream stream(4);
    Matrix leverages(12, pairs()), slopes(12, outputs());
    for (double& value : leverages.reshaped()) value = stream.normal();
    likelihood().curvature_slopes(rows.f, rows.y, rows.weights, leverages, slopes);
    for (Index i = 0; i < 12; ++i)
      for (Index k = 0; k < outputs(); ++k) {
        Matrix up = rows.f, down = rows.f;
        up(i, k) += kStep;
        down(i, k) -= kStep;
        const All above = all(up, rows), below = all(down, rows);
        EXPECT_NEAR((above.value - below.value) / (2 * kStep), here.gradient(i, k), 1e-6 * (1 + std::abs(here.value)));
        double slope = 0;
        for (Index b = 0; b < outputs(); ++b)
          for (Index a = b; a < outputs(); ++a) {
            const Index at = packed_index(a, b, outputs());
            if (b == k || a == k) {
              const Index other = a == k ? b : a;
              if (!likelihood().has_constant_curvature()) {  // an expectation, tested in parametric.property.cpp
                EXPECT_NEAR(-(above.gradient(i, other) - below.gradient(i, other)) / (2 * kStep), here.curvature(i, at),
                            1e-7 * (1 + std::abs(here.curvature(i, at))));
              }
            }
            slope += (a == b ? 0.5 : 1.0) * leverages(i, at) * (above.curvature(i, at) - below.curvature(i, at)) /
                     (2 * kStep);
          }
        EXPECT_NEAR(slope, slopes(i, k), 1e-6 * (1 + std::abs(slope)));
      }
  }
}

TEST_P(RegisteredLikelihoods, OfSeveralOutputsTheDiagonalAloneIsThatOfTheWhole) {
  if (outputs() == 1) GTEST_SKIP() << "of several outputs";
  const Rows rows = this->rows(2);
  const All whole = all(rows.f, rows);
  Matrix gradient(12, outputs()), diagonal(12, outputs()), leverages = Matrix::Zero(12, pairs()), own(12, outputs());
  EXPECT_EQ(likelihood().derivatives(rows.f, rows.y, rows.weights, gradient, diagonal), whole.value);
  EXPECT_EQ(gradient, whole.gradient);
  RandomStream stream(8);
  for (Index k = 0; k < outputs(); ++k) {
    EXPECT_EQ(diagonal.col(k), whole.curvature.col(packed_index(k, k, outputs())));
    for (Index i = 0; i < 12; ++i) leverages(i, packed_index(k, k, outputs())) = own(i, k) = stream.normal();
  }
  Matrix slopes(12, outputs()), of_diagonal(12, outputs());
  likelihood().curvature_slopes(rows.f, rows.y, rows.weights, leverages, slopes);
  likelihood().curvature_slopes(rows.f, rows.y, rows.weights, own, of_diagonal);
  EXPECT_LT((slopes - of_diagonal).cwiseAbs().maxCoeff(), 1e-15);
  // Expectations are tested, too.
  Matrix covariances = Matrix::Zero(12, pairs()), expected(12, pairs()), expected_diagonal(12, outputs());
  for (Index k = 0; k < outputs(); ++k) covariances.col(packed_index(k, k, outputs())).setConstant(0.7);
  expected_derivatives(likelihood(), rows.f, covariances, rows.y, rows.weights, gradient, expected);
  expected_derivatives(likelihood(), rows.f, covariances, rows.y, rows.weights, slopes, expected_diagonal);
  EXPECT_EQ(gradient, slopes);
  for (Index k = 0; k < outputs(); ++k)
    EXPECT_EQ(expected_diagonal.col(k), expected.col(packed_index(k, k, outputs())));
}

TEST_P(RegisteredLikelihoods, StayFiniteFarOut) {
  if (!of_classes()) GTEST_SKIP() << "the rate of a count grows without bound, and so do squares";
  for (const double far : {-800.0, -60.0, -25.5, -24.5, 24.5, 60.0, 800.0}) {
    Matrix f = Matrix::Zero(2, outputs());
    f.col(0).setConstant(far);
    Rows rows{f, Vector({{0.0, 1.0}}), Vector::Ones(2)};
    const All here = all(f, rows);
    EXPECT_TRUE(std::isfinite(here.value) && here.value <= 0) << far;
    EXPECT_TRUE(here.gradient.allFinite() && here.curvature.allFinite()) << far;
    Matrix slopes(2, outputs());
    likelihood().curvature_slopes(f, rows.y, rows.weights, Matrix::Ones(2, pairs()), slopes);
    EXPECT_TRUE(slopes.allFinite()) << far;
    Matrix covariances = Matrix::Zero(2, pairs());
    for (Index k = 0; k < outputs(); ++k) covariances.col(packed_index(k, k, outputs())).setConstant(4);
    const Matrix p = likelihood().probabilities(f, covariances);
    EXPECT_TRUE(p.allFinite());
    EXPECT_LT((p.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  }
}

TEST_P(RegisteredLikelihoods, ProbabilitiesOfNoVarianceAreTheLikelihood) {
  if (!of_classes()) {
    EXPECT_THROW(likelihood().probabilities(Matrix(1, 1), Matrix()), std::invalid_argument);
    return;
  }
  const Rows rows = this->rows(2);
  const Matrix p = likelihood().probabilities(rows.f, Matrix());
  for (Index i = 0; i < 12; ++i)
    EXPECT_NEAR(std::log(p(i, static_cast<Index>(rows.y[i]))),
                likelihood().value(rows.f.row(i), rows.y.segment(i, 1), Vector::Ones(1)), 1e-12);
}

TEST_P(RegisteredLikelihoods, SaysWhatItIsNotOf) {
  EXPECT_EQ(likelihood().validate_targets(Vector({{0.0, 1.0}})), "");
  const bool numbers = likelihood().target() == TargetKind::numbers;
  EXPECT_EQ(likelihood().validate_targets(Vector({{0.0, -1.0}})).empty(), numbers);
  EXPECT_EQ(likelihood().validate_targets(Vector({{0.5, 1.0}})).empty(), numbers);
  EXPECT_NE(likelihood().validate_targets(Vector({{0.0, std::nan("")}})), "");
}

INSTANTIATE_TEST_SUITE_P(Registered, RegisteredLikelihoods, ::testing::ValuesIn(likelihoods()),
                         [](const auto& info) { return test_name(info.param.name); });

const Likelihood& named(const char* name) { return find_likelihood(name)->likelihood; }

/// Returns E p(1 | f) over a grid of 40000 cells.
double by_grid(const Likelihood& likelihood, double mean, double variance) {
  constexpr int kCells = 40000;
  const double sd = std::sqrt(variance), width = 24 * sd / kCells;
  double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    const double f = mean - 12 * sd + (i + 0.5) * width, z = (f - mean) / sd;
    const double log_p = likelihood.value(Matrix::Constant(1, 1, f), Vector::Ones(1), Vector::Ones(1));
    sum += width * std::exp(-0.5 * z * z + log_p) / (sd * std::sqrt(2 * M_PI));
  }
  return sum;
}

TEST(ClassProbabilities, OfTwoClassesEqualAFineGrid) {
  for (const char* name : {"logit", "probit"})
    for (const double mean : {-9.0, -1.0, 0.0, 0.3, 4.0})
      for (const double variance : {1e-4, 0.5, 0.99, 1.01, 4.0, 100.0, 1e4}) {
        const Matrix p = named(name).probabilities(Matrix::Constant(1, 1, mean), Matrix::Constant(1, 1, variance));
        EXPECT_NEAR(p(0, 1), by_grid(named(name), mean, variance), 1e-8) << name << ' ' << mean << ' ' << variance;
        EXPECT_NEAR(p(0, 0) + p(0, 1), 1, 1e-12);
      }
}

TEST(ClassProbabilities, OfSoftmaxWithTwoClassesAreThoseOfLogit) {
  const Matrix means = (Matrix(3, 2) << 1, -0.5, 0, 3, 2, 2).finished();
  const Matrix covariances = (Matrix(3, 3) << 2, 0.5, 1, 0.3, -0.2, 0.4, 9, 3, 5).finished();  // 00, 10, 11
  const Matrix p = named("softmax").probabilities(means, covariances);
  const Vector difference = means.col(1) - means.col(0);
  const Vector variance = covariances.col(0) + covariances.col(2) - 2 * covariances.col(1);
  const Matrix logit = named("logit").probabilities(difference, variance);
  EXPECT_LT((p - logit).cwiseAbs().maxCoeff(), 2e-3);
}

// 200,000 draws err by 0.001 (four standard errors of a probability of 0.5).
TEST(ClassProbabilities, OfTenClassesEqualManyDraws) {
  constexpr Index kClasses = 10, kDraws = 200000;
  RandomStream stream(5);
  const Vector means = 2 * stream.normals(kClasses);
  Matrix root(kClasses, kClasses);
  for (double& value : root.reshaped()) value = 2 * stream.normal() / std::sqrt(10.0);
  const Matrix covariance = root * root.transpose();
  Matrix packed(1, pair_count(kClasses));
  for (Index b = 0; b < kClasses; ++b)
    for (Index a = b; a < kClasses; ++a) packed(0, packed_index(a, b, kClasses)) = covariance(a, b);
  Vector sum = Vector::Zero(kClasses);
  for (Index i = 0; i < kDraws; ++i) {
    const Vector e = (means + root * stream.normals(kClasses)).array().exp();
    sum += e / e.sum();
  }
  const Matrix p = named("softmax").probabilities(means.transpose(), packed);
  EXPECT_LT((p.transpose() - sum / kDraws).cwiseAbs().maxCoeff(), 0.006);
}

// Every number of classes has its own points; the 256th of Sobol's sequence in 26 dimensions once was infinite.
TEST(ClassProbabilities, OfAnyNumberOfClassesAreFiniteAndEvenWhereNothingIsKnown) {
  for (Index classes = 2; classes <= 60; ++classes) {
    Matrix packed = Matrix::Zero(1, pair_count(classes));
    for (Index k = 0; k < classes; ++k) packed(0, packed_index(k, k, classes)) = 2;
    const Matrix p = named("softmax").probabilities(Matrix::Zero(1, classes), packed);
    EXPECT_LT((p.array() * static_cast<double>(classes) - 1).abs().maxCoeff(), 0.08) << classes;
  }
}

TEST(TargetKinds, AreThoseOfTheLikelihoodOrClassesOfAClassifier) {
  Recipe recipe;
  EXPECT_EQ(target_kind(recipe), TargetKind::numbers);
  EXPECT_TRUE(likelihood_of(recipe).is_conjugate());
  recipe.likelihood = "poisson";
  EXPECT_EQ(target_kind(recipe), TargetKind::counts);
  EXPECT_FALSE(likelihood_of(recipe).is_conjugate());
  recipe.likelihood = "poison";
  EXPECT_THROW(likelihood_of(recipe), ConfigError);
  recipe = {};
  recipe.learner.kind = LearnerKind::svm;
  EXPECT_EQ(target_kind(recipe), TargetKind::classes);
  EXPECT_THROW(likelihood_of(recipe), std::invalid_argument);
}

TEST(ClassValues, OfLinearClassifiersNeedNoVariance) {
  Recipe recipe;
  recipe.learner.kind = LearnerKind::logistic;
  const Matrix one = class_values(recipe, Matrix::Constant(1, 1, 2.0), Matrix(), 2);
  EXPECT_NEAR(one(0, 1), 1 / (1 + std::exp(-2.0)), 1e-15);
  EXPECT_NEAR(one.sum(), 1, 1e-15);
  const Matrix three = class_values(recipe, (Matrix(2, 3) << 1, 0, -1, -900, -900, -900).finished(), Matrix(), 3);
  EXPECT_LT((three.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-15);
  recipe.learner.kind = LearnerKind::svm;
  EXPECT_EQ(class_values(recipe, Matrix::Constant(1, 1, 2.0), Matrix(), 2), (Matrix(1, 2) << -2, 2).finished());
  EXPECT_FALSE(gives_probabilities(recipe));
}

}  // namespace
}  // namespace alacarte
