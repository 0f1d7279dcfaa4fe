#include <stdexcept>

#include "alacarte/core/error.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

void put_number(TensorBundle& bundle, const std::string& name, double value) {
  bundle.put_vector(name, Vector::Constant(1, value));
}

double take_number(const TensorBundle& bundle, const std::string& name, double least) {
  const double value = bundle.vector(name, 1)[0];
  if (value < least) throw IoError("model file", "tensor '" + name + "' is below its least value");
  return value;
}

}  // namespace

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

std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix,
                                          std::shared_ptr<const FeatureMap> map, ConstVec theta) {
  const Index features = map->feature_count();
  if (bundle.contains(prefix + "output_weights")) return load_outputs_posterior(bundle, prefix, std::move(map), theta);
  FeatureState state;
  state.scalars = take_scalars(bundle, prefix);
  state.weights = bundle.vector(prefix + "weights", features);
  if (bundle.contains(prefix + "training_inputs"))
    state.inputs = bundle.matrix(prefix + "training_inputs", -1, map->input_count());
  if (state.inputs.size() > 0 || bundle.contains(prefix + "factor")) {
    state.centre = bundle.vector(prefix + "centre", features);
    state.factor = take_factor(bundle, prefix, state.inputs.size() > 0 ? state.inputs.rows() : features);
  }
  return make_posterior(std::move(map), theta, std::move(state));
}

std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix,
                                          std::shared_ptr<const Kernel> kernel, ConstVec theta) {
  ExactState state;
  state.scalars = take_scalars(bundle, prefix);
  state.inputs = bundle.matrix(prefix + "training_inputs", -1, kernel->input_count());
  state.alpha = bundle.vector(prefix + "alpha", state.inputs.rows());
  if (bundle.contains(prefix + "factor")) {
    state.row_means = bundle.vector(prefix + "row_means", state.inputs.rows());
    state.factor = take_factor(bundle, prefix, state.inputs.rows());
  }
  return make_posterior(std::move(kernel), theta, std::move(state));
}

void Posterior::predict_sparse(const SparseView&, MatRef) const {
  throw std::invalid_argument("predict_sparse: this posterior takes no sparse rows");
}

void Posterior::predict_outputs(ConstMat x, MatRef means, MatRef covariances) const {
  if (means.cols() != 1) throw std::invalid_argument("predict_outputs: this posterior has one output");
  Vector none;
  if (covariances.size() == 0)
    predict(x, means.col(0), none);
  else
    predict(x, means.col(0), covariances.col(0));
}

}  // namespace alacarte
