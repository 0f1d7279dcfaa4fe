#pragma once
// Laplace's approximation: one search for the mode, one evaluation and one posterior, for either shape of the
// curvature.
#include "inference/laplace_rows.hpp"

namespace alacarte {

/// When the search for the mode ends. Newton's decrement squared is g^T B^-1 g: its square is what the evidence still
/// errs by in the part that is stationary, its root what log|B| and the gradient do.
struct ModeTolerance {
  double decrement_per_row;  ///< found: decrement <= decrement_per_row (1 + n)
  double stall;              ///< below this, no further progress means rounding
};

/// Newton's method and what follows from the mode; the derived classes know B.
class Laplace : public Inference {
 public:
  const ParameterLayout& parameters() const override { return rows_.parameters(); }
  double jitter() const override { return jitter_; }
  double noise_sd(ConstVec) const override { return 0; }
  double evaluate(ConstVec theta, VecRef gradient) override;
  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override;
  Solution solve(ConstVec theta, const LeftOutRows& left_out) override;
  Vector warm_start() const override { return weights_.reshaped(); }
  void set_warm_start(ConstVec weights) override;

 protected:
  Laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows, const InferenceOptions& options,
          CurvatureShape shape, ModeTolerance tolerance)
      : rows_(std::move(map), std::move(rows), options, shape), tolerance_(tolerance) {}

  // ---- what depends on the shape of B

  /// At a new theta, before the search for the mode.
  virtual void begin_search() {}
  /// -sum log p + |w|^2 / 2 at these weights; leaves its negative gradient in gradient_.
  virtual double value_at(const Matrix& weights) = 0;
  /// Newton's decrement squared at weights_, after value_at(weights_). May leave the Newton step in `step`.
  virtual double decrement(Matrix& step) = 0;
  /// The Newton step from weights_ (D', K), if decrement() did not leave it.
  virtual void newton_step(double decrement, Matrix& step) = 0;
  /// Leaves the factor of B at the mode. Returns value + log|B| / 2 (or its bound), or any number above `ceiling` as
  /// soon as that is certain to be.
  virtual double add_log_determinant(double value, double ceiling) = 0;
  /// Pulls back what log|B| and -log p say of psi at a mode that stays; returns (I + Psi^T W Psi)^-1 Psi^T s, (D', K),
  /// with s = Likelihood::curvature_slopes().
  virtual Matrix pull_back_at_mode() = 0;
  /// Pulls back what moves the mode: g q^T - (W Psi q) w^T, row by row, q = `implicit`.
  virtual void pull_back_mode(const Matrix& implicit) = 0;
  /// The posterior around these weights, of the factor at hand.
  virtual std::unique_ptr<Posterior> posterior_around(ConstVec theta, const Matrix& weights) const = 0;
  /// Replaces the factor by that of the expected curvature under `laplace`; returns the natural-gradient step (D', K).
  virtual Matrix variational_step(const Posterior& laplace) = 0;

  Index width() const { return rows_.width(); }
  Index outputs() const { return rows_.outputs(); }
  /// Adds the identity to B - I and factors it in place; notes the jitter.
  void factor_curvature(MatRef curvature);

  LaplaceRows rows_;
  Matrix weights_, gradient_;  ///< (D', K) at the mode of the last evaluation
  double jitter_ = 0;

 private:
  /// Prepares the rows at theta and leaves the mode in weights_; returns -sum log p + |w|^2 / 2 there.
  double find_mode(ConstVec theta);
  /// Newton's method from `weights`; infinity where it fails.
  double ascend(Matrix weights);

  ModeTolerance tolerance_;
};

std::unique_ptr<Inference> make_joint_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
std::unique_ptr<Inference> make_block_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);

}  // namespace alacarte
