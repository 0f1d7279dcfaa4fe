#pragma once
// Named tensors, which the parts of a model save and load. io/model_file.hpp defines the file format.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alacarte {

/// A dense tensor of doubles or 32-bit integers with the row-major shape of safetensors; a Matrix is stored with shape
/// {rows, cols} in row-major order.
struct Tensor {
  /// Element type.
  enum class Type { f64, i32 };
  Type type = Type::f64;          ///< selects one of the two vectors below
  std::vector<Index> shape;       ///< extents; their product is the number of entries
  std::vector<double> f64;        ///< entries of Type::f64, else empty
  std::vector<std::int32_t> i32;  ///< entries of Type::i32, else empty
};

/// Tensors by name. Putting a tensor replaces the one of that name.
struct TensorBundle {
  std::map<std::string, Tensor> tensors;  ///< sorted by name

  void put(const std::string& name, ConstMat matrix);                                   ///< shape {rows, cols}
  void put_vector(const std::string& name, ConstVec vector);                            ///< shape {size}
  void put_integers(const std::string& name, const std::vector<std::int32_t>& values);  ///< shape {size}

  /// Returns a tensor and checks its shape; -1 accepts any extent. Throws IoError naming the tensor if it is absent, of
  /// another type or shape, or holds a non-finite number (`source` of the message: "model file").
  Matrix matrix(const std::string& name, Index rows = -1, Index cols = -1) const;
  Vector vector(const std::string& name, Index size = -1) const;                       ///< (size)
  std::vector<std::int32_t> integers(const std::string& name, Index size = -1) const;  ///< (size)
  /// Returns true if there is a tensor of this name.
  bool contains(const std::string& name) const { return tensors.count(name) != 0; }
};

}  // namespace alacarte
