#pragma once
// Named tensors, which the parts of a model save and load. The file format is that of io/model_file.hpp.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alacarte {

/// A dense tensor of doubles or 32-bit integers, row-major shape as safetensors has it; a Matrix is stored as shape
/// {rows, cols} in row-major order.
struct Tensor {
  /// Kind of the numbers.
  enum class Type { f64, i32 };
  Type type = Type::f64;          ///< which of the two vectors below holds the numbers
  std::vector<Index> shape;       ///< extents; their product is the count of numbers
  std::vector<double> f64;        ///< of Type::f64, else empty
  std::vector<std::int32_t> i32;  ///< of Type::i32, else empty
};

/// Tensors by name. What puts a tensor replaces one of the same name.
struct TensorBundle {
  std::map<std::string, Tensor> tensors;  ///< by name, in its order

  void put(const std::string& name, ConstMat matrix);                                   ///< shape {rows, cols}
  void put_vector(const std::string& name, ConstVec vector);                            ///< shape {size}
  void put_integers(const std::string& name, const std::vector<std::int32_t>& values);  ///< shape {size}

  /// The takers check the shape: -1 accepts any extent. They throw IoError naming the tensor if it is absent, of
  /// another type, of another shape, or holds a non-finite number (`source` of the message: "model file").
  Matrix matrix(const std::string& name, Index rows = -1, Index cols = -1) const;
  Vector vector(const std::string& name, Index size = -1) const;                       ///< (size)
  std::vector<std::int32_t> integers(const std::string& name, Index size = -1) const;  ///< (size)
  /// Whether there is a tensor of this name.
  bool contains(const std::string& name) const { return tensors.count(name) != 0; }
};

}  // namespace alacarte
