#pragma once
// The hash functions of p count sketches of d coordinates into D numbers: a bucket h_k(j) and a sign s_k(j) for each
// sketch k and coordinate j (Pham and Pagh 2013). Random buckets are 3-wise and signs 4-wise independent: random
// polynomials of degree 2 and 3 modulo the prime 2^31 - 1.
// Balanced buckets make products of coordinates collide as rarely as possible. The first q sketches, with the largest q
// that d^q <= D allows, have h_k(j) = j d^k: no two products of q coordinates collide, and if q = p the sketch is the
// tensor product itself and the estimate exact. The other sketches assign coordinates to buckets in ceil(d / D) rounds,
// each a random permutation of the buckets. Estimates stay unbiased, which depends only on the signs.
#include <string>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/core/tensor_bundle.hpp"

namespace alacarte {

class SketchHashes {
 public:
  /// Draws from "sketch.hashes", and "sketch.deal" if balanced. degree: p; coordinates: d; sketch: D; all positive.
  /// Memory 12 p d bytes.
  SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const RandomStreams& streams);
  /// Reads the tensors of save(). Throws IoError for tensors that do not fit.
  SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const TensorBundle& bundle,
               const std::string& prefix);
  void save(TensorBundle& bundle, const std::string& prefix) const;

  Index degree() const { return degree_; }            ///< p
  Index coordinates() const { return coordinates_; }  ///< d
  Index sketch() const { return sketch_; }            ///< D
  /// Returns the buckets in [0, D) or the signs, -1 or +1, of the k-th sketch (d).
  const std::int32_t* buckets(Index k) const { return buckets_.data() + k * coordinates_; }
  const double* signs(Index k) const { return signs_.data() + k * coordinates_; }

 private:
  void fill();
  std::int32_t bucket(Index k, Index coordinate) const;
  Index deal_size() const { return (coordinates_ + sketch_ - 1) / sketch_ * sketch_; }

  Index degree_, coordinates_, sketch_;
  Index placed_ = 0;  // q
  bool balanced_;
  Vector coefficients_;             // 7 for each sketch: 3 of its buckets, 4 of its signs
  std::vector<std::int32_t> deal_;  // balanced: deal_size() buckets of each sketch except the first q
  std::vector<std::int32_t> buckets_;
  std::vector<double> signs_;
};

}  // namespace alacarte
