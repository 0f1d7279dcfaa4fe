// p(k | f) = exp(f_k) / sum_l exp(f_l), one function for each class (Rasmussen & Williams 2006, section 3.5).
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "linalg/dense.hpp"
#include "linalg/softmax.hpp"
#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/gaussian_points.hpp"

namespace alacarte {
namespace {

/// Computes p (K), the softmax of a row of f, by plain loops: predictions have version 0.1's bits on every processor.
void softmax_of(ConstMat f, Index row, Vector& p) {
  double maximum = f(row, 0), sum = 0;
  for (Index k = 1; k < p.size(); ++k) maximum = std::max(maximum, f(row, k));
  for (Index k = 0; k < p.size(); ++k) sum += p[k] = std::exp(f(row, k) - maximum);
  p /= sum;
}

class Softmax final : public Likelihood {
 public:
  TargetKind target() const override { return TargetKind::classes; }
  Index outputs(Index classes) const override { return classes; }

  double value(ConstMat f, ConstVec y, ConstVec weights) const override {
    Matrix p(f.rows(), f.cols());
    return weighted_value(f, y, weights, p);
  }

  double derivatives(ConstMat f, ConstVec y, ConstVec weights, MatRef gradient, MatRef curvature) const override {
    require(f.rows() == y.size() && weights.size() == y.size(), "likelihood: one row of f for each row");
    const Index outputs = f.cols();
    Matrix p(f.rows(), outputs);
    const double value = weighted_value(f, y, weights, p);
    gradient = -(weights.asDiagonal() * p);
    for (Index i = 0; i < f.rows(); ++i) gradient(i, own(y[i])) += weights[i];
    if (curvature.size() == 0) return value;
    const bool whole = curvature.cols() > outputs;
    for (Index b = 0, at = 0; b < outputs; ++b) {
      const Vector weighted = weights.cwiseProduct(p.col(b));
      curvature.col(at++) = weighted.array() * (1 - p.col(b).array());
      for (Index a = b + 1; whole && a < outputs; ++a) curvature.col(at++) = -weighted.cwiseProduct(p.col(a));
    }
    return value;
  }

  // W = diag(p) - p p^T and dp_a = p_a (df_a - p^T df), so with u = diag(C) - 2 C p: slopes = p (u - p^T u) / 2.
  void curvature_slopes(ConstMat f, ConstVec, ConstVec weights, ConstMat leverages, MatRef slopes) const override {
    const Index outputs = f.cols();
    Matrix all(f.rows(), outputs);
    Vector log_sums(f.rows()), p(outputs), u(outputs);
    softmax_rows(f, all, log_sums);
    for (Index i = 0; i < f.rows(); ++i) {
      p = all.row(i).transpose();
      u.setZero();
      if (leverages.cols() == outputs)
        u = leverages.row(i).transpose().array() * (1 - 2 * p.array());
      else
        for (Index b = 0, at = 0; b < outputs; ++b)
          for (Index a = b; a < outputs; ++a, ++at) {
            const double c = leverages(i, at);
            u[a] -= 2 * c * p[b];
            if (a == b)
              u[a] += c;
            else
              u[b] -= 2 * c * p[a];
          }
      slopes.row(i) = (0.5 * weights[i] * p.array() * (u.array() - p.dot(u))).matrix().transpose();
    }
  }

  double start(double) const override { return 0; }
  double start_sd(double) const override { return 2; }
  std::string validate_targets(ConstVec y) const override {
    return (y.array() >= 0).all() && (y.array() == y.array().floor()).all() ? "" : "is of classes";
  }

  Matrix probabilities(ConstMat means, ConstMat covariances) const override {
    const Index outputs = means.cols();
    Matrix values(means.rows(), outputs);
    const Matrix points = covariances.size() == 0 ? Matrix(1, outputs) : gaussian_points(outputs);
    Matrix steps(points.rows(), outputs);
    Vector p(outputs);
    for (Index i = 0; i < means.rows(); ++i) {
      if (covariances.size() == 0) {
        softmax_of(means, i, p);
        values.row(i) = p.transpose();
        continue;
      }
      gemm(1.0, points, Op::none, covariance_root(covariances, i, outputs), Op::transpose, 0.0, steps);
      Vector sum = Vector::Zero(outputs);
      for (const double sign : {1.0, -1.0}) {
        const Matrix f = (sign * steps).rowwise() + means.row(i);
        for (Index k = 0; k < f.rows(); ++k) {
          softmax_of(f, k, p);
          sum += p;
        }
      }
      values.row(i) = (sum / sum.sum()).transpose();
    }
    return values;
  }

 private:
  /// Leaves the probabilities in p (rows, K).
  static double weighted_value(ConstMat f, ConstVec y, ConstVec weights, Matrix& p) {
    Vector log_sums(f.rows());
    softmax_rows(f, p, log_sums);
    double sum = 0;
    for (Index i = 0; i < f.rows(); ++i) sum += weights[i] * (f(i, own(y[i])) - log_sums[i]);
    return sum;
  }
  static Index own(double y) { return static_cast<Index>(y); }
};

}  // namespace

const Likelihood& softmax_likelihood() {
  static const Softmax likelihood;
  return likelihood;
}

}  // namespace alacarte
