#pragma once
// Laplace's approximation. LaplaceRows does the passes over rows for either curvature (the features of a chunk behind a
// constant, weights of rows, and sums over workers); Laplace has one search for the mode, one evaluation and one
// posterior, for either shape of the curvature.
#include <vector>
#include "inference.hpp"

#include "core/large_matrix.hpp"
#include "data/distributed_rows.hpp"
#include "data/row_pass.hpp"
#include "inference/evaluation.hpp"

namespace alacarte {

/// Work space and sums of one worker. Matrices keep their size between passes.
struct LaplaceState {
  AlignedMatrix psi, scratch;   ///< (chunk, D'): features, and work space
  Matrix f, gradient, slopes;   ///< (chunk, K)
  Matrix curvature, leverages;  ///< (chunk, pairs), or (chunk, K) where B is in blocks
  Vector row_weights;           ///< (chunk) weight of each row's log likelihood
  double value = 0, constant_bar = 0;
  Vector likelihood_bar;  ///< cotangent of the likelihood's own parameters
  Matrix bar;             ///< (chunk, D') cotangent of psi
  Matrix sums;            ///< (D', K)
  Matrix gram;            ///< (K D', K D') or K of (D', D') side by side, lower triangles
  Vector cotangents;
};

/// Shape of B: whole, or one block for each output.
enum class CurvatureShape { joint, blocks };

class LaplaceRows {
 public:
  LaplaceRows(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
              const InferenceOptions& options, CurvatureShape curvature);

  const ParameterLayout& parameters() const { return layout_; }
  const FeatureMap& map() const { return *map_; }
  const std::shared_ptr<const FeatureMap>& shared_map() const { return map_; }
  const RowSource& source() const { return pass_.rows(); }
  /// The likelihood, at the theta of prepare() where it has parameters of its own.
  const Likelihood& likelihood() const { return own_likelihood_ ? *own_likelihood_ : likelihood_; }
  std::unique_ptr<Likelihood> likelihood_at(ConstVec theta) const;
  /// Takes leverages or movements of a chunk (Likelihood::parameter_slopes()) back towards theta.
  void backward_parameters(LaplaceState& state, const RowBlock& block, ConstMat leverages, ConstMat moved) const;
  Index outputs() const { return outputs_; }
  Index width() const { return map_->feature_count() + (constant_ ? 1 : 0); }  ///< D'
  int threads() const { return threads_; }
  bool keeps_features() const { return keeps_features_; }  ///< true if one evaluation makes the features only once
  double memory_bytes() const;
  EvaluationPlan plan(EvaluationForm form) const;  ///< the part that does not depend on the curvature

  /// Returns the standard deviation of the constant's prior; 0 = no constant.
  double constant_sd(ConstVec theta) const;
  /// Returns the first weights of a search, (D', K): all rows at one f.
  Matrix start(double constant_sd) const;
  /// Sets theta for the passes that follow; throws as check_theta().
  void prepare(ConstVec theta);

  /// Calls body(state, rows of the block, psi (count, D')) for every chunk. Each worker's value and sums are set to
  /// zero before; gram_pass() does so with its gram, too, of which `columns` get sums (-1: all).
  template <class Body>
  void pass(const Body& body);
  template <class Body>
  void gram_pass(const Body& body, Index columns = -1);
  /// Computes log p of a chunk and its derivatives by f (count, K) = psi weights + offsets; the curvature only if asked
  /// for.
  double derivatives(LaplaceState& state, const RowBlock& block, ConstMat psi, ConstMat weights, bool curvature) const;
  /// Computes log p of a chunk alone.
  double value(LaplaceState& state, const RowBlock& block, ConstMat psi, ConstMat weights) const;
  /// Returns the weight of each row's log likelihood, (count).
  auto row_weights(LaplaceState& state, const RowBlock& block) const -> VecRef;
  /// Takes the cotangent psi_bar (count, D') of psi back towards theta.
  void backward(LaplaceState& state, const RowBlock& block, MatRef psi, MatRef psi_bar) const;

