#pragma once
// Generalised consistent weighted sampling (Li 2017, section 1.2): k hash values (i*, t*) of a row u, from its positive
// and negative parts u~ = [max(u, 0), max(-u, 0)]. Two rows collide in a value with probability equal to their min-max
// kernel sum_i min(u~_i, u~'_i) / sum_i max(u~_i, u~'_i). A code keeps few bits of each: the lowest bits of i* ("0-bit"
// scheme), or of a hash of i* and t*. Rows of zeros share a coordinate of their own.
#include <vector>

#include "alacarte/core/input_view.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// A sampler, const and shared by threads. Random numbers are hashes of key, sample and coordinate: none are stored.
class ConsistentSampler {
 public:
  /// Takes key: seed of the hashes; inputs: d; samples: k >= 1; bits: size of a code, in [1, 24]; full: hash i* and t*
  /// instead of the 0-bit scheme. Throws ConfigError when 2d + 1 or k * code_count() is 2^31 or more.
  ConsistentSampler(std::uint64_t key, Index inputs, Index samples, Index bits, bool full);

  Index inputs() const { return inputs_; }
  Index samples() const { return samples_; }
  /// Returns the number of different codes: 2^bits, or 2d + 1 in the 0-bit scheme if that is less.
  Index code_count() const { return codes_; }

  /// Returns an upper bound on the bytes of work space that a thread keeps, besides the codes.
  double work_bytes() const;

  /// Computes codes (n k, row by row), each in [0, code_count()), of x (n, d); overwritten. Cost O(k nonzeros), plus a
  /// few logarithms for each sample and each coordinate with a nonzero in these rows. Throws std::invalid_argument for
  /// another width.
  void sample(const SparseView& x, std::vector<std::int32_t>& codes) const;

 private:
  struct Work;
  void sample_group(const SparseView& x, Work& work, std::int32_t* codes) const;
  /// Returns t* of a nonzero in the lane-th sample of work.draws.
  static float level_of(const Work& work, std::size_t nonzero, Index lane);
  std::int32_t code_of(std::int32_t coordinate, float level, Index sample) const;

  std::uint64_t key_;
  Index inputs_, samples_, codes_;
  std::uint32_t mask_;
  bool full_;
};

}  // namespace alacarte
