#include "linear_gaussian.hpp"

#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "core/special_functions.hpp"
#include "linalg/columns.hpp"
#include "linalg/dense.hpp"

namespace alacarte {
namespace {

// Largest spread of the factor's diagonal, whose square bounds the condition number of B from below, for an explicit
// inverse: beyond it the inverse loses the digits that two triangular solves keep (performance.md, "Limits").
constexpr double kMaxFactorSpread = 1e4;

// Margin of value_bound() relative to the terms of its difference: far above the rounding of sums over millions of
// rows, far below the difference between accepted and rejected trials.
constexpr double kBoundMargin = 1e-11;

}  // namespace

void PrimalSums::reset(Index feature_count) {
  gram.setZero(feature_count, feature_count);
  features.setZero(feature_count);
  target.setZero(feature_count);
  target_sum = target_square = weight = log_weight = 0;
  rows = 0;
}

void PrimalSums::add(ConstMat psi, ConstVec y) {
  require(psi.cols() == features.size() && psi.rows() == y.size(), "features do not fit their sums");
  syrk_lower(1.0, psi, Op::transpose, 1.0, gram);
  add_column_sums(psi, y, features, target);
  target_sum += y.sum();
  target_square += y.squaredNorm();
  rows += psi.rows();
  weight += static_cast<double>(psi.rows());
}

void PrimalSums::add(MatRef psi, VecRef y, ConstVec roots) {
  require(psi.cols() == features.size() && psi.rows() == y.size() && roots.size() == y.size(),
          "features do not fit their sums");
  psi.array().colwise() *= roots.array();
  y.array() *= roots.array();
  syrk_lower(1.0, psi, Op::transpose, 1.0, gram);
  gemv(1.0, psi, Op::transpose, roots, 1.0, features);
  gemv(1.0, psi, Op::transpose, y, 1.0, target);
  target_sum += roots.dot(y);
  target_square += y.squaredNorm();
  rows += psi.rows();
  weight += roots.squaredNorm();
  log_weight += 2 * roots.array().log().sum();
}

PrimalSums& PrimalSums::operator+=(const PrimalSums& more) {
  require(more.features.size() == features.size(), "sums over different features");
  gram.triangularView<Eigen::Lower>() += more.gram;
  features += more.features;
  target += more.target;
  target_sum += more.target_sum;
  target_square += more.target_square;
  rows += more.rows;
  weight += more.weight;
  log_weight += more.log_weight;
  return *this;
}

void PrimalGaussian::factor(PrimalSums& sums, double noise_variance, bool with_inverse) {
  require(sums.rows > 0 && noise_variance > 0, "a linear Gaussian needs rows and noise");
  const Index count = sums.features.size();
  const double n = sums.weight, precision = 1.0 / noise_variance;
  rows_ = sums.rows;
  weight_ = sums.weight;
  log_weight_ = sums.log_weight;
  noise_variance_ = noise_variance;
  double target_mean = 0;
  centre_.setZero(count);
  if (mean_ == MeanKind::constant) {
    target_mean = sums.target_sum / n;
    centre_ = sums.features / n;
    sums.gram.selfadjointView<Eigen::Lower>().rankUpdate(centre_, -n);
  }
  factor_.swap(sums.gram);
  factor_.triangularView<Eigen::Lower>() *= precision;
  factor_.diagonal().array() += 1.0;
  jitter_ = safe_cholesky(factor_, "Cholesky factor of the features");
  log_det_ = log_determinant(factor_);

  const Vector product = precision * (sums.target - sums.features * target_mean);
  weights_ = product;
  solve_lower(factor_, Op::none, weights_);
  solve_lower(factor_, Op::transpose, weights_);
  offset_ = target_mean - centre_.dot(weights_);
  const double square = precision * (sums.target_square - n * target_mean * target_mean);
  value_bound_ =
      value_of(square - product.dot(weights_) - kBoundMargin * (square + product.cwiseAbs().dot(weights_.cwiseAbs())));
  if (with_inverse) invert();
}

void PrimalGaussian::invert() {
  const Index count = factor_.rows();
  const double precision = 1.0 / noise_variance_;
  const double spread = count == 0 ? 1.0 : factor_.diagonal().maxCoeff() / factor_.diagonal().minCoeff();
  uses_solves_ = spread > kMaxFactorSpread;
  inverse_ = factor_;
  invert_from_cholesky(inverse_);
  trace_inverse_ = inverse_.trace();
  inverse_ *= precision;
  centre_inverse_ = centre_;
  if (mean_ == MeanKind::zero) return;
  if (uses_solves_) {
    solve_lower(factor_, Op::none, centre_inverse_);
    solve_lower(factor_, Op::transpose, centre_inverse_);
    centre_inverse_ *= precision;
  } else {
    centre_inverse_.noalias() = inverse_ * centre_;
  }
}

double PrimalGaussian::residual(ConstMat psi, ConstVec y, VecRef residual) const {
  require(psi.cols() == weights_.size() && psi.rows() == y.size() && y.size() == residual.size(),
          "features do not fit the weights");
  residual = y.array() - offset_;
  subtract_product(psi, weights_, residual);
  return residual.squaredNorm();
}

// Sets out = psi B^-1 / s2.
void PrimalGaussian::apply_inverse(ConstMat psi, MatRef out) const {
  require(inverse_.rows() == psi.cols() && out.rows() == psi.rows() && out.cols() == psi.cols(),
          "features do not fit the factor");
  if (uses_solves_) {
    out = psi / noise_variance_;
    solve_lower_right(factor_, Op::transpose, out);
    solve_lower_right(factor_, Op::none, out);
  } else {
    gemm(1.0, psi, Op::none, inverse_, Op::none, 0.0, out);
  }
}

void PrimalGaussian::cotangent(ConstMat psi, ConstVec residual, MatRef psi_bar) const {
  apply_inverse(psi, psi_bar);
  subtract_lines(centre_inverse_, weights_ / noise_variance_, residual, psi_bar);
}

void PrimalGaussian::make_single_inverse() {
  require(!uses_solves_ && inverse_.rows() == weights_.size(), "no explicit inverse to take in floats");
  inverse_single_ = inverse_.cast<float>();
}

void PrimalGaussian::cotangent_single(ConstMat psi, ConstVec residual, SingleWork& work, MatRef psi_bar) const {
  require(inverse_single_.rows() == psi.cols() && psi_bar.rows() == psi.rows() && psi_bar.cols() == psi.cols(),
          "features do not fit the factor");
  work.psi.resize(psi.rows(), psi.cols());
  work.psi_bar.resize(psi.rows(), psi.cols());
  work.psi = psi.cast<float>();
  gemm(work.psi, inverse_single_, work.psi_bar);
  for (Index j = 0; j < psi_bar.cols(); ++j)
    psi_bar.col(j).array() = work.psi_bar.col(j).cast<double>().array() - centre_inverse_[j] -
                             (weights_[j] / noise_variance_) * residual.array();
}

void PrimalGaussian::precision_diagonal(ConstMat psi, ConstVec weights, MatRef work, VecRef diagonal) const {
  apply_inverse(psi, work);
  const bool weighted = weights.size() > 0;
  const double of_constant = mean_ == MeanKind::constant ? 1.0 / weight_ : 0.0;
  diagonal.setConstant(weighted ? -of_constant : 1.0 - of_constant);
  for (Index j = 0; j < work.cols(); ++j)
    diagonal.array() -= (work.col(j).array() - centre_inverse_[j]) * (psi.col(j).array() - centre_[j]);
  if (weighted) diagonal.array() = 1.0 + weights.array() * diagonal.array();
  // The leverage is 1 up to rounding: the other rows do not constrain the prediction of this one.
  diagonal = diagonal.cwiseMax(std::numeric_limits<double>::epsilon()) / noise_variance_;
  if (weighted) diagonal.array() *= weights.array();
}

Matrix PrimalGaussian::precision_block(ConstMat psi, ConstVec weights, MatRef work) const {
  apply_inverse(psi, work);
  work.rowwise() -= centre_inverse_.transpose();
  const Matrix centred = psi.rowwise() - centre_.transpose();
  Matrix block = Matrix::Constant(psi.rows(), psi.rows(), mean_ == MeanKind::constant ? 1.0 / weight_ : 0.0);
  gemm(1.0, work, Op::none, centred, Op::transpose, 1.0, block);
  if (weights.size() > 0) block.array() *= (weights * weights.transpose()).array();
  block = -0.5 * (block + block.transpose()).eval();
  block.diagonal() += weights.size() > 0 ? Vector(weights) : Vector::Ones(block.rows());
  return block / noise_variance_;
}

double PrimalGaussian::value(double squared_residual) const {
  return value_of(squared_residual / noise_variance_ + weights_.squaredNorm());
}

double PrimalGaussian::value_of(double quadratic) const {
  const double n = static_cast<double>(rows_);
  const double degrees = mean_ == MeanKind::constant ? n - 1.0 : n;
  const double constant = mean_ == MeanKind::constant ? std::log(weight_) : 0.0;
  return 0.5 * (degrees * (kLogTwoPi + std::log(noise_variance_)) + constant + log_det_ + quadratic - log_weight_);
}

double PrimalGaussian::noise_bar(double squared_residual) const {
  const double degrees = static_cast<double>(rows_) - (mean_ == MeanKind::constant ? 1.0 : 0.0);
  const double count = static_cast<double>(weights_.size());
  return 0.5 * (degrees - count + trace_inverse_ - squared_residual / noise_variance_) / noise_variance_;
}

double PrimalGaussian::constant_variance() const {
  return mean_ == MeanKind::constant ? noise_variance_ / weight_ : 0.0;
}

void DualGaussian::factor(ConstMat gram, ConstVec y, double noise_variance, ConstVec roots) {
  const Index n = gram.rows();
  require(n > 0 && gram.cols() == n && y.size() == n && noise_variance > 0 && (roots.size() == 0 || roots.size() == n),
          "a linear Gaussian needs rows and noise");
  const bool weighted = roots.size() > 0;
  roots_ = roots;
  const Vector weights = roots.cwiseAbs2();
  weight_ = weighted ? weights.sum() : static_cast<double>(n);
  log_weight_ = weighted ? weights.array().log().sum() : 0.0;
  noise_variance_ = noise_variance;
  row_means_.setZero(n);
  target_mean_ = 0;
  double tau = 0, shift = 0;
  if (mean_ == MeanKind::constant) {
    row_means_ = symmetric_row_sums(gram) / static_cast<double>(n);
    target_mean_ = y.mean();
    if (weighted) {
      row_means_ = roots.cwiseProduct(symmetric_product(gram, weights)) / weight_;
      target_mean_ = weights.dot(y) / weight_;
    }
    const double grand_mean = weighted ? roots.dot(row_means_) / weight_ : row_means_.mean();
    // Mean diagonal of C gram C.
    const double level = weighted ? (weights.dot(gram.diagonal()) - grand_mean * weight_) / static_cast<double>(n)
                                  : gram.diagonal().mean() - grand_mean;
    tau = std::max(level, 0.0) / weight_;
    shift = grand_mean + tau;
  }
  constant_eigenvalue_ = noise_variance + tau * weight_;
  if (factor_.rows() != n) factor_.setZero(n, n);
  const auto fill = [&] {
    for (Index j = 0; weighted && j < n; ++j) {
      auto column = factor_.col(j).tail(n - j).array();
      column = roots[j] * roots.tail(n - j).array() * gram.col(j).tail(n - j).array();
      if (mean_ == MeanKind::constant)
        column +=
            (shift * roots[j] - row_means_[j]) * roots.tail(n - j).array() - roots[j] * row_means_.tail(n - j).array();
    }
    for (Index j = 0; !weighted && j < n; ++j) {
      factor_.col(j).tail(n - j) = gram.col(j).tail(n - j);
      if (mean_ == MeanKind::constant)
        factor_.col(j).tail(n - j).array() += (shift - row_means_[j]) - row_means_.tail(n - j).array();
    }
    factor_.diagonal().array() += noise_variance;
  };
  fill();
  jitter_ = safe_cholesky(factor_, "Cholesky factor of the Gram matrix", fill);
  log_det_ = log_determinant(factor_);
  constant_eigenvalue_ += jitter_;

  alpha_ = y.array() - target_mean_;
  if (weighted) alpha_.array() *= roots.array();
  solve_lower(factor_, Op::none, alpha_);
  quadratic_ = alpha_.squaredNorm();
  solve_lower(factor_, Op::transpose, alpha_);
  if (!weighted) return;
  scaled_alpha_ = alpha_;
  alpha_.array() *= roots.array();
}

double DualGaussian::constant_shift() const {
  return mean_ == MeanKind::constant ? 1.0 / (weight_ * constant_eigenvalue_) : 0.0;
}

// B^-1_ii is the squared norm of L^-1 e_i, whose entries before the i-th are zero.
Vector DualGaussian::precision_diagonal(const std::vector<Index>& rows) const {
  constexpr Index kColumns = 256;
  const Index count = static_cast<Index>(rows.size());
  const Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, 1>> row(rows.data(), count);
  Vector diagonal(count);
  Matrix buffer;
  for (Index begin = 0; begin < count; begin += kColumns) {
    const Index columns = std::min(kColumns, count - begin), left = factor_.rows() - row[begin];
    buffer.setZero(left, columns);
    for (Index k = 0; k < columns; ++k) buffer(row[begin + k] - row[begin], k) = 1;
    solve_lower(factor_.bottomRightCorner(left, left), Op::none, buffer);
    diagonal.segment(begin, columns) = buffer.colwise().squaredNorm();
  }
  if (roots_.size() == 0) return diagonal.array() - constant_shift();
  const Eigen::ArrayXd weights = roots_(rows).array().square();
  return (diagonal.array() - constant_shift() * weights) * weights;
}

Matrix DualGaussian::precision_block(const std::vector<Index>& rows) const {
  const Index count = static_cast<Index>(rows.size()), first = rows.front(), left = factor_.rows() - first;
  Matrix buffer = Matrix::Zero(left, count);
  for (Index k = 0; k < count; ++k) buffer(rows[static_cast<std::size_t>(k)] - first, k) = 1;
  solve_lower(factor_.bottomRightCorner(left, left), Op::none, buffer);
  Matrix block = Matrix::Zero(count, count);
  gemm(1.0, buffer, Op::transpose, buffer, Op::none, 0.0, block);
  if (roots_.size() == 0) return block.array() - constant_shift();
  const Vector roots = roots_(rows);
  const Matrix products = roots * roots.transpose();
  return (block - constant_shift() * products).cwiseProduct(products);
}

void DualGaussian::adjoint(bool whole) {
  const Index n = factor_.rows();
  const double shift = constant_shift();
  if (gram_bar_.rows() != n) gram_bar_.setZero(n, n);
  for (Index j = 0; j < n; ++j) gram_bar_.col(j).tail(n - j) = factor_.col(j).tail(n - j);
  invert_lower_from_cholesky(gram_bar_);
  const bool weighted = roots_.size() > 0;
  const Vector& scaled = weighted ? scaled_alpha_ : alpha_;
  precision_diagonal_ = gram_bar_.diagonal().array() - shift;
  if (weighted) precision_diagonal_ = gram_bar_.diagonal() - shift * roots_.cwiseAbs2();
  noise_bar_ = 0.5 * (precision_diagonal_.sum() - scaled.squaredNorm());
  if (weighted) precision_diagonal_.array() *= roots_.array().square();
  for (Index j = 0; weighted && j < n; ++j) {
    auto column = gram_bar_.col(j).tail(n - j).array();
    const auto roots = roots_.tail(n - j).array();
    column = 0.5 * (roots_[j] * roots * (column - shift * roots_[j] * roots) - alpha_[j] * alpha_.tail(n - j).array());
  }
  for (Index j = 0; !weighted && j < n; ++j) {
    auto column = gram_bar_.col(j).tail(n - j).array();
    column = 0.5 * ((column - shift) - alpha_[j] * alpha_.tail(n - j).array());
  }
  if (whole) mirror_lower(gram_bar_);
}

double DualGaussian::value() const {
  const double n = static_cast<double>(factor_.rows());
  if (mean_ == MeanKind::zero) return 0.5 * (n * kLogTwoPi + log_det_ + quadratic_ - log_weight_);
  return 0.5 * ((n - 1.0) * kLogTwoPi + std::log(weight_) - std::log(constant_eigenvalue_) + log_det_ + quadratic_ -
                log_weight_);
}

double DualGaussian::constant_variance() const { return mean_ == MeanKind::constant ? noise_variance_ / weight_ : 0.0; }

// alpha sums to zero with a constant mean, so the row means of k(x, X) alpha are subtracted only once, here.
double DualGaussian::offset() const {
  return target_mean_ - row_means_.dot(roots_.size() > 0 ? scaled_alpha_ : alpha_);
}

}  // namespace alacarte