  // Sums over the workers, after a pass.
  double value() const { return pass_.sum(&LaplaceState::value); }
  Matrix sums() const { return pass_.sum(&LaplaceState::sums); }
  Matrix& gram() { return pass_.accumulate(&LaplaceState::gram); }  ///< may be overwritten
  /// Returns true if posteriors take the variational step (inference.hpp).
  bool uses_variational_step() const { return uses_variational_step_; }
  /// Sets state.gradient = E g and state.curvature = (W + E W)/2 of a chunk for the variational step; laplace: the
  /// posterior at the mode `weights`.
  void expect(LaplaceState& state, const RowBlock& block, ConstMat psi, const Posterior& laplace,
              ConstMat weights) const;
  /// Returns leave-one-out predictions (Inference::solve()); laplace: the posterior at the mode, stepped: the one that
  /// is kept, which may be the same.
  LeaveOneOut leave_one_out(const Posterior& laplace, const Posterior& stepped, const std::vector<Index>& which) const;
  /// Computes the gradient from the cotangents of all passes since prepare().
  void finish(VecRef gradient);

 private:
  template <class Body>
  void run(const Body& body);
  /// Returns the features psi (count, D') of a chunk that begins with row `first`; kept ones are made once an
  /// evaluation.
  MatRef features(LaplaceState& state, const RowBlock& block, Index first);
  double kept_bytes() const {
    return keeps_features_ ? 8 * as_double(pass_.chunks() * pass_.chunk_rows() * width()) : 0;
  }
  /// Computes state.f (count, K) = psi weights, and adds the offsets of counts.
  void latent(LaplaceState& state, const RowBlock& block, ConstMat psi, ConstMat weights) const;
  /// Returns the number of columns of W: all pairs of outputs, or the diagonal alone.
  Index curvature_columns() const { return curvature_ == CurvatureShape::joint ? pair_count(outputs_) : outputs_; }
  Index gram_rows() const { return curvature_ == CurvatureShape::joint ? outputs_ * width() : width(); }
  double class_weight(double y) const {
    return class_weights_.size() == 0 ? 1.0 : class_weights_[static_cast<Index>(y)];
  }

  std::shared_ptr<const FeatureMap> map_;
  const Likelihood& likelihood_;
  NoiseConfig noise_;
  std::unique_ptr<Likelihood> own_likelihood_;
  Vector class_weights_;
  Index outputs_;
  CurvatureShape curvature_;
  bool constant_, uses_variational_step_, keeps_features_;
  int threads_;
  ParameterLayout layout_;             // slots of the map, the constant and the likelihood
  Index constant_at_, likelihood_at_;  // their first entries in theta
  RowPass<LaplaceState> pass_;
  TargetMoments target_;
  std::unique_ptr<PreparedMap> prepared_;
  double constant_sd_ = 0;
  std::vector<AlignedMatrix> kept_;  // the features of each chunk
  bool has_kept_ = false;            // kept_ is at the theta of prepare()
};

template <class Body>
void LaplaceRows::pass(const Body& body) {
  pass_.reset([&](LaplaceState& state) {
    state.value = 0;
    state.sums.setZero(width(), outputs_);
  });
  run(body);
  pass_.share(&LaplaceState::value, &LaplaceState::sums);
}

template <class Body>
void LaplaceRows::gram_pass(const Body& body, Index columns) {
  pass_.reset([&](LaplaceState& state) {
    state.value = 0;
    state.sums.setZero(width(), outputs_);
    state.gram.setZero(gram_rows(), outputs_ * width());
  });
  run(body);
  pass_.share(&LaplaceState::value, &LaplaceState::sums, Triangles<LaplaceState>{&LaplaceState::gram, columns});
}

template <class Body>
void LaplaceRows::run(const Body& body) {
  pass_.run([&](LaplaceState& state, const RowBlock& block, Index first) {
    body(state, block, features(state, block, first));
  });
  has_kept_ = keeps_features_;
}

/// Tolerances that end the search for the mode. Newton's decrement squared is g^T B^-1 g: the stationary part of the
/// evidence errs by its square, log|B| and the gradient err by its root.
struct ModeTolerance {
  double decrement_per_row;  ///< the mode is found if decrement <= decrement_per_row (1 + n)
  double stall;              ///< below this, no further progress means rounding
};

/// Newton's method and the computations at the mode; the derived classes know B.
class Laplace : public Inference {
 public:
  const ParameterLayout& parameters() const override { return rows_.parameters(); }
  double jitter() const override { return jitter_; }
  double noise_sd(ConstVec theta) const override;
  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override;
  double value(ConstVec theta) override;
  Solution solve(ConstVec theta, const LeftOutRows& left_out) override;
  Vector warm_start() const override { return weights_.reshaped(); }
  void set_warm_start(ConstVec weights) override;

