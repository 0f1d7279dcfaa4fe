#pragma once
// Bases of likelihoods of one output: a few numbers a row.
#include <alacarte/core/error.hpp>
#include <alacarte/model/likelihood.hpp>

namespace alacarte {

/// Values of one row: log p(y | f), its derivative g by f, W = -dg/df or the expectation of that, and dW/df.
struct RowTerms {
  double value = 0, gradient = 0, curvature = 0, slope = 0;
};
/// Derivatives of value, gradient and curvature by one parameter.
struct RowSlopes {
  double value = 0, gradient = 0, curvature = 0;
};

/// `Derived` has `RowTerms terms(f, y)`.
template <class Derived>
class ScalarLikelihood : public Likelihood {
 public:
  Index outputs(Index) const final { return 1; }

  double value(ConstMat f, ConstVec y, ConstVec weights) const final {
    check(f, y, weights);
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) sum += weights[i] * derived().terms(f(i, 0), y[i]).value;
    return sum;
  }

  double derivatives(ConstMat f, ConstVec y, ConstVec weights, MatRef gradient, MatRef curvature) const final {
    check(f, y, weights);
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) {
      const RowTerms terms = derived().terms(f(i, 0), y[i]);
      sum += weights[i] * terms.value;
      gradient(i, 0) = weights[i] * terms.gradient;
      if (curvature.size() > 0) curvature(i, 0) = weights[i] * terms.curvature;
    }
    return sum;
  }

  void curvature_slopes(ConstMat f, ConstVec y, ConstVec weights, ConstMat leverages, MatRef slopes) const final {
    check(f, y, weights);
    for (Index i = 0; i < y.size(); ++i)
      slopes(i, 0) = 0.5 * weights[i] * leverages(i, 0) * derived().terms(f(i, 0), y[i]).slope;
  }

 protected:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  static void check(ConstMat f, ConstVec y, ConstVec weights) {
    require(f.rows() == y.size() && f.cols() == 1 && weights.size() == y.size(), "likelihood: one f for each row");
  }
};

/// With parameters of its own: `Derived` has `kParameters` and `void slopes(f, y, RowSlopes[kParameters])` as well.
template <class Derived>
class ParametricLikelihood : public ScalarLikelihood<Derived> {
 public:
  void parameter_slopes(ConstMat f, ConstVec y, ConstVec weights, ConstMat leverages, ConstMat moved,
                        VecRef bar) const final {
    this->check(f, y, weights);
    require(bar.size() == Derived::kParameters, "likelihood: one slope for each parameter");
    RowSlopes own[Derived::kParameters];
    for (Index i = 0; i < y.size(); ++i) {
      this->derived().slopes(f(i, 0), y[i], own);
      for (Index k = 0; k < Derived::kParameters; ++k) {
        if (leverages.size() > 0) bar[k] += weights[i] * (0.5 * leverages(i, 0) * own[k].curvature - own[k].value);
        if (moved.size() > 0) bar[k] += weights[i] * moved(i, 0) * own[k].gradient;
      }
    }
  }
};

}  // namespace alacarte
