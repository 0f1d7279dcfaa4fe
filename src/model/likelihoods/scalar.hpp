#pragma once
// Likelihoods of one output: four numbers a row.
#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"

namespace alacarte {

/// Standard normal distribution function.
inline double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// log p(y | f), g = its derivative in f, W = -dg/df and dW/df.
struct ScalarTerms {
  double value = 0, gradient = 0, curvature = 0, slope = 0;
};

/// `Derived::terms(f, y)` gives ScalarTerms.
template <class Derived>
class ScalarLikelihood : public Likelihood {
 public:
  Index outputs(Index) const final { return 1; }

  double value(ConstMat f, ConstVec y, ConstVec weights) const final {
    check(f, y, weights);
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) sum += weights[i] * Derived::terms(f(i, 0), y[i]).value;
    return sum;
  }

  double derivatives(ConstMat f, ConstVec y, ConstVec weights, MatRef gradient, MatRef curvature) const final {
    check(f, y, weights);
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) {
      const ScalarTerms terms = Derived::terms(f(i, 0), y[i]);
      sum += weights[i] * terms.value;
      gradient(i, 0) = weights[i] * terms.gradient;
      curvature(i, 0) = weights[i] * terms.curvature;
    }
    return sum;
  }

  void curvature_slopes(ConstMat f, ConstVec y, ConstVec weights, ConstMat leverages, MatRef slopes) const final {
    check(f, y, weights);
    for (Index i = 0; i < y.size(); ++i)
      slopes(i, 0) = 0.5 * weights[i] * leverages(i, 0) * Derived::terms(f(i, 0), y[i]).slope;
  }

 private:
  static void check(ConstMat f, ConstVec y, ConstVec weights) {
    require(f.rows() == y.size() && f.cols() == 1 && weights.size() == y.size(), "likelihood: one f for each row");
  }
};

/// Two classes, 0 and 1; `Derived::probability(mean, variance)` is that of class 1.
template <class Derived>
class BinaryLikelihood : public ScalarLikelihood<Derived> {
 public:
  TargetKind target() const final { return TargetKind::classes; }
  Index max_classes() const final { return 2; }
  double start_sd(double) const final { return 2; }

  std::string validate_targets(ConstVec y) const final {
    return (y.array() == 0 || y.array() == 1).all() ? "" : "is of two classes";
  }

  Matrix probabilities(ConstMat means, ConstMat covariances) const final {
    require(means.cols() == 1 && (covariances.size() == 0 || covariances.rows() == means.rows()),
            "probabilities: one mean and variance for each row");
    Matrix values(means.rows(), 2);
    for (Index i = 0; i < means.rows(); ++i) {
      const double variance = covariances.size() == 0 ? 0 : covariances(i, 0);
      values(i, 1) = Derived::probability(means(i, 0), variance);
      values(i, 0) = Derived::probability(-means(i, 0), variance);  // no digits lost where class 1 is all but certain
    }
    return values;
  }
};

}  // namespace alacarte
