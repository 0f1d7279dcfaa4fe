#pragma once
// Rows with equal inputs (replicates), each set of them as one row. The Gaussian evidence and posterior of all rows are
// those of the merged ones but for a number that depends on the noise alone (Binois, Gramacy & Ludkovski 2018, J.
// Comput. Graph. Stat. 27, 808, section 3). Of m rows at one x, with targets y_i of noise s2 / w_i, W = sum w_i and
// y = sum w_i y_i / W:
//
//   prod_i N(y_i | f, s2/w_i) = N(y | f, s2/W) exp(-c),
//   c = ((m - 1) log(2 pi s2) + log W - sum log w_i + sum w_i (y_i - y)^2 / s2) / 2.
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// One row for each distinct x among those of a source, in the order in which they first occur, with weight W and
/// target y. Inputs are copied as they are read.
class MergedRows final : public RowSource {
 public:
  /// Null where a fifth of the rows or fewer would go, and for rows that are sparse, shared by ranks or not in memory.
  /// Also null where making_bytes() are more than max_bytes; 0 = no limit. Cost: O(n d), and where it is not null
  /// sorting n numbers. Memory: 8 n, and 8 (2 + T) for each distinct row of T targets; where it is null n / 2 bytes
  /// meanwhile, unless the rows are just above the limit of a fifth.
  static std::shared_ptr<const MergedRows> make(std::shared_ptr<const RowSource> source, double max_bytes = 0);
  /// The peak while rows are merged, at most.
  static double making_bytes(const RowSource& source);

  const RowSource& source() const { return *source_; }  ///< the rows that these stand for
  /// The place here of each of them.
  const std::vector<Index>& places() const { return places_; }
  const Vector& target() const { return target_; }    ///< (rows()) y
  const Vector& weights() const { return weights_; }  ///< (rows()) W
  /// sum c over all sets of rows, for target t at noise variance s2.
  double constant(Index t, double noise_variance) const;
  /// Its derivative in s2.
  double constant_slope(Index t, double noise_variance) const;

  Index rows() const override { return weights_.size(); }
  Index inputs() const override { return source_->inputs(); }
  bool has_weights() const override { return true; }
  const Matrix& more_targets() const override { return more_targets_; }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double scratch_bytes(Index count) const override;

 private:
  MergedRows(std::shared_ptr<const MemoryRows> source, std::vector<Index> places, std::vector<Index> firsts);

  std::shared_ptr<const MemoryRows> source_;
  std::vector<Index> places_, firsts_;  // of each row its set; of each set its first row
  Vector target_, weights_;
  Matrix more_targets_;
  double log_weight_ = 0;  // sum log W - sum log w_i
  Vector squares_;         // (T) sum w_i (y_i - y)^2
};

}  // namespace alacarte
