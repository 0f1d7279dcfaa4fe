#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "alacarte/core/error.hpp"
#include "features/kernel_features.hpp"
#include "features/levels.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

void put_number(TensorBundle& bundle, const std::string& name, double value) {
  bundle.put_vector(name, Vector::Constant(1, value));
}

double take_number(const TensorBundle& bundle, const std::string& name, double minimum) {
  const double value = bundle.vector(name, 1)[0];
  if (value < minimum) throw IoError("model file", "tensor '" + name + "' is below its least value");
  return value;
}

template <class Numbers>
void put_numbers(TensorBundle& bundle, const std::string& name, const Numbers& numbers) {
  Vector tensor(static_cast<Index>(numbers.size()));
  std::transform(numbers.begin(), numbers.end(), tensor.begin(), [](auto value) { return static_cast<double>(value); });
  bundle.put_vector(name, tensor);
}

/// Reads integers from 0 to `maximum`.
std::vector<Index> take_places(const TensorBundle& bundle, const std::string& name, Index count, Index maximum) {
  std::vector<Index> places;
  for (const double value : bundle.vector(name, count)) {
    if (!(value >= 0 && value <= static_cast<double>(maximum)) || value != std::floor(value))
      throw IoError("model file", "tensor '" + name + "' holds a number that is no place");
    places.push_back(static_cast<Index>(value));
  }
  return places;
}

}  // namespace

void need_variance(const FunctionPosterior& posterior) {
  if (!posterior.has_variance()) throw NumericalError("prediction", "this model was saved without its variances");
}

void check_tangents(const FunctionPosterior& posterior, const InputView& x, Index directions, ConstMat means,
                    ConstMat variances) {
  require(means.rows() == x.rows() && means.cols() == directions &&
              (variances.size() == 0 || (variances.rows() == x.rows() && variances.cols() == directions)),
          "predict_tangents: one mean and variance for each row and direction");
  if (variances.size() > 0) need_variance(posterior);
}

void put_scalars(TensorBundle& bundle, const std::string& prefix, const PosteriorScalars& scalars) {
  put_number(bundle, prefix + "offset", scalars.offset);
  put_number(bundle, prefix + "noise_variance", scalars.noise_variance);
  put_number(bundle, prefix + "constant_variance", scalars.constant_variance);
}

PosteriorScalars take_scalars(const TensorBundle& bundle, const std::string& prefix) {
  PosteriorScalars scalars;
  scalars.offset = bundle.vector(prefix + "offset", 1)[0];
  scalars.noise_variance = take_number(bundle, prefix + "noise_variance", 0);
  scalars.constant_variance = take_number(bundle, prefix + "constant_variance", 0);
  return scalars;
}

void put_roots(TensorBundle& bundle, const std::string& prefix, const Vector& roots) {
  if (roots.size() > 0) bundle.put_vector(prefix + "root_weights", roots);
}

Vector take_roots(const TensorBundle& bundle, const std::string& prefix, Index rows) {
  if (!bundle.contains(prefix + "root_weights")) return {};
  Vector roots = bundle.vector(prefix + "root_weights", rows);
  if (!(roots.array() > 0).all())
    throw IoError("model file", "tensor '" + prefix + "root_weights' holds a value that is not positive");
  return roots;
}

void put_factor(TensorBundle& bundle, const std::string& prefix, const Matrix& factor) {
  const Index n = factor.rows();
  Vector packed(factor.cols() * (n + 1) / 2);
  Index at = 0;
  for (Index column = 0; column < factor.cols(); ++column) {
    const Index below = n - column % n;
    packed.segment(at, below) = factor.col(column).tail(below);
    at += below;
  }
  bundle.put_vector(prefix + "factor", packed);
}

Matrix take_factor(const TensorBundle& bundle, const std::string& prefix, Index size, Index factors) {
  const Vector packed = bundle.vector(prefix + "factor", factors * size * (size + 1) / 2);
  Matrix factor = Matrix::Zero(size, factors * size);
  Index at = 0;
  for (Index column = 0; column < factor.cols(); ++column) {
    const Index row = column % size, below = size - row;
    factor.col(column).tail(below) = packed.segment(at, below);
    if (!(factor(row, column) > 0))
      throw IoError("model file", "tensor '" + prefix + "factor' has a diagonal that is not positive");
    at += below;
  }
  return factor;
}

