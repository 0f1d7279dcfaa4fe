#include "alacarte/core/tensor_bundle.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

const Tensor& find(const TensorBundle& bundle, const std::string& name, Tensor::Type type, std::size_t rank) {
  const auto found = bundle.tensors.find(name);
  if (found == bundle.tensors.end()) throw IoError("model file", "tensor '" + name + "' is missing");
  if (found->second.type != type) throw IoError("model file", "tensor '" + name + "' has the wrong element type");
  if (found->second.shape.size() != rank) throw IoError("model file", "tensor '" + name + "' has the wrong rank");
  return found->second;
}

void check_extent(const std::string& name, const Tensor& tensor, std::size_t axis, Index expected) {
  if (expected < 0 || tensor.shape[axis] == expected) return;
  throw IoError("model file", "tensor '" + name + "' has extent " + std::to_string(tensor.shape[axis]) + " on axis " +
                                  std::to_string(axis) + ", expected " + std::to_string(expected));
}

void check_finite(const std::string& name, const Tensor& tensor) {
  for (const double value : tensor.f64)
    if (!std::isfinite(value)) throw IoError("model file", "tensor '" + name + "' holds a value that is not finite");
}

}  // namespace

void TensorBundle::put(const std::string& name, ConstMat matrix) {
  Tensor tensor;
  tensor.shape = {matrix.rows(), matrix.cols()};
  tensor.f64.resize(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(tensor.f64.data(), matrix.rows(),
                                                                                     matrix.cols()) = matrix;
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
  const Tensor& tensor = find(*this, name, Tensor::Type::f64, 2);
  check_extent(name, tensor, 0, rows);
  check_extent(name, tensor, 1, cols);
  check_finite(name, tensor);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      tensor.f64.data(), tensor.shape[0], tensor.shape[1]);
}

Vector TensorBundle::vector(const std::string& name, Index size) const {
  const Tensor& tensor = find(*this, name, Tensor::Type::f64, 1);
  check_extent(name, tensor, 0, size);
  check_finite(name, tensor);
  return Eigen::Map<const Vector>(tensor.f64.data(), tensor.shape[0]);
}

std::vector<std::int32_t> TensorBundle::integers(const std::string& name, Index size) const {
  const Tensor& tensor = find(*this, name, Tensor::Type::i32, 1);
  check_extent(name, tensor, 0, size);
  return tensor.i32;
}

}  // namespace alacarte
