#pragma once
// One vector to its prediction by Fastfood, straight from the kernels: what Table 2 of Le, Sarlos and Smola (2013)
// times, in both precisions.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <vector>

namespace alacarte::bench {

template <class Scalar>
class FastfoodVector {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// inputs a power of two, frequencies a multiple of it. Diagonals and permutations are drawn; lengths are 1.
  FastfoodVector(Index inputs, Index frequencies, std::uint64_t seed);

  /// weights (2 frequencies) times [cos u, sin u], u = the Fastfood projection of x (inputs). Allocates nothing.
  Scalar predict(const Vector& x, const Vector& weights);

 private:
  Index inputs_, blocks_;
  Vector signs_, gaussian_, turns_, hidden_, phases_;
  std::vector<std::int32_t> permutation_;
};

extern template class FastfoodVector<double>;
extern template class FastfoodVector<float>;

}  // namespace alacarte::bench
