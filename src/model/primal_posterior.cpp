#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

// w ~ N(weights, (L L^T)^-1), f = offset + psi^T w + (constant with variance s2/n, taken at the centre of the
// features).
class PrimalPosterior final : public Posterior {
 public:
  PrimalPosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, PrimalState state)
      : map_(std::move(map)),
        prepared_(map_->prepare(theta.head(map_->parameters().size()))),
        state_(std::move(state)) {}

  void predict(ConstMat x, VecRef mean, VecRef variance) const override {
    require(mean.size() == x.rows() && (variance.size() == 0 || variance.size() == x.rows()),
            "predict: one mean and variance for each row");
    if (variance.size() > 0) need_variance();
    Matrix buffer(std::min(kPosteriorRows, x.rows()), map_->feature_count());
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      MatRef psi = buffer.topRows(rows);
      prepared_->forward(x.middleRows(first, rows), psi);
      auto chunk = mean.segment(first, rows);
      chunk.noalias() = psi * state_.weights;
      chunk.array() += state_.scalars.offset;
      if (variance.size() == 0) continue;
      whiten(psi);
      variance.segment(first, rows) = psi.rowwise().squaredNorm().array() + state_.scalars.constant_variance;
    }
  }

  Matrix covariance(ConstMat x) const override {
    need_variance();
    Matrix psi = features(x);
    whiten(psi);
    Matrix result = Matrix::Constant(x.rows(), x.rows(), state_.scalars.constant_variance);
    syrk_lower(1.0, psi, Op::none, 1.0, result);
    mirror_lower(result);
    return result;
  }

  // f = offset + psi^T weights + (psi - centre)^T L^-T z + sqrt(s2/n) z0. All of z is drawn before any row is looked
  // at, so chunks of rows asked with equally seeded streams belong to the same functions.
  Matrix draws(ConstMat x, Index count, RandomStream& stream) const override {
    need_variance();
    Matrix weights(map_->feature_count(), count);
    Vector constants(count);
    for (Index c = 0; c < count; ++c) {
      weights.col(c) = stream.normals(weights.rows());
      constants[c] = std::sqrt(state_.scalars.constant_variance) * stream.normal() + state_.scalars.offset;
    }
    solve_lower(state_.factor, Op::transpose, weights);
    constants -= weights.transpose() * state_.centre;
    weights.colwise() += state_.weights;
    Matrix result(x.rows(), count);
    gemm(1.0, features(x), Op::none, weights, Op::none, 0.0, result);
    result.rowwise() += constants.transpose();
    return result;
  }

  double noise_variance() const override { return state_.scalars.noise_variance; }
  bool has_variance() const override { return state_.factor.rows() == map_->feature_count(); }

  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    put_scalars(bundle, prefix, state_.scalars);
    bundle.put_vector(prefix + "weights", state_.weights);
    if (mean_only || !has_variance()) return;
    bundle.put_vector(prefix + "centre", state_.centre);
    put_factor(bundle, prefix, state_.factor);
  }

 private:
  void need_variance() const {
    if (!has_variance()) throw NumericalError("prediction", "this model was saved without its variances");
  }

  Matrix features(ConstMat x) const {
    Matrix psi(x.rows(), map_->feature_count());
    prepared_->forward(x, psi);
    return psi;
  }

  // psi := (psi - 1 centre^T) L^-T, whose rows have the latent variances as squared lengths.
  void whiten(MatRef psi) const {
    psi.rowwise() -= state_.centre.transpose();
    solve_lower_right(state_.factor, Op::transpose, psi);
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;
  PrimalState state_;
};

}  // namespace

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, PrimalState state) {
  require(theta.size() >= map->parameters().size(), "theta does not fit the feature map");
  require(state.weights.size() == map->feature_count(), "posterior weights do not fit the feature map");
  return std::make_unique<PrimalPosterior>(std::move(map), theta, std::move(state));
}

}  // namespace alacarte
