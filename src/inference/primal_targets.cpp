#include "inference/primal_targets.hpp"

#include "linalg/dense.hpp"

namespace alacarte {

void TargetSums::reset(Index features, Index targets) {
  first.reset(features);
  target.setZero(features, targets - 1);
  target_sum.setZero(targets - 1);
  target_square.setZero(targets - 1);
}

void TargetSums::add(ConstMat psi, ConstMat y) {
  first.add(psi, y.col(0));
  if (target.cols() == 0) return;
  const auto more = y.rightCols(target.cols());
  gemm(1.0, psi, Op::transpose, more, Op::none, 1.0, target);
  target_sum += Vector(more.colwise().sum().transpose());
  target_square += more.colwise().squaredNorm().transpose();
}

void TargetSums::add(MatRef psi, MatRef y, ConstVec roots) {
  first.add(psi, y.col(0), roots);
  if (target.cols() == 0) return;
  auto more = y.rightCols(target.cols());
  more.array().colwise() *= roots.array();
  gemm(1.0, psi, Op::transpose, more, Op::none, 1.0, target);
  target_sum += Vector(more.transpose() * roots);
  target_square += more.colwise().squaredNorm().transpose();
}

TargetSums& TargetSums::operator+=(const TargetSums& other) {
  first += other.first;
  target += other.target;
  target_sum += other.target_sum;
  target_square += other.target_square;
  return *this;
}

PrimalSums TargetSums::of(Index t) const {
  PrimalSums sums = first;
  if (t == 0) return sums;
  sums.target = target.col(t - 1);
  sums.target_sum = target_sum[t - 1];
  sums.target_square = target_square[t - 1];
  return sums;
}

void PrimalTargets::factor(TargetSums& sums, ConstVec noise_variances) {
  inverted_ = false;
  for (Index t = 1; t < count(); ++t) {
    PrimalSums own = sums.of(t);
    gaussians_[static_cast<std::size_t>(t)].factor(own, noise_variances[t], false);
  }
  gaussians_.front().factor(sums.first, noise_variances[0], false);  // last, as it overwrites the sums
}

void PrimalTargets::invert() {
  if (inverted_) return;
  explicit_ = true;
  for (PrimalGaussian& gaussian : gaussians_) {
    gaussian.invert();
    explicit_ = explicit_ && gaussian.explicit_inverse();
  }
  if (count() > 1) {
    const Index features = of(0).weights().size();
    slopes_.resize(features, count());
    inverse_.setZero(features, features);
    centre_.setZero(features);
    for (Index t = 0; t < count() && explicit_; ++t) {
      slopes_.col(t) = of(t).weights() / of(t).noise_variance();
      inverse_ += of(t).scaled_inverse();
      centre_ += of(t).scaled_centre();
    }
  }
  inverted_ = true;
}

void PrimalTargets::residuals(ConstMat psi, ConstMat y, ConstVec weights, MatRef residuals, VecRef squares) const {
  for (Index t = 0; t < count(); ++t) {
    auto own = residuals.col(t);
    const double sum = of(t).residual(psi, y.col(t), own);
    squares[t] += weights.size() == 0 ? sum : (weights.array() * own.array().square()).sum();
  }
}

void PrimalTargets::cotangent(ConstMat psi, ConstMat residuals, MatRef psi_bar) const {
  if (count() == 1) return of(0).cotangent(psi, residuals.col(0), psi_bar);
  if (explicit_) {
    gemm(1.0, psi, Op::none, inverse_, Op::none, 0.0, psi_bar);
    psi_bar.rowwise() -= centre_.transpose();
    gemm(-1.0, residuals, Op::none, slopes_, Op::transpose, 1.0, psi_bar);
    return;
  }
  Matrix own(psi.rows(), psi.cols());
  psi_bar.setZero();
  for (Index t = 0; t < count(); ++t) {
    of(t).cotangent(psi, residuals.col(t), own);
    psi_bar += own;
  }
}

double PrimalTargets::value_bound() const {
  double bound = 0;
  for (const PrimalGaussian& gaussian : gaussians_) bound += gaussian.value_bound();
  return bound;
}

double PrimalTargets::value(ConstVec squares) const {
  double sum = 0;
  for (Index t = 0; t < count(); ++t) sum += of(t).value(squares[t]);
  return sum;
}

double PrimalTargets::max_jitter() const {
  double jitter = 0;
  for (const PrimalGaussian& gaussian : gaussians_) jitter = std::max(jitter, gaussian.jitter());
  return jitter;
}

}  // namespace alacarte
