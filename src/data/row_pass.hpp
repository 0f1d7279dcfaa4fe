#pragma once
// The one pass over rows, which owns chunks, workers, memory and the order of sums.
//
// Worker w of W takes the chunks w, w + W, w + 2W, .. and adds to its own sums; sum() adds those of the workers in
// order, so results have the same bits on every run with as many workers. Workers share nothing but sums over rows.
// With distributed rows a pass covers those of this rank, and share() adds the sums of all ranks.
#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "alacarte/core/threads.hpp"
#include "alacarte/data/row_source.hpp"
#include "core/ranks.hpp"
#include "core/workers.hpp"

namespace alacarte {

/// Calls body(worker, first, count) for the rows 0 .. rows - 1 in chunks of `chunk_rows` (the last may be shorter), on
/// at most `workers` workers with a single-threaded BLAS inside. Rethrows exceptions of workers.
template <class Body>
void for_each_chunk(Index rows, Index chunk_rows, Index workers, const Body& body) {
  const Index chunks = (rows + chunk_rows - 1) / chunk_rows;
  const Index step = std::clamp<Index>(workers, 1, std::max<Index>(1, chunks));
  const BlasThreads single(1);
  run_workers(static_cast<int>(step), [&](int worker) {
    for (Index chunk = worker; chunk < chunks; chunk += step)
      body(worker, chunk * chunk_rows, std::min(chunk_rows, rows - chunk * chunk_rows));
  });
}

/// Returns the rows of a chunk whose products with `width` columns run at the speed of the BLAS: large enough for it,
/// but a chunk of few columns stays in the second-level cache between features and products. The number of tiles is
/// odd: columns a power of two apart would share cache sets (a tenth of syrk's time at 80 features).
inline Index cached_chunk_rows(Index width) {
  constexpr Index kTileRows = 16, kCacheDoubles = 24576;
  const Index tiles = kCacheDoubles / kTileRows / std::max<Index>(1, width);
  return (2 * std::clamp<Index>(tiles / 2, 8, 63) + 1) * kTileRows;
}

/// Marks a matrix of square symmetric blocks in a State; only their lower triangles are summed.
template <class State>
struct Triangles {
  Matrix State::*member;
  Index columns = -1;  ///< columns with sums; -1: all
};

/// Passes over a source by workers that each keep a State: work space and sums, which live as long as the pass.
template <class State>
class RowPass {
 public:
  /// Takes the features' width. chunk_rows: 0 = cached_chunk_rows(width), fewer if that gives every thread a chunk.
  RowPass(std::shared_ptr<const RowSource> rows, Index width, int threads, Index chunk_rows = 0)
      : rows_(std::move(rows)) {
    const Index max_workers = std::max(1, threads);
    chunk_rows_ = chunk_rows > 0 ? std::min(chunk_rows, largest_share())
                                 : std::clamp<Index>((largest_share() + max_workers - 1) / max_workers, 1,
                                                     cached_chunk_rows(width));
    workers_.resize(static_cast<std::size_t>(std::min(max_workers, chunks())));
  }

  const RowSource& rows() const { return *rows_; }
  Index chunk_rows() const { return chunk_rows_; }
  /// Counts the chunks of the largest rank: plans are the same on all ranks.
  Index chunks() const { return (largest_share() + chunk_rows_ - 1) / chunk_rows_; }
  Index workers() const { return static_cast<Index>(workers_.size()); }
  /// Returns the bytes of scratch memory in which the workers read rows.
  double scratch_bytes() const { return static_cast<double>(workers_.size()) * rows_->scratch_bytes(chunk_rows_); }

  /// Reduces memory: halves the chunks, down to 64 rows, then removes workers. Returns false if nothing is left to
  /// reduce.
  bool shrink() {
    if (chunk_rows_ > kMinChunkRows)
      chunk_rows_ = std::max(kMinChunkRows, chunk_rows_ / 2);
    else if (workers_.size() > 1)
      workers_.pop_back();
    else
      return false;
    return true;
  }

  /// Calls prepare(state) for every worker in turn.
  template <class Prepare>
  void reset(const Prepare& prepare) {
    for (Worker& worker : workers_) prepare(worker.state);
  }

  /// Calls body(state, block, first) for every chunk; `first` is the index of its first row among all rows.
  template <class Body>
  void run(const Body& body) {
    const auto began = std::chrono::steady_clock::now();
    const Index own = rows_->own_first();
    for_each_chunk(rows_->own_rows(), chunk_rows_, workers(), [&](Index w, Index first, Index count) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      body(worker.state, rows_->read(own + first, count, worker.scratch), own + first);
    });
    if (!rows_->is_distributed()) return;
    ranks::pace().rows += static_cast<double>(rows_->own_rows());
    ranks::pace().seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  /// Calls body(state, block) for the first chunk of this rank, on this thread.
  template <class Body>
  auto first_chunk(const Body& body) {
    const BlasThreads single(1);
    Worker& worker = workers_.front();
    const Index count = std::min(chunk_rows_, rows_->own_rows());
    return body(worker.state, rows_->read(rows_->own_first(), count, worker.scratch));
  }

  /// Adds these members of the States over workers and ranks, after run() and in one message, if ranks share the rows;
  /// then sum() and accumulate() give the totals. Members are numbers, vectors, matrices, Triangles, or types with
  /// add_to(ranks::Sums&) and clear(). Values of this rank that are pointed to become their sums, too.
  template <class... Members>
  void share(const Members&... members) {
    if (!rows_->is_distributed()) return;
    ranks::Sums sums;
    (add_member(sums, members), ...);
    sums.run();
  }

  /// Returns the sum of one member over the workers.
  template <class T>
  T sum(T State::*member) const {
    T total = workers_.front().state.*member;
    for (std::size_t w = 1; w < workers_.size(); ++w) total += workers_[w].state.*member;
    return total;
  }

  /// Returns the sum of one member over the workers, in place in the first worker's; it may be overwritten.
  template <class T>
  T& accumulate(T State::*member) {
    T& total = workers_.front().state.*member;
    for (std::size_t w = 1; w < workers_.size(); ++w) total += workers_[w].state.*member;
    return total;
  }

 private:
  static constexpr Index kMinChunkRows = 64;

  Index largest_share() const { return std::max<Index>(1, rows_->largest_share()); }

  void add_member(ranks::Sums& sums, auto* values) { sums.add(*values); }
  template <class T>
  void add_member(ranks::Sums& sums, T State::*const& member) {
    T& total = accumulate(member);
    for (std::size_t w = 1; w < workers_.size(); ++w) clear(workers_[w].state.*member);
    if constexpr (requires { total.add_to(sums); })
      total.add_to(sums);
    else
      sums.add(total);
  }
  void add_member(ranks::Sums& sums, const Triangles<State>& member) {
    Matrix& total = accumulate(member.member);
    for (std::size_t w = 1; w < workers_.size(); ++w) clear(workers_[w].state.*member.member);
    const Index rows = total.rows(), columns = member.columns < 0 ? total.cols() : member.columns;
    for (Index first = 0; rows > 0 && first < columns; first += rows) sums.add_triangle(total.middleCols(first, rows));
  }
  static void clear(double& value) { value = 0; }
  template <class T>
  static void clear(T& value) {
    if constexpr (requires { value.clear(); })
      value.clear();
    else
      value.setZero();
  }

  struct Worker {
    State state;
    RowScratch scratch;
  };

  std::shared_ptr<const RowSource> rows_;
  Index chunk_rows_ = 1;
  std::vector<Worker> workers_;
};

}  // namespace alacarte