 protected:
  Laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows, const InferenceOptions& options,
          CurvatureShape shape, ModeTolerance tolerance)
      : rows_(std::move(map), std::move(rows), options, shape), tolerance_(tolerance) {}

  // ---- parts that depend on the shape of B

  /// Prepares the search for the mode at a new theta; the search begins at weights_ if these are not empty.
  virtual void begin_search() {}
  /// Returns -sum log p + |w|^2 / 2 at these weights; leaves its negative gradient in gradient_.
  virtual double value_at(const Matrix& weights) = 0;
  /// Returns Newton's decrement squared at weights_, after value_at(weights_). May leave the Newton step in `step`.
  virtual double decrement(Matrix& step) = 0;
  /// Computes the Newton step from weights_ (D', K), if decrement() did not leave it.
  virtual void newton_step(double decrement, Matrix& step) = 0;
  /// Leaves the factor of B at the mode. Returns value + log|B| / 2 (or its bound), or any number above `ceiling` as
  /// soon as that is certain to be.
  virtual double add_log_determinant(double value, double ceiling) = 0;
  /// Pulls back the derivatives of log|B| and -log p by psi at a fixed mode; returns (I + Psi^T W Psi)^-1 Psi^T s,
  /// (D', K), with s = Likelihood::curvature_slopes().
  virtual Matrix pull_back_at_mode() = 0;
  /// Pulls back the derivative through the mode: g q^T - (W Psi q) w^T, row by row, q = `implicit`.
  virtual void pull_back_mode(const Matrix& implicit) = 0;
  /// Makes the posterior around these weights from the current factor.
  virtual std::unique_ptr<Posterior> posterior_around(ConstVec theta, const Matrix& weights) const = 0;
  /// Goes from `weights` to the mode, which it leaves in weights_; returns the value there, infinity where it fails.
  /// The default is Newton's method.
  virtual double ascend(Matrix weights);
  /// Replaces the factor by that of the expected curvature under `laplace`; returns the natural-gradient step (D', K).
  virtual Matrix variational_step(const Posterior& laplace) = 0;

  /// Returns value_at() without its gradient.
  double value_only(const Matrix& weights);

  Index width() const { return rows_.width(); }
  Index outputs() const { return rows_.outputs(); }
  /// Returns the threads for a factor of so many rows: on a small one, threads wait for each other longer than they
  /// work.
  int factor_threads(Index size) const {
    constexpr Index kMinThreadedSize = 256;
    return size < kMinThreadedSize ? 1 : rows_.threads();
  }
  /// Adds the identity to B - I and factors it in place; returns the jitter.
  static double factor_in_place(MatRef curvature);
  /// Does that on all threads; notes the jitter.
  void factor_curvature(MatRef curvature);
  /// Replaces values by those of the first rank. Factors of machines of different kinds differ in their last digits,
  /// and a search that decides by them would make more passes on one rank than on another.
  void take_from_first(MatRef values) const { alacarte::take_from_first(rows_.source(), values); }
  double of_first(double value) const {
    take_from_first(Eigen::Map<Matrix>(&value, 1, 1));
    return value;
  }

  LaplaceRows rows_;
  Matrix weights_, gradient_;  ///< (D', K) at the mode of the last evaluation
  double jitter_ = 0;
  ModeTolerance tolerance_;

 private:
  double shorten(const Matrix& step, double& length, double best);
  /// Halves weights_ as long as that makes them more probable.
  void shrink_weights();
  /// Prepares the rows at theta and leaves the mode in weights_; returns -sum log p + |w|^2 / 2 there.
  double find_mode(ConstVec theta);
};

/// Estimates the flops of an evaluation with the joint curvature of `outputs` functions of `width` features, whose map
/// takes `map_flops_per_row`.
double joint_laplace_flops(double rows, double width, double outputs, double map_flops_per_row);
/// Estimates those of an evaluation with one block for each function.
double block_laplace_flops(double rows, double width, double outputs, double map_flops_per_row, bool keeps_features);

std::unique_ptr<Inference> make_joint_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
std::unique_ptr<Inference> make_block_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);

}  // namespace alacarte
