#pragma once
// The rows of a training on minibatches: those that features are fitted to, handed out in random order, and those held
// out.
#include <cstdint>
#include <utility>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// Rows among others in memory, by their places; if ranks share the batch, those that this one has.
struct BatchRows {
  Eigen::Ref<const Matrix> x;  ///< (n, d)
  Eigen::Ref<const Vector> y;  ///< (n)
  const Index* places;
  Index count;
  Eigen::Map<const Vector> offsets{nullptr, 0};  ///< (n) offsets of counts, or empty: all 0
};

/// Batches of rows in random order, pass after pass; a pass ends where a whole batch no longer fits. The rows
/// are kept in memory if they fit. Otherwise blocks of neighbouring rows are read in random order, many of them at a
/// time, and shuffled together: each pass visits all rows, and no more are in memory than fit.
///
/// Ranks that share the rows draw one order, which in memory is that of one process, and each has the rows of a batch
/// that it holds, possibly none. A fill of the memory takes its part of the blocks of each rank.
class MinibatchRows {
 public:
  /// Prepares batches of `batch` rows, at most the number of rows. max_bytes: limit of the rows in memory and their
  /// order; two batches are kept in any case. is_number: targets are handed out with mean 0 and standard deviation 1
  /// over `rows`, otherwise unchanged. held_out: rows that no batch has. Both must outlive it. Cost: up to two passes.
  /// All ranks call it together.
  MinibatchRows(const RowSource& rows, const MemoryRows& held_out, Index batch, double max_bytes, bool is_number,
                RandomStream stream);

  Index kept() const { return source_.rows(); }      ///< rows of a pass, of all ranks
  bool in_memory() const { return in_memory_; }      ///< true: rows are read once, not in every pass
  Index most_rows() const { return x_.rows(); }      ///< largest number of this rank's rows in memory
  double mean() const { return mean_; }              ///< subtracted from targets; 0 for classes and counts
  double sd() const { return sd_; }                  ///< divides targets; 1 for classes and counts, never 0
  double whole_mean() const { return whole_mean_; }  ///< mean of all raw targets, held-out ones included
  /// Returns the logarithm of the mean exposure of all rows, held-out ones included.
  double log_exposure() const { return log_exposure_; }

  /// Returns this rank's rows of the next batch; valid until the next call. Throws what RowSource::read() throws.
  BatchRows next();
  BatchRows held() const;  ///< the held-out rows, on all ranks

 private:
  /// Rows of one rank, and the order of its blocks in this pass.
  struct Share {
    Index first = 0, rows = 0;
    std::vector<std::int32_t> blocks;
  };

  void plan(double max_bytes);
  void allocate(Index rows);
  void standardise(bool is_number);
  void read_own(Index first, Index count, Index place);
  void start_pass();
  void fill();
  Index keep_rest();
  void read_blocks(const Share& share, Index place);
  std::pair<Index, Index> blocks_of_fill(const Share& share) const;
  Index rows_of_fill(const Share& share) const;
  Index block_count(const Share& share) const { return (share.rows + block_rows_ - 1) / block_rows_; }

  const RowSource& source_;
  const MemoryRows& held_;
  const Index batch_;
  RandomStream stream_;
  std::vector<Share> shares_;
  bool in_memory_ = true;
  Index block_rows_ = 1, fills_ = 1, fill_ = 0;
  double mean_ = 0, sd_ = 1, whole_mean_ = 0, log_exposure_ = 0;
  Matrix x_;  // the rows in memory
  Vector y_, held_y_, offsets_;
  RowScratch scratch_;
  std::vector<std::int32_t> order_;  // places in x_ of the rows to come; -1: of another rank
  std::size_t next_ = 0;
  std::vector<Index> places_, held_places_;
};

}  // namespace alacarte
