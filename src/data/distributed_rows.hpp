#pragma once
// Rows distributed over ranks: each holds a range of them (core/ranks.hpp).
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// The rows of all ranks in order. Only `own` is here; of the others only the number is known.
class DistributedRows final : public RowSource {
 public:
  /// Joins the rows of all ranks, which call it together, with equal inputs and weights.
  explicit DistributedRows(std::shared_ptr<RowSource> own);
  const std::shared_ptr<RowSource>& own() const { return own_; }

  Index rows() const override { return rows_; }
  Index inputs() const override { return own_->inputs(); }
  bool has_weights() const override { return has_weights_; }
  bool has_offsets() const override { return has_offsets_; }
  const std::vector<Index>& level_counts() const override { return own_->level_counts(); }
  bool is_distributed() const override { return true; }
  Index own_first() const override { return first_; }
  Index own_rows() const override { return own_->rows(); }
  Index largest_share() const override { return largest_; }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    return own_->read(first - first_, count, scratch);
  }
  /// Returns the same on all ranks, like everything that memory plans depend on.
  double scratch_bytes(Index count) const override;
  double memory_bytes() const override { return memory_bytes_; }

  /// Returns the indices in `own` of those of `places` (among all rows) that are here, in the order of `places`.
  std::vector<Index> own_places(const std::vector<Index>& places) const;

 private:
  std::shared_ptr<RowSource> own_;
  Index rows_ = 0, first_ = 0, largest_ = 0;
  double memory_bytes_ = 0;
  double fixed_scratch_ = 0, row_scratch_ = 0;
  bool has_weights_, has_offsets_;
};

/// Joins `own` rows of all ranks; returns `own` if there is one rank.
std::shared_ptr<RowSource> distribute(std::shared_ptr<RowSource> own);

/// Replaces values by the first rank's, if ranks share the rows: last digits differ between machines.
void take_from_first(const RowSource& rows, MatRef values);

/// Returns the rows of `order`, each on its rank, in the order of the ranks, then of `order`; else gather_rows().
std::shared_ptr<const RowSource> pick_rows(const std::shared_ptr<const RowSource>& rows,
                                           const std::vector<Index>& order);

/// Returns a source of the same rows that is complete here: itself, or all rows gathered from the ranks. Throws
/// ConfigError, naming `place`, for more rows than one rank should hold.
std::shared_ptr<const RowSource> whole_rows(std::shared_ptr<const RowSource> rows, const char* place);

}  // namespace alacarte
