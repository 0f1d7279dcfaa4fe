#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/feature_posterior.hpp"

namespace alacarte {
namespace {

// Fewer training rows than features: the n x n factor L L^T = K stands in for the D x D one. Psi below is that of the
// training rows, centred when there is a constant mean.
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
  }

  Matrix covariance(const InputView& x) const override {
    Matrix result = Matrix::Constant(x.rows(), x.rows(), state().scalars.constant_variance);
    Matrix psi = features(x, result);
    const Matrix beta = project(psi);
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
      if (centred) targets.col(c).array() -= targets.col(c).mean();
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
    put_factor(bundle, prefix, state().factor);
  }

 private:
  void variance_of(MatRef psi, VecRef variance) const override {
    const Matrix beta = project(psi);
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

  // psi := psi_c - Psi^T beta and beta = K^-1 Psi psi_c (as rows): the latent variance |psi_c|^2 - |L^-1 Psi psi_c|^2
  // is then |psi|^2 + s2 |beta|^2, a sum of squares that keeps its digits where the difference loses them.
  Matrix project(MatRef psi) const {
    psi.rowwise() -= state().centre.transpose();
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

std::unique_ptr<Posterior> make_dual_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta,
                                               FeatureState state) {
  const InputView inputs = state.training_inputs();
  require(inputs.cols() == map->input_count() && state.factor.rows() == inputs.rows(),
          "posterior state does not fit the feature map");
  return std::make_unique<DualPosterior>(std::move(map), theta, std::move(state));
}

}  // namespace alacarte
