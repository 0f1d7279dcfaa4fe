#include "alacarte/core/tensor_bundle.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Returns the checked tensor; -1 accepts any extent.
const Tensor& find(const TensorBundle& bundle, const std::string& name, Tensor::Type type,
                   const std::vector<Index>& extents) {
  const auto refuse = [&](const std::string& what) { throw IoError("model file", "tensor '" + name + "' " + what); };
  const auto found = bundle.tensors.find(name);
  if (found == bundle.tensors.end()) refuse("is missing");
  const Tensor& tensor = found->second;
  if (tensor.type != type) refuse("has the wrong element type");
  if (tensor.shape.size() != extents.size()) refuse("has the wrong rank");
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] >= 0 && tensor.shape[axis] != extents[axis])
      refuse("has extent " + std::to_string(tensor.shape[axis]) + " on axis " + std::to_string(axis) + ", expected " +
             std::to_string(extents[axis]));
  for (const double value : tensor.f64)
    if (!std::isfinite(value)) refuse("holds a value that is not finite");
  return tensor;
}

}  // namespace

void TensorBundle::put(const std::string& name, ConstMat matrix) {
  Tensor tensor;
  tensor.shape = {matrix.rows(), matrix.cols()};
  tensor.f64.resize(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<RowMajorMatrix>(tensor.f64.data(), matrix.rows(), matrix.cols()) = matrix;
  tensors[name] = std::move(tensor);
}

void TensorBundle::put_vector(const std::string& name, ConstVec vector) {
  Tensor tensor;
  tensor.shape = {vector.size()};
  tensor.f64.assign(vector.data(), vector.data() + vector.size());
  tensors[name] = std::move(tensor);
}

void TensorBundle::put_integers(const std::string& name, const std::vector<std::int32_t>& values) {
  Tensor tensor;
  tensor.type = Tensor::Type::i32;
  tensor.shape = {static_cast<Index>(values.size())};
  tensor.i32 = values;
  tensors[name] = std::move(tensor);
}

Matrix TensorBundle::matrix(const std::string& name, Index rows, Index cols) const {
  const Tensor& tensor = find(*this, name, Tensor::Type::f64, {rows, cols});
  return Eigen::Map<const RowMajorMatrix>(tensor.f64.data(), tensor.shape[0], tensor.shape[1]);
}

Vector TensorBundle::vector(const std::string& name, Index size) const {
  const Tensor& tensor = find(*this, name, Tensor::Type::f64, {size});
  return Eigen::Map<const Vector>(tensor.f64.data(), tensor.shape[0]);
}

std::vector<std::int32_t> TensorBundle::integers(const std::string& name, Index size) const {
  return find(*this, name, Tensor::Type::i32, {size}).i32;
}

}  // namespace alacarte
