// Statistics of the training rows (core/training_statistics.hpp) from a source of rows.
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/data/row_source.hpp"
#include "core/ranks.hpp"

namespace alacarte {
namespace {

constexpr Index kSampleRows = 4096;
constexpr Index kMaxDifferences = 20'000'000, kMinPairs = 100;

// Returns one pair, and one sample row of the mean squared length; maps of sparse rows need no more.
TrainingStatistics sparse_rows_statistics(const RowSource& rows) {
  RowScratch scratch;
  const SparseView all = rows.read(0, rows.rows(), scratch).x.sparse();
  const double squares = Eigen::Map<const Vector>(all.values + all.starts[0], all.nonzeros()).squaredNorm();
  return sparse_training_statistics(rows.rows(), rows.inputs(), squares / static_cast<double>(rows.rows()));
}

/// Returns (d) max - min of each input.
Vector input_ranges(const RowSource& rows) {
  Vector minimum = Vector::Constant(rows.inputs(), std::numeric_limits<double>::infinity()), maximum = -minimum;
  for_each_block(rows, [&](const RowBlock& block) {
    minimum = minimum.cwiseMin(block.x.dense().colwise().minCoeff().transpose());
    maximum = maximum.cwiseMax(block.x.dense().colwise().maxCoeff().transpose());
  });
  if (rows.is_distributed()) {
    ranks::minimum(minimum);
    ranks::maximum(maximum);
  }
  return maximum - minimum;
}

/// Reads pairs of rows, many at a time if rows are distributed.
class PairReader {
 public:
  explicit PairReader(const RowSource& rows) : rows_(rows) {}

  /// Calls body(x_i - x_j) for each pair (i, j), in order.
  template <class Body>
  void for_each(const std::vector<Index>& pairs, const Body& body) {
    if (!rows_.is_distributed()) {
      for (std::size_t k = 0; k < pairs.size(); k += 2)
        body((rows_.read(pairs[k], 1, first_).x.dense().row(0) - rows_.read(pairs[k + 1], 1, second_).x.dense().row(0))
                 .transpose());
      return;
    }
    constexpr std::size_t kAtOnce = 8192;
    for (std::size_t begin = 0; begin < pairs.size(); begin += kAtOnce) {
      const auto end = std::min(pairs.size(), begin + kAtOnce);
      const auto drawn = gather_rows(rows_, {pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                                             pairs.begin() + static_cast<std::ptrdiff_t>(end)});
      const auto x = drawn->x().dense();
      for (Index k = 0; k < x.rows(); k += 2) body((x.row(k) - x.row(k + 1)).transpose());
    }
  }

 private:
  const RowSource& rows_;
  RowScratch first_, second_;
};

}  // namespace

TrainingStatistics training_statistics(const RowSource& rows, RandomStream& stream) {
  require(rows.inputs() > 0, "training view needs inputs");
  TrainingStatistics statistics;
  if (rows.is_sparse()) statistics = sparse_rows_statistics(rows);
  const TargetMoments target = target_moments(rows);
  statistics.target_sd = target.sd;
  statistics.mean_weight = target.mean_weight;
  if (rows.is_sparse()) return statistics;
  const Index n = statistics.rows = rows.rows();
  statistics.range = input_ranges(rows);
  statistics.range = (statistics.range.array() > 0).select(statistics.range, 1.0);
  statistics.level_counts = rows.level_counts();
  const Index levels = static_cast<Index>(statistics.level_counts.size());
  statistics.range.tail(levels).setOnes();

  // Fewer pairs for wide rows: they would take more memory than the rows.
  const Index pairs =
      std::min(std::clamp<Index>(n / 5, 2000, 20000), std::max(kMinPairs, kMaxDifferences / rows.inputs()));
  statistics.pair_differences.resize(pairs, rows.inputs());
  std::vector<Index> drawn;
  for (Index attempt = 0; n > 1 && attempt < pairs; ++attempt) {
    const Index i = stream.below(n);
    drawn.insert(drawn.end(), {i, (i + 1 + stream.below(n - 1)) % n});
  }
  Index kept = 0;
  PairReader(rows).for_each(drawn, [&](const Vector& difference) {
    if (difference.head(difference.size() - levels).squaredNorm() > 0)
      statistics.pair_differences.row(kept++) = difference;
  });
  if (kept == 0) statistics.pair_differences.row(kept++).setOnes();
  statistics.pair_differences.conservativeResize(kept, Eigen::NoChange);
  statistics.pair_differences.rightCols(levels).setZero();
  statistics.sample = gather_rows(rows, draw_rows(stream, n, kSampleRows))->x().dense();
  return statistics;
}

TrainingStatistics training_statistics(const Matrix& x, const Vector& y, RandomStream& stream) {
  return training_statistics(*MemoryRows::view(x, y), stream);
}

}  // namespace alacarte
