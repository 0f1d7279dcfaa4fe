#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "model/feature_posterior.hpp"

namespace alacarte {
namespace {

// w ~ N(weights, (L L^T)^-1).
class PrimalPosterior final : public FeaturePosterior {
 public:
  using FeaturePosterior::FeaturePosterior;

  Matrix covariance(ConstMat x) const override {
    need_variance();
    Matrix psi = features(x);
    whiten(psi);
    Matrix result = Matrix::Constant(x.rows(), x.rows(), state().scalars.constant_variance);
    syrk_lower(1.0, psi, Op::none, 1.0, result);
    mirror_lower(result);
    return result;
  }

  // f = offset + psi^T weights + (psi - centre)^T L^-T z + sqrt(s2/n) z0. All of z is drawn before any row is looked
  // at, so chunks of rows asked with equally seeded streams belong to the same functions.
  Matrix draws(ConstMat x, Index count, RandomStream& stream) const override {
    need_variance();
    Matrix errors(map().feature_count(), count);
    Vector constants(count);
    for (Index c = 0; c < count; ++c) {
      errors.col(c) = stream.normals(errors.rows());
      constants[c] = draw_constant(stream);
    }
    solve_lower(state().factor, Op::transpose, errors);
    return functions(x, std::move(errors), std::move(constants));
  }

  bool has_variance() const override { return state().factor.rows() == map().feature_count(); }

  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    put_scalars(bundle, prefix, state().scalars);
    bundle.put_vector(prefix + "weights", state().weights);
    if (mean_only || !has_variance()) return;
    bundle.put_vector(prefix + "centre", state().centre);
    put_factor(bundle, prefix, state().factor);
  }

 private:
  void variance_of(MatRef psi, VecRef variance) const override {
    whiten(psi);
    variance = psi.rowwise().squaredNorm();
  }

  double variance_of_one(VecRef psi, VecRef) const override {
    psi -= state().centre;
    solve_lower_vector(state().factor, Op::none, psi);
    return psi.squaredNorm();
  }
  Index extra_work() const override { return 0; }

  // psi := (psi - 1 centre^T) L^-T, whose rows have the latent variances as squared lengths.
  void whiten(MatRef psi) const {
    psi.rowwise() -= state().centre.transpose();
    solve_lower_right(state().factor, Op::transpose, psi);
  }
};

}  // namespace

std::unique_ptr<Posterior> make_primal_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta,
                                                 FeatureState state) {
  return std::make_unique<PrimalPosterior>(std::move(map), theta, std::move(state));
}

}  // namespace alacarte
