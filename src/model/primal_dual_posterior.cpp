// The two posteriors over features: by a D x D factor, or by that of fewer training rows.
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "linalg/dense.hpp"
#include "model/feature_posterior.hpp"

namespace alacarte {
namespace {

// Largest spread of the factor's diagonal for an explicit inverse, as in linear_gaussian.cpp.
constexpr double kMaxSpreadToInvert = 1e4;

bool has_inverse(const Matrix& factor) {
  return factor.size() > 0 && factor.diagonal().maxCoeff() <= kMaxSpreadToInvert * factor.diagonal().minCoeff();
}

// A product with L^-1 runs 1.2 to 1.8 times as fast as a solve with L. With the diagonal d of L taken out,
// L^-T = diag(1/d) U, U is unit upper triangular and fits in the half of the matrix that L leaves free. A copy of L
// would be the peak of a training's memory, so L^-1 is made some columns at a time: with A and C on the diagonal of L
// and B below A, those of A are A^-1 above -C^-1 B A^-1. Models of one such block give the bits of version 0.1
// (tests/golden). One thread: the bits must not depend on how many there are.
FeatureState with_inverse(FeatureState state) {
  constexpr Index kColumns = 256;
  Matrix& factor = state.factor;
  if (!has_inverse(factor)) return state;
  const BlasThreads single(1);
  for (Index first = 0; first < factor.cols(); first += kColumns) {
    const Index columns = std::min(kColumns, factor.cols() - first), next = first + columns;
    const Index below = factor.rows() - next;
    Matrix top = factor.block(first, first, columns, columns).triangularView<Eigen::Lower>();
    invert_lower(top);
    Matrix rest(below, columns);
    gemm(-1.0, factor.block(next, first, below, columns), Op::none, top, Op::none, 0.0, rest);
    solve_lower(factor.bottomRightCorner(below, below), Op::none, rest);
    const Vector diagonal = factor.diagonal().segment(first, columns);
    factor.block(first, first, columns, columns).triangularView<Eigen::StrictlyUpper>() =
        diagonal.asDiagonal() * top.transpose();
    factor.block(first, next, columns, below) = diagonal.asDiagonal() * rest.transpose();
  }
  return state;
}

// w ~ N(weights, (L L^T)^-1).
class PrimalPosterior final : public FeaturePosterior {
 public:
  PrimalPosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, FeatureState state)
      : FeaturePosterior(std::move(map), theta, with_inverse(std::move(state))),
        by_product_(has_inverse(this->state().factor)) {}

  Matrix covariance(const InputView& x) const override {
    need_variance(*this);
    Matrix result = Matrix::Constant(x.rows(), x.rows(), state().scalars.constant_variance);
    Matrix psi = features(x, result);
    prepared().add_residual_covariance(x, psi, result);
    whiten(psi, state().centre);
    syrk_lower(1.0, psi, Op::none, 1.0, result);
    mirror_lower(result);
    return result;
  }

  // f = offset + psi^T weights + (psi - centre)^T L^-T z + sqrt(s2/n) z0. All of z is drawn before any row is looked
  // at, so chunks of rows asked with equally seeded streams belong to the same functions.
  Matrix draws(const InputView& x, Index count, RandomStream& stream) const override {
    need_variance(*this);
    if (map().has_residual()) return draw_jointly(*this, x, count, stream);
    Matrix errors(map().feature_count(), count);
    Vector constants(count);
    for (Index c = 0; c < count; ++c) {
      errors.col(c) = stream.normals(errors.rows());
      constants[c] = draw_constant(stream);
    }
    solve_lower(state().factor, Op::transpose, errors);
    return functions(x, std::move(errors), std::move(constants), stream);
  }

  bool has_variance() const override { return state().factor.rows() == map().feature_count(); }

  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    put_scalars(bundle, prefix, state().scalars);
    if (map().has_residual()) map().save(bundle, prefix);
    bundle.put_vector(prefix + "weights", state().weights);
    if (mean_only || !has_variance()) return;
    bundle.put_vector(prefix + "centre", state().centre);
    put_factor(bundle, prefix, state().factor);
  }

 private:
  void variance_of(MatRef psi, const Vector& centre, VecRef variance) const override {
    whiten(psi, centre);
    variance = psi.rowwise().squaredNorm();
  }

  double variance_of_one(VecRef psi, VecRef) const override {
    psi -= state().centre;
    solve_lower_vector(state().factor, Op::none, psi);
    return psi.squaredNorm();
  }
  Index extra_work() const override { return 0; }

  // Sets psi := (psi - 1 centre^T) L^-T, whose rows have the latent variances as squared lengths.
  void whiten(MatRef psi, const Vector& centre) const {
    const Matrix& factor = state().factor;
    for (Index j = 0; j < psi.cols(); ++j)
      psi.col(j) = (psi.col(j).array() - centre[j]) * (by_product_ ? 1.0 / factor(j, j) : 1.0);
    if (by_product_) {
      multiply_unit_upper_right(factor, psi);
    } else {
      solve_lower_right(factor, Op::transpose, psi);
    }
  }

  bool by_product_;
};

