#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

// Features with fewer training rows than features: the n x n factor L L^T = K stands in for the D x D one. Psi below is
// that of the training rows, centred when there is a constant mean.
class DualPosterior final : public Posterior {
 public:
  DualPosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, DualState state)
      : map_(std::move(map)),
        prepared_(map_->prepare(theta.head(map_->parameters().size()))),
        state_(std::move(state)),
        psi_(state_.inputs.rows(), map_->feature_count()) {
    for (Index first = 0; first < psi_.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, psi_.rows() - first);
      prepared_->forward(state_.inputs.middleRows(first, rows), psi_.middleRows(first, rows));
    }
    psi_.rowwise() -= state_.centre.transpose();
  }

  void predict(ConstMat x, VecRef mean, VecRef variance) const override {
    require(mean.size() == x.rows() && (variance.size() == 0 || variance.size() == x.rows()),
            "predict: one mean and variance for each row");
    const Index most = std::min(kPosteriorRows, x.rows());
    Matrix features(most, psi_.cols()), betas(variance.size() == 0 ? 0 : most, psi_.rows());
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      MatRef psi = features.topRows(rows);
      prepared_->forward(x.middleRows(first, rows), psi);
      auto chunk = mean.segment(first, rows);
      chunk.noalias() = psi * state_.weights;
      chunk.array() += state_.scalars.offset;
      if (variance.size() == 0) continue;
      MatRef beta = betas.topRows(rows);
      project(psi, beta);
      variance.segment(first, rows) =
          psi.rowwise().squaredNorm() + state_.scalars.noise_variance * beta.rowwise().squaredNorm();
      variance.segment(first, rows).array() += state_.scalars.constant_variance;
    }
  }

  Matrix covariance(ConstMat x) const override {
    Matrix psi = features(x), beta(x.rows(), psi_.rows());
    project(psi, beta);
    Matrix result = Matrix::Constant(x.rows(), x.rows(), state_.scalars.constant_variance);
    syrk_lower(1.0, psi, Op::none, 1.0, result);
    syrk_lower(state_.scalars.noise_variance, beta, Op::none, 1.0, result);
    mirror_lower(result);
    return result;
  }

  // Matheron's rule: a draw of the prior (w0, e) is moved by the posterior mean of its own error,
  // w = weights + w0 - Psi^T K^-1 (Psi w0 + e), which needs no D x D factor.
  Matrix draws(ConstMat x, Index count, RandomStream& stream) const override {
    const bool centred = state_.scalars.constant_variance > 0;
    const double noise_sd = std::sqrt(state_.scalars.noise_variance);
    Matrix weights(psi_.cols(), count), error(psi_.rows(), count);
    Vector constants(count);
    for (Index c = 0; c < count; ++c) {
      weights.col(c) = stream.normals(weights.rows());
      error.col(c) = noise_sd * stream.normals(error.rows());
      if (centred) error.col(c).array() -= error.col(c).mean();
      constants[c] = std::sqrt(state_.scalars.constant_variance) * stream.normal() + state_.scalars.offset;
    }
    gemm(1.0, psi_, Op::none, weights, Op::none, 1.0, error);
    solve_lower(state_.factor, Op::none, error);
    solve_lower(state_.factor, Op::transpose, error);
    gemm(-1.0, psi_, Op::transpose, error, Op::none, 1.0, weights);
    constants -= weights.transpose() * state_.centre;
    weights.colwise() += state_.weights;
    Matrix result(x.rows(), count);
    gemm(1.0, features(x), Op::none, weights, Op::none, 0.0, result);
    result.rowwise() += constants.transpose();
    return result;
  }

  double noise_variance() const override { return state_.scalars.noise_variance; }
  bool has_variance() const override { return true; }

  // Without the factor nothing of the training rows is left: the weights alone carry the mean.
  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    put_scalars(bundle, prefix, state_.scalars);
    bundle.put_vector(prefix + "weights", state_.weights);
    if (mean_only) return;
    bundle.put_vector(prefix + "centre", state_.centre);
    bundle.put(prefix + "training_inputs", state_.inputs);
    put_factor(bundle, prefix, state_.factor);
  }

 private:
  Matrix features(ConstMat x) const {
    Matrix psi(x.rows(), psi_.cols());
    prepared_->forward(x, psi);
    return psi;
  }

  // psi := psi_c - Psi^T beta and beta = K^-1 Psi psi_c (as rows): the latent variance |psi_c|^2 - |L^-1 Psi psi_c|^2
  // is then |psi|^2 + s2 |beta|^2, a sum of squares that keeps its digits where the difference loses them.
  void project(MatRef psi, MatRef beta) const {
    psi.rowwise() -= state_.centre.transpose();
    gemm(1.0, psi, Op::none, psi_, Op::transpose, 0.0, beta);
    solve_lower_right(state_.factor, Op::transpose, beta);
    solve_lower_right(state_.factor, Op::none, beta);
    gemm(-1.0, beta, Op::none, psi_, Op::none, 1.0, psi);
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;
  DualState state_;
  Matrix psi_;  // (n, D)
};

}  // namespace

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, DualState state) {
  require(theta.size() >= map->parameters().size(), "theta does not fit the feature map");
  require(state.weights.size() == map->feature_count() && state.inputs.cols() == map->input_count() &&
              state.factor.rows() == state.inputs.rows(),
          "posterior state does not fit the feature map");
  return std::make_unique<DualPosterior>(std::move(map), theta, std::move(state));
}

}  // namespace alacarte
