// Laplace's approximation for exact kernels against the algorithms of Rasmussen & Williams 2006, chapter 3, on the n x
// n Gram matrix with Eigen's factorisations.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "inference/exact_problem.hpp"

namespace alacarte {
namespace {

// Relative tolerance: the features add 1e-12 to the Gram matrix's diagonal, which changes means by up to its root.
constexpr double kTolerance = 2e-7;

/// Holds log p(y | f) of one row, its slope and W, for y = -1 or 1.
struct LogLikelihood {
  double value, slope, curvature;
};

LogLikelihood log_likelihood_of(const std::string& likelihood, double y, double f) {
  if (likelihood == "logit") {
    const double p = 1 / (1 + std::exp(-f));  // 3.14 and 3.15
    return {-std::log1p(std::exp(-y * f)), (y + 1) / 2 - p, p * (1 - p)};
  }
  const double cdf = 0.5 * std::erfc(-y * f / std::sqrt(2.0));  // 3.16
  const double ratio = std::exp(-0.5 * f * f) / std::sqrt(2 * M_PI) / cdf;
  return {std::log(cdf), y * ratio, ratio * ratio + y * f * ratio};
}

/// Algorithms 3.1 and 3.2.
struct BinaryLaplace {
  Vector f, slope, root;  // root = W^1/2
  Matrix factor;          // factor of I + W^1/2 K W^1/2
  double log_evidence = 0;

  BinaryLaplace(const std::string& likelihood, const Matrix& gram, const Vector& classes) {
    const Index n = classes.size();
    f = slope = root = Vector::Zero(n);
    Vector a = Vector::Zero(n);
    for (int step = 0; step < 60; ++step) {
      log_evidence = 0;
      for (Index i = 0; i < n; ++i) {
        const LogLikelihood row = log_likelihood_of(likelihood, 2 * classes[i] - 1, f[i]);
        slope[i] = row.slope;
        root[i] = std::sqrt(row.curvature);
        log_evidence += row.value;
      }
      Matrix b = root.asDiagonal() * gram * root.asDiagonal();
      b.diagonal().array() += 1;
      factor = b.llt().matrixL();
      log_evidence -= 0.5 * a.dot(f) + factor.diagonal().array().log().sum();
      const Vector right = root.array().square() * f.array() + slope.array();
      Vector inner = gram * right;
      inner.array() *= root.array();
      factor.triangularView<Eigen::Lower>().solveInPlace(inner);
      factor.transpose().triangularView<Eigen::Upper>().solveInPlace(inner);
      a = right - root.asDiagonal() * inner;
      f = gram * a;
    }
  }
  double mean(const Vector& cross) const { return cross.dot(slope); }
  double variance(const Vector& cross, double prior) const {
    Vector v = root.asDiagonal() * cross;
    factor.triangularView<Eigen::Lower>().solveInPlace(v);
    return prior - v.squaredNorm();
  }
};

class BinaryExact : public ::testing::TestWithParam<std::string> {};

TEST_P(BinaryExact, IsAlgorithms31And32) {
  for (const MeanKind mean : {MeanKind::zero, MeanKind::constant})
    for (const Index n : {30, 90}) {
      const ExactProblem problem(GetParam(), n, mean);
      const BinaryLaplace dense(GetParam(), problem.gram(problem.x, problem.x), problem.y);
      EXPECT_NEAR(problem.value(), -dense.log_evidence, kTolerance * std::abs(dense.log_evidence));
      EXPECT_EQ(problem.inference()->plan().form, EvaluationForm::laplace);
      const auto posterior = problem.inference()->posterior(problem.theta);
      const Matrix cross = problem.gram(problem.x, problem.at);
      const Vector prior = problem.diagonal(problem.at);
      Vector means(problem.at.rows()), variances(problem.at.rows());
      function_of(*posterior).predict(problem.at, means, variances);
      for (Index i = 0; i < problem.at.rows(); ++i) {
        EXPECT_NEAR(means[i], dense.mean(cross.col(i)), kTolerance * std::sqrt(prior[i]));
        EXPECT_NEAR(variances[i], dense.variance(cross.col(i), prior[i]), kTolerance * prior[i]);
      }
    }
}

// The cavity variance satisfies 1/v_i = 1/C_ii - W_ii with C = (K^-1 + W)^-1.
TEST_P(BinaryExact, LeavesOneOut) {
  const ExactProblem problem(GetParam());
  const Matrix gram = problem.gram(problem.x, problem.x);
  const BinaryLaplace dense(GetParam(), gram, problem.y);
  const LeaveOneOut left = problem.inference()->leave_one_out(problem.theta);
  for (Index i = 0; i < problem.x.rows(); ++i) {
    const double covariance = dense.variance(gram.col(i), gram(i, i));
    const double variance = 1 / (1 / covariance - dense.root[i] * dense.root[i]);
    EXPECT_NEAR(left.variance(i, 0), variance, 10 * kTolerance * gram(i, i));
    EXPECT_NEAR(left.mean(i, 0), dense.f[i] - variance * dense.slope[i], 10 * kTolerance * std::sqrt(gram(i, i)));
  }
}

INSTANTIATE_TEST_SUITE_P(TwoClasses, BinaryExact, ::testing::Values("logit", "probit"),
                         [](const auto& info) { return info.param; });

/// Equations 3.38 to 3.44 with full K, W and Pi; f (n C), class by class.
struct SoftmaxLaplace {
  Matrix prior, curvature;  // (n C, n C)
  Vector f;
  double log_evidence = 0;