// Fewer training rows than features: the n x n factor L L^T = K stands in for the D x D one. Psi below is that of the
// training rows, centred when there is a constant mean, and times the roots of their weights.
class DualPosterior final : public FeaturePosterior {
 public:
  DualPosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, FeatureState state)
      : FeaturePosterior(std::move(map), theta, std::move(state)),
        psi_(this->state().training_inputs().rows(), this->map().feature_count()) {
    for (Index first = 0; first < psi_.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, psi_.rows() - first);
      prepared().forward(this->state().training_inputs().middle_rows(first, rows), psi_.middleRows(first, rows));
    }
    psi_.rowwise() -= this->state().centre.transpose();
    if (roots().size() > 0) psi_.array().colwise() *= roots().array();
  }

  Matrix covariance(const InputView& x) const override {
    Matrix result = Matrix::Constant(x.rows(), x.rows(), state().scalars.constant_variance);
    Matrix psi = features(x, result);
    const Matrix beta = project(psi, state().centre);
    syrk_lower(1.0, psi, Op::none, 1.0, result);
    syrk_lower(state().scalars.noise_variance, beta, Op::none, 1.0, result);
    mirror_lower(result);
    return result;
  }

  // Matheron's rule: a draw of the prior (w0, e) is moved by the posterior mean of its own error,
  // w = weights + w0 - Psi^T K^-1 (Psi w0 + e), which needs no D x D factor.
  Matrix draws(const InputView& x, Index count, RandomStream& stream) const override {
    const bool centred = state().scalars.constant_variance > 0;
    const double noise_sd = std::sqrt(state().scalars.noise_variance);
    Matrix errors(psi_.cols(), count), targets(psi_.rows(), count);
    Vector constants(count);
    for (Index c = 0; c < count; ++c) {
      errors.col(c) = stream.normals(errors.rows());
      targets.col(c) = noise_sd * stream.normals(targets.rows());
      if (centred && roots().size() == 0) targets.col(c).array() -= targets.col(c).mean();
      if (centred && roots().size() > 0)
        targets.col(c) -= roots() * (roots().dot(targets.col(c)) / roots().squaredNorm());
      constants[c] = draw_constant(stream);
    }
    gemm(1.0, psi_, Op::none, errors, Op::none, 1.0, targets);
    solve_lower(state().factor, Op::none, targets);
    solve_lower(state().factor, Op::transpose, targets);
    gemm(-1.0, psi_, Op::transpose, targets, Op::none, 1.0, errors);
    return functions(x, std::move(errors), std::move(constants), stream);
  }

  bool has_variance() const override { return true; }

  // Without the factor the training rows are not stored: the mean needs only the weights.
  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    put_scalars(bundle, prefix, state().scalars);
    bundle.put_vector(prefix + "weights", state().weights);
    if (mean_only) return;
    bundle.put_vector(prefix + "centre", state().centre);
    put_training_inputs(bundle, prefix, state());
    put_roots(bundle, prefix, roots());
    put_factor(bundle, prefix, state().factor);
  }

 private:
  void variance_of(MatRef psi, const Vector& centre, VecRef variance) const override {
    const Matrix beta = project(psi, centre);
    variance = psi.rowwise().squaredNorm() + state().scalars.noise_variance * beta.rowwise().squaredNorm();
  }

  double variance_of_one(VecRef psi, VecRef beta) const override {
    psi -= state().centre;
    gemv(1.0, psi_, Op::none, psi, 0.0, beta);
    solve_lower_vector(state().factor, Op::none, beta);
    solve_lower_vector(state().factor, Op::transpose, beta);
    gemv(-1.0, psi_, Op::transpose, beta, 1.0, psi);
    return psi.squaredNorm() + state().scalars.noise_variance * beta.squaredNorm();
  }
  Index extra_work() const override { return psi_.rows(); }
  const Vector& roots() const { return state().roots; }

  // Sets psi := psi_c - Psi^T beta and beta = K^-1 Psi psi_c (as rows): the latent variance |psi_c|^2 - |L^-1 Psi
  // psi_c|^2 is then |psi|^2 + s2 |beta|^2, a sum of squares that keeps its digits where the difference loses them.
  Matrix project(MatRef psi, const Vector& centre) const {
    psi.rowwise() -= centre.transpose();
    Matrix beta(psi.rows(), psi_.rows());
    gemm(1.0, psi, Op::none, psi_, Op::transpose, 0.0, beta);
    solve_lower_right(state().factor, Op::transpose, beta);
    solve_lower_right(state().factor, Op::none, beta);
    gemm(-1.0, beta, Op::none, psi_, Op::none, 1.0, psi);
    return beta;
  }

  Matrix psi_;  // (n, D)
};

}  // namespace

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, FeatureState state) {
  require(theta.size() >= map->parameters().size(), "theta does not fit the feature map");
  require(state.weights.size() == map->feature_count(), "posterior weights do not fit the feature map");
  if (!state.is_dual()) return std::make_unique<PrimalPosterior>(std::move(map), theta, std::move(state));
  const InputView inputs = state.training_inputs();
  require(inputs.cols() == map->input_count() && state.factor.rows() == inputs.rows(),
          "posterior state does not fit the feature map");
  return std::make_unique<DualPosterior>(std::move(map), theta, std::move(state));
}

}  // namespace alacarte
