#pragma once
// Where each of d coordinates goes in p count sketches of D numbers, and with which sign (Pham and Pagh 2013).
// Buckets are 3-wise and signs 4-wise independent: random polynomials of degree 2 and 3 modulo the prime 2^31 - 1.
// Balanced buckets are chosen instead so that products of coordinates meet as rarely as possible. The k-th of the first
// q sketches has coordinate j in bucket j d^k, q as large as d^q <= D allows: no two products of q coordinates meet,
// and if q = p the sketch is the tensor product itself and the estimate the kernel. The others are dealt: ceil(d / D)
// rounds, in each every bucket once, in random order. Estimates stay unbiased: only signs decide that.
#include <string>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/core/tensor_bundle.hpp"

namespace alacarte {

class SketchHashes {
 public:
  SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const RandomStreams& streams);
  /// Throws IoError for tensors that do not fit.
  SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const TensorBundle& bundle,
               const std::string& prefix);
  void save(TensorBundle& bundle, const std::string& prefix) const;

  Index degree() const { return degree_; }
  Index coordinates() const { return coordinates_; }
  Index sketch() const { return sketch_; }
  /// Of the k-th sketch (coordinates()): buckets in [0, D), signs -1 or +1.
  const std::int32_t* buckets(Index k) const { return buckets_.data() + k * coordinates_; }
  const double* signs(Index k) const { return signs_.data() + k * coordinates_; }

 private:
  void fill();
  std::int32_t bucket(Index k, Index coordinate) const;
  Index deal_size() const { return (coordinates_ + sketch_ - 1) / sketch_ * sketch_; }

  Index degree_, coordinates_, sketch_;
  Index placed_ = 0;  // q
  bool balanced_;
  Vector coefficients_;             // 7 of each sketch: 3 of its buckets, 4 of its signs
  std::vector<std::int32_t> deal_;  // balanced: deal_size() buckets of each sketch but the first q
  std::vector<std::int32_t> buckets_;
  std::vector<double> signs_;
};

}  // namespace alacarte
