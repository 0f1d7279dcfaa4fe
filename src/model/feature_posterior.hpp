#pragma once
// Common part of the primal and the dual posterior over features: mean, passes over rows, sampled functions.
#include "model/bounded_features.hpp"
#include "model/posteriors.hpp"

namespace alacarte {

/// Posterior of f = offset + psi^T w + (constant with variance s2/n, taken at the centre of the features).
class FeaturePosterior : public FunctionPosterior {
 public:
  FeaturePosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, FeatureState state);
  void predict(const InputView& x, VecRef mean, VecRef variance) const override;
  Moments predict_one(ConstVec x, VecRef work, bool variance) const override;
  std::vector<TermMoments> term_moments(const InputView& x, int threads) const override;
  Index one_row_work() const override { return map().feature_count() + extra_work(); }
  bool has_tangent() const override { return map().has_tangent(); }
  void predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                        MatRef variances) const override;
  Moments functional(const InputView& x, ConstVec weights, bool variance) const override;
  double noise_variance() const override { return state_.scalars.noise_variance; }
  const FeatureState* feature_state() const override { return &state_; }

 protected:
  /// Computes the variances (rows) of (psi - 1 centre^T) w for psi (rows, D), without that of the constant. Overwrites
  /// psi.
  virtual void variance_of(MatRef psi, const Vector& centre, VecRef variance) const = 0;

  /// Returns the variance for one row psi (D), overwritten, without that of the constant; work (extra_work()).
  virtual double variance_of_one(VecRef psi, VecRef work) const = 0;
  virtual Index extra_work() const = 0;

  /// Returns the features, (rows, D); adds the variances of terms that are out of digits (BoundedFeatures) as s s^T to
  /// covariance, unless that is empty.
  Matrix features(const InputView& x, MatRef covariance) const;
  double draw_constant(RandomStream& stream) const;  ///< draws from N(0, s2/n)
  /// Evaluates the functions offset + constants_c + psi^T weights + (psi - centre)^T errors_c at x: (rows, count), for
  /// errors (D, count) and constants (count). The stream is used only for terms that are out of digits.
  Matrix functions(const InputView& x, Matrix errors, Vector constants, RandomStream& stream) const;

  const FeatureState& state() const { return state_; }
  const FeatureMap& map() const { return features_.map(); }
  const PreparedMap& prepared() const { return features_.prepared(); }

 private:
  void mend_means(const InputView& x, VecRef mean) const;
  double residual_of(const InputView& x, ConstVec weights) const;

  BoundedFeatures features_;
  FeatureState state_;
  std::unique_ptr<LinearPredictor> mean_;  // psi^T weights
};

}  // namespace alacarte
