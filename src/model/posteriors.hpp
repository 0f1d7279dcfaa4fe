#pragma once
// States of posteriors: computed by training, and stored in model files. Each maker checks its state alone, so a loaded
// posterior and a fresh one are the same object and predict the same bits.
#include <alacarte/model/posterior.hpp>

namespace alacarte {

struct PosteriorScalars {
  double offset = 0;             ///< constant part of the mean function
  double noise_variance = 1;     ///< s2
  double constant_variance = 0;  ///< s2/n of the constant mean, n the sum of weights; 0 = no constant
};

struct FeatureState {
  PosteriorScalars scalars;
  Vector weights, centre;  ///< (D)
  Matrix inputs;           ///< dual: (n, d) training inputs
  SparseRows sparse;       ///< dual: training inputs by their nonzeros, in place of inputs; both empty = primal
  bool is_dual() const { return inputs.size() > 0 || sparse.width > 0; }
  InputView training_inputs() const { return sparse.width > 0 ? InputView(sparse.view()) : InputView(inputs); }
  Vector roots;   ///< dual: (n) roots of the weights of rows; empty: all 1
  Matrix factor;  ///< dual: (n, n) lower, of DualGaussian; primal: (D, D) lower; empty = primal, mean only
};

/// K functions over the same features, of which a constant may be the first: f_k = [constant, psi]^T weights_k.
struct OutputsState {
  Matrix weights;       ///< (D', K), D' = D, or D + 1 with the constant
  double constant = 0;  ///< prior standard deviation of each function's constant; 0 = there is none
  /// Lower factor of B = the inverse covariance of the weights, one function after the other (K D', K D'); or the
  /// factors of B_k side by side (D', K D'), for the contrasts of each function and their mean
  /// (inference/inference.hpp); empty = means only.
  Matrix factor;
};

struct ExactState {
  PosteriorScalars scalars;
  Matrix inputs, factor;    ///< (n, d), (n, n) lower; an empty factor = mean only
  Vector alpha, row_means;  ///< (n)
  Vector roots;             ///< (n) roots of the weights of rows; empty: all 1
};

/// Makes or loads a posterior. theta begins with the parameters of the map or kernel; further entries are ignored.
std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, FeatureState state);
std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, OutputsState state);
std::unique_ptr<Posterior> load_outputs_posterior(const TensorBundle& bundle, const std::string& prefix,
                                                  std::shared_ptr<const FeatureMap> map, ConstVec theta);
std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const Kernel> kernel, ConstVec theta, ExactState state);

/// Draws `count` functions at x by their joint covariance there: (rows, count). For posteriors of a process without
/// finite features.
Matrix draw_jointly(const FunctionPosterior& posterior, const InputView& x, Index count, RandomStream& stream);

/// Throws NumericalError if the posterior has no variances.
void need_variance(const FunctionPosterior& posterior);
/// Checks the shapes of FunctionPosterior::predict_tangents(), and that there are variances if they are asked for.
void check_tangents(const FunctionPosterior& posterior, const InputView& x, Index directions, ConstMat means,
                    ConstMat variances);

/// Rows that one pass of a posterior handles. Predictions are cut at multiples of it with any number of threads, so
/// they do not depend on that number.
inline constexpr Index kPosteriorRows = 256;

/// Stores and loads "root_weights" (n), where there are any. take_roots() throws IoError for values that are not
/// positive.
void put_roots(TensorBundle& bundle, const std::string& prefix, const Vector& roots);
Vector take_roots(const TensorBundle& bundle, const std::string& prefix, Index rows);
void put_scalars(TensorBundle& bundle, const std::string& prefix, const PosteriorScalars& scalars);
PosteriorScalars take_scalars(const TensorBundle& bundle, const std::string& prefix);
/// Stores a lower triangle by columns, n(n+1)/2 numbers; for (n, b n) those of each of the b factors.
void put_factor(TensorBundle& bundle, const std::string& prefix, const Matrix& factor);
/// Stores and loads the training inputs of a dual posterior: "training_inputs" (n, d), or "training_inputs.starts" (n +
/// 1), ".columns" and ".values" (nonzeros). take_training_inputs() throws IoError when they do not fit `inputs`
/// columns; a state without them stays primal.
void put_training_inputs(TensorBundle& bundle, const std::string& prefix, const FeatureState& state);
void take_training_inputs(const TensorBundle& bundle, const std::string& prefix, Index inputs, FeatureState& state);
/// Loads the factors of put_factor(), with zeros in the strict upper triangles. Throws IoError when the size does not
/// fit or a diagonal is not positive.
Matrix take_factor(const TensorBundle& bundle, const std::string& prefix, Index size, Index factors = 1);

}  // namespace alacarte
