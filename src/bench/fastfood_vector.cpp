#include "bench/fastfood_vector.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "alacarte/linalg/hadamard.hpp"
#include "alacarte/linalg/sincos.hpp"

namespace alacarte::bench {
namespace {

constexpr double kTwoPi = 6.283185307179586476925;

Index whole_tiles(Index count) { return (count + kTileWidth - 1) / kTileWidth * kTileWidth; }

}  // namespace

template <class Scalar>
FastfoodVector<Scalar>::FastfoodVector(Index inputs, Index frequencies, std::uint64_t seed)
    : inputs_(inputs), blocks_(frequencies / inputs) {
  require((inputs & (inputs - 1)) == 0 && frequencies == blocks_ * inputs, "Fastfood: a power of two, whole blocks");
  const FastfoodDraws draws(inputs, frequencies, RandomStreams(seed));
  signs_ = draws.signs.cast<Scalar>();
  gaussian_ = draws.gaussian.cast<Scalar>();
  permutation_ = draws.permutation;
  turns_.resize(frequencies);
  const alacarte::Vector norms = draws.inverse_norms();
  for (Index i = 0; i < frequencies; ++i)
    turns_[i] = static_cast<Scalar>(norms[i / inputs] / std::sqrt(static_cast<double>(inputs)) / kTwoPi);
  hidden_.setZero(whole_tiles(frequencies));
  phases_.setZero(whole_tiles(frequencies));
}

template <class Scalar>
Scalar FastfoodVector<Scalar>::predict(const Vector& x, const Vector& weights) {
  require(x.size() == inputs_ && weights.size() == 2 * turns_.size(), "Fastfood: shapes");
  for (Index block = 0; block < blocks_; ++block)
    hidden_.segment(block * inputs_, inputs_) = signs_.segment(block * inputs_, inputs_).cwiseProduct(x);
  hadamard_vectors(hidden_.data(), inputs_, blocks_);
  gather_vectors(hidden_.data(), permutation_.data(), gaussian_.data(), inputs_, blocks_, phases_.data());
  hadamard_vectors(phases_.data(), inputs_, blocks_);
  const Index m = turns_.size();
  return cos_sin_dot(phases_.data(), turns_.data(), weights.data(), weights.data() + m, m);
}

template class FastfoodVector<double>;
template class FastfoodVector<float>;

}  // namespace alacarte::bench