  SoftmaxLaplace(const Matrix& gram, const Vector& y, Index classes) {
    const Index n = y.size(), all = n * classes;
    prior = Matrix::Zero(all, all);
    for (Index k = 0; k < classes; ++k) prior.block(k * n, k * n, n, n) = gram;
    f = Vector::Zero(all);
    Vector a = Vector::Zero(all), residual(all);
    for (int step = 0; step < 40; ++step) {
      const double log_likelihood = derivatives(y, classes, residual);
      const Matrix b = Matrix::Identity(all, all) + curvature * prior;
      const Eigen::PartialPivLU<Matrix> lu(b);
      log_evidence = log_likelihood - 0.5 * a.dot(f) - 0.5 * lu.matrixLU().diagonal().array().abs().log().sum();
      a = lu.solve(curvature * f + residual);
      f = prior * a;
    }
  }
  double derivatives(const Vector& y, Index classes, Vector& residual) {
    const Index n = y.size();
    curvature = Matrix::Zero(f.size(), f.size());
    double value = 0;
    for (Index i = 0; i < n; ++i) {
      Vector p(classes);
      for (Index k = 0; k < classes; ++k) p[k] = std::exp(f[k * n + i]);
      value += f[static_cast<Index>(y[i]) * n + i] - std::log(p.sum());
      p /= p.sum();
      for (Index k = 0; k < classes; ++k) {
        residual[k * n + i] = (k == static_cast<Index>(y[i]) ? 1 : 0) - p[k];
        for (Index l = 0; l < classes; ++l) curvature(k * n + i, l * n + i) = (k == l ? p[k] : 0) - p[k] * p[l];
      }
    }
    return value;
  }
  /// Returns the covariance (C, C) of the outputs at one x. cross (n).
  Matrix covariance(const Vector& cross, double at_itself, Index classes) const {
    const Index n = cross.size();
    Matrix q = Matrix::Zero(n * classes, classes);
    for (Index k = 0; k < classes; ++k) q.block(k * n, k, n, 1) = cross;
    const Matrix b = Matrix::Identity(prior.rows(), prior.rows()) + prior * curvature;
    return at_itself * Matrix::Identity(classes, classes) - q.transpose() * curvature * b.partialPivLu().solve(q);
  }
};

TEST(SoftmaxExact, IsEquation344) {
  for (const Index n : {30, 70}) {
    const ExactProblem problem("softmax", n);
    const SoftmaxLaplace dense(problem.gram(problem.x, problem.x), problem.y, 3);
    EXPECT_NEAR(problem.value(), -dense.log_evidence, kTolerance * std::abs(dense.log_evidence));
    const auto posterior = problem.inference()->posterior(problem.theta);
    Matrix f(n, 3), none, means(problem.at.rows(), 3), covariances(problem.at.rows(), 6);
    posterior->predict_outputs(problem.x, f, none);
    EXPECT_LT((f.reshaped() - dense.f).cwiseAbs().maxCoeff(), kTolerance);
    posterior->predict_outputs(problem.at, means, covariances);
    const Matrix cross = problem.gram(problem.x, problem.at);
    const Vector prior = problem.diagonal(problem.at);
    for (Index i = 0; i < problem.at.rows(); ++i) {
      const Matrix wanted = dense.covariance(cross.col(i), prior[i], 3);
      for (Index b = 0; b < 3; ++b)
        for (Index a = b; a < 3; ++a)
          EXPECT_NEAR(covariances(i, packed_index(a, b, 3)), wanted(a, b), kTolerance * prior[i]);
    }
  }
}

TEST(SoftmaxExact, MayTakeTheBound) {
  ExactProblem problem("softmax");
  const double joint = problem.value();
  const auto whole = problem.inference()->posterior(problem.theta);
  problem.options.max_joint_features = 1;
  EXPECT_EQ(problem.inference()->plan().form, EvaluationForm::laplace_bound);
  EXPECT_GE(problem.value(), joint - 1e-9 * std::abs(joint));
  const auto blocks = problem.inference()->posterior(problem.theta);
  Matrix means(25, 3), others(25, 3), none, covariances(25, 6);
  whole->predict_outputs(problem.at, means, none);
  blocks->predict_outputs(problem.at, others, covariances);
  EXPECT_LT((means - others).cwiseAbs().maxCoeff(), 1e-6);
  // Far from all rows only the prior remains, without the mean of the outputs.
  const Matrix far = Matrix::Constant(1, 2, 1e3);
  Matrix mean(1, 3), covariance(1, 6);
  blocks->predict_outputs(far, mean, covariance);
  const double own = problem.diagonal(far)[0] - problem.constant();
  EXPECT_GT(covariance(0, 0), own * 2 / 3);
  EXPECT_LT(covariance(0, 0), problem.diagonal(far)[0]);
}

}  // namespace
}  // namespace alacarte
