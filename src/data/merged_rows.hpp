#pragma once
// Rows with equal inputs (replicates), each set of them as one row. The Gaussian evidence and posterior of all rows are
// those of the merged ones except for a term that depends only on the noise (Binois, Gramacy & Ludkovski 2018, J.
// Comput. Graph. Stat. 27, 808, section 3). For m rows at one x, with targets y_i of noise s2 / w_i, W = sum w_i and
// y = sum w_i y_i / W:
//
//   prod_i N(y_i | f, s2/w_i) = N(y | f, s2/W) exp(-c),
//   c = ((m - 1) log(2 pi s2) + log W - sum log w_i + sum w_i (y_i - y)^2 / s2) / 2.
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// One row for each distinct x of a source, in the order of first occurrence, with weight W and target y. Inputs are
/// copied.
class MergedRows final : public RowSource {
 public:
  /// Returns null if a fifth of the rows or fewer would go, for rows that are sparse, distributed or not in memory, and
  /// if making_bytes() exceeds max_bytes; 0 = no limit. Cost: O(n d), plus sorting n numbers unless it is null. Memory:
  /// 8 n, and 8 (2 + T) for each distinct row of T targets; if it is null, n / 2 bytes meanwhile, or more just above
  /// the limit.
  static std::shared_ptr<const MergedRows> make(std::shared_ptr<const RowSource> source, double max_bytes = 0);
  /// Returns an upper bound of the peak memory while rows are merged.
  static double making_bytes(const RowSource& source);

  const RowSource& source() const { return *source_; }  ///< the original rows
  /// Returns for each original row its index here.
  const std::vector<Index>& places() const { return places_; }
  const Vector& target() const { return target_; }    ///< (rows()) y
  const Vector& weights() const { return weights_; }  ///< (rows()) W
  /// Returns sum c over all sets of rows, for target t at noise variance s2.
  double constant(Index t, double noise_variance) const;
  /// Returns its derivative in s2.
  double constant_slope(Index t, double noise_variance) const;

  Index rows() const override { return weights_.size(); }
  Index inputs() const override { return source_->inputs(); }
  bool has_weights() const override { return true; }
  const Matrix& more_targets() const override { return more_targets_; }
  const std::vector<Index>& level_counts() const override { return source_->level_counts(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double scratch_bytes(Index count) const override;

 private:
  MergedRows(std::shared_ptr<const MemoryRows> source, std::vector<Index> places, std::vector<Index> firsts);

  std::shared_ptr<const MemoryRows> source_;
  std::vector<Index> places_, firsts_;  // set of each row; first row of each set
  Vector target_, weights_;
  Matrix more_targets_;
  double log_weight_ = 0;  // sum log W - sum log w_i
  Vector squares_;         // (T) sum w_i (y_i - y)^2
};

}  // namespace alacarte
