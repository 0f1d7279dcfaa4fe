#pragma once
// Generalised consistent weighted sampling (Li 2017, section 1.2): k samples (i*, t*) of a row u, drawn from its
// doubled form u~ = [max(u, 0), max(-u, 0)] so that two rows agree in a sample with the probability that is their
// min-max kernel. Of each sample a code of few bits is kept: the lowest bits of i* (0-bit scheme), or of a hash of
// both. A row of zeros takes a coordinate of its own, that no other row has.
#include <string>
#include <vector>

#include "alacarte/core/sparse_rows.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

class ConsistentSampler {
 public:
  /// bits in [1, 24]. Throws ConfigError when (2 inputs + 1) or samples * code_count() is 2^31 or more.
  ConsistentSampler(std::uint64_t key, Index inputs, Index samples, Index bits, bool full);

  Index inputs() const { return inputs_; }
  Index samples() const { return samples_; }
  /// How many codes there are: 2^bits, or 2 inputs + 1 where i* is below that.
  Index code_count() const { return codes_; }

  /// Memory that a thread keeps, but for the codes, at most.
  double work_bytes() const;

  /// codes (rows * samples, row by row) in [0, code_count()). Cost O(samples * nonzeros), and a few logarithms more for
  /// each sample and coordinate that has a nonzero in these rows; memory that the thread keeps.
  void sample(const SparseView& x, std::vector<std::int32_t>& codes) const;

 private:
  struct Work;
  void sample_group(const SparseView& x, Work& work, std::int32_t* codes) const;
  /// t* of a nonzero in the lane-th sample of those that work.draws are of.
  static float level_of(const Work& work, std::size_t nonzero, Index lane);
  std::int32_t code_of(std::int32_t coordinate, float level, Index sample) const;

  std::uint64_t key_;
  Index inputs_, samples_, codes_;
  std::uint32_t mask_;
  bool full_;
};

}  // namespace alacarte
