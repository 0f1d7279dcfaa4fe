#pragma once
// The one pass over rows: it owns chunks, workers, memory and the order of sums.
//
// Worker w of W takes the chunks w, w + W, w + 2W, .. and adds to sums of its own; sum() adds those of the workers in
// their order. So every result is the same bits on every run with the same number of workers. Sums over rows are all
// that workers share: several processes would add theirs in sum() and accumulate(), and nowhere else.
#include <algorithm>
#include <memory>
#include <vector>

#include "alacarte/core/threads.hpp"
#include "alacarte/data/row_source.hpp"
#include "core/workers.hpp"

namespace alacarte {

/// Calls body(worker, first, count) for the rows 0 .. rows - 1 in chunks of `chunk_rows` (the last may be shorter), on
/// at most `workers` workers with a single-threaded BLAS inside. Rethrows what a worker throws.
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

/// Rows of a chunk whose products with `width` columns run at the speed of the BLAS: large enough for it, small enough
/// that a chunk of few columns stays in the second-level cache between its features and their products. An odd number
/// of tiles: columns a power of two apart would share the sets of the cache (a tenth of syrk's time at 80 features).
inline Index cached_chunk_rows(Index width) {
  constexpr Index kTileRows = 16, kCacheDoubles = 24576;
  const Index tiles = kCacheDoubles / kTileRows / std::max<Index>(1, width);
  return (2 * std::clamp<Index>(tiles / 2, 8, 63) + 1) * kTileRows;
}

/// Passes over a source by workers that each keep a State: work space and sums, which live as long as the pass.
template <class State>
class RowPass {
 public:
  /// width: columns of the features of a row. chunk_rows: 0 = cached_chunk_rows(width), fewer if that gives every
  /// thread a chunk.
  RowPass(std::shared_ptr<const RowSource> rows, Index width, int threads, Index chunk_rows = 0)
      : rows_(std::move(rows)) {
    const Index max_workers = std::max(1, threads);
    chunk_rows_ = chunk_rows > 0
                      ? std::min(chunk_rows, rows_->rows())
                      : std::clamp<Index>((rows_->rows() + max_workers - 1) / max_workers, 1, cached_chunk_rows(width));
    workers_.resize(static_cast<std::size_t>(std::min(max_workers, chunks())));
  }

  const RowSource& rows() const { return *rows_; }
  Index chunk_rows() const { return chunk_rows_; }
  Index chunks() const { return (rows_->rows() + chunk_rows_ - 1) / chunk_rows_; }
  Index workers() const { return static_cast<Index>(workers_.size()); }
  /// Bytes of scratch memory that the workers need to read rows.
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

  /// prepare(state) for every worker, one after the other.
  template <class Prepare>
  void reset(const Prepare& prepare) {
    for (Worker& worker : workers_) prepare(worker.state);
  }

  /// body(state, block, first) for every chunk; `block` holds its rows, of which `first` is the first of all.
  template <class Body>
  void run(const Body& body) {
    for_each_chunk(rows_->rows(), chunk_rows_, workers(), [&](Index w, Index first, Index count) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      body(worker.state, rows_->read(first, count, worker.scratch), first);
    });
  }

  /// body(state, block) for the first chunk, on this thread.
  template <class Body>
  auto first_chunk(const Body& body) {
    const BlasThreads single(1);
    Worker& worker = workers_.front();
    return body(worker.state, rows_->read(0, std::min(chunk_rows_, rows_->rows()), worker.scratch));
  }

  /// The sum of one member over the workers.
  template <class T>
  T sum(T State::*member) const {
    T total = workers_.front().state.*member;
    for (std::size_t w = 1; w < workers_.size(); ++w) total += workers_[w].state.*member;
    return total;
  }

  /// The sum of one member over the workers, accumulated in place in the first worker's member; the result may be
  /// overwritten until the next pass.
  template <class T>
  T& accumulate(T State::*member) {
    T& total = workers_.front().state.*member;
    for (std::size_t w = 1; w < workers_.size(); ++w) total += workers_[w].state.*member;
    return total;
  }

 private:
  static constexpr Index kMinChunkRows = 64;

  struct Worker {
    State state;
    RowScratch scratch;
  };

  std::shared_ptr<const RowSource> rows_;
  Index chunk_rows_ = 1;
  std::vector<Worker> workers_;
};

}  // namespace alacarte