void put_training_inputs(TensorBundle& bundle, const std::string& prefix, const FeatureState& state) {
  const std::string name = prefix + "training_inputs";
  if (state.sparse.width == 0) return bundle.put(name, state.inputs);
  put_numbers(bundle, name + ".starts", state.sparse.starts);
  put_numbers(bundle, name + ".columns", state.sparse.columns);
  put_numbers(bundle, name + ".values", state.sparse.values);
}

void take_training_inputs(const TensorBundle& bundle, const std::string& prefix, Index inputs, FeatureState& state) {
  const std::string name = prefix + "training_inputs";
  if (bundle.contains(name)) state.inputs = bundle.matrix(name, -1, inputs);
  if (!bundle.contains(name + ".starts")) return;
  const Vector values = bundle.vector(name + ".values", -1);
  SparseRows& rows = state.sparse;
  rows.width = inputs;
  rows.values.assign(values.begin(), values.end());
  rows.columns = take_places(bundle, name + ".columns", values.size(), inputs - 1);
  rows.starts = take_places(bundle, name + ".starts", -1, values.size());
  if (rows.starts.empty() || rows.starts.front() != 0 || rows.starts.back() != values.size() ||
      !std::is_sorted(rows.starts.begin(), rows.starts.end()))
    throw IoError("model file", "tensor '" + name + ".starts' does not cut the nonzeros into rows");
}

std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix, const Prior& prior,
                                          ConstVec theta) {
  std::shared_ptr<const FeatureMap> map = prior.map();
  if (!map && !bundle.contains(prefix + "weights") && !bundle.contains(prefix + "output_weights")) {
    ExactState state;
    state.scalars = take_scalars(bundle, prefix);
    state.inputs = bundle.matrix(prefix + "training_inputs", -1, prior.input_count());
    state.alpha = bundle.vector(prefix + "alpha", state.inputs.rows());
    if (bundle.contains(prefix + "factor")) {
      state.row_means = bundle.vector(prefix + "row_means", state.inputs.rows());
      state.factor = take_factor(bundle, prefix, state.inputs.rows());
      state.roots = take_roots(bundle, prefix, state.inputs.rows());
    }
    return make_posterior(prior.kernel(), theta, std::move(state));
  }
  if (!map)
    map = make_kernel_features(prior.kernel(), bundle.matrix(prefix + "training_inputs", -1, prior.input_count()));
  if (has_features_net_of_levels(bundle, prefix)) map = load_features_net_of_levels(std::move(map), bundle, prefix);
  const Index features = map->feature_count();
  if (bundle.contains(prefix + "output_weights")) return load_outputs_posterior(bundle, prefix, std::move(map), theta);
  FeatureState state;
  state.scalars = take_scalars(bundle, prefix);
  state.weights = bundle.vector(prefix + "weights", features);
  if (!map->has_residual()) take_training_inputs(bundle, prefix, map->input_count(), state);
  if (state.is_dual() || bundle.contains(prefix + "factor")) {
    state.centre = bundle.vector(prefix + "centre", features);
    state.factor = take_factor(bundle, prefix, state.is_dual() ? state.training_inputs().rows() : features);
    if (state.is_dual()) state.roots = take_roots(bundle, prefix, state.training_inputs().rows());
  }
  return make_posterior(std::move(map), theta, std::move(state));
}

const FunctionPosterior& function_of(const Posterior& posterior) {
  const FunctionPosterior* function = posterior.as_function();
  require(function != nullptr, "a posterior of one function is needed here");
  return *function;
}

void FunctionPosterior::predict_outputs(const InputView& x, MatRef means, MatRef covariances) const {
  if (means.cols() != 1) throw std::invalid_argument("predict_outputs: this posterior has one output");
  Vector none;
  if (covariances.size() == 0)
    predict(x, means.col(0), none);
  else
    predict(x, means.col(0), covariances.col(0));
}

}  // namespace alacarte
