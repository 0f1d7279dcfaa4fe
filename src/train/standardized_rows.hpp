#pragma once
// Encoded rows standardised as they are read: what training uses when the rows do not fit memory.
#include "alacarte/core/row_source.hpp"
#include "alacarte/data/encoded_rows.hpp"

namespace alacarte {

class StandardizedRows final : public RowSource {
 public:
  /// `raw` must outlive the source. Cost: one pass for the statistics of the target.
  StandardizedRows(const EncodedRows& raw, const Standardizer& standardizer);
  Index rows() const override { return raw_.rows(); }
  Index inputs() const override { return raw_.inputs(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double target_mean() const override { return target_mean_; }
  double target_sd() const override { return target_sd_; }
  Vector input_ranges() const override { return standardizer_.standardised_range(); }
  double scratch_bytes(Index count) const override;

 private:
  const EncodedRows& raw_;
  Standardizer standardizer_;
  double target_mean_ = 0, target_sd_ = 1;
};

}  // namespace alacarte
