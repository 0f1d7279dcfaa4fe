#include "alacarte/core/training_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "alacarte/core/error.hpp"

namespace alacarte {

namespace {
constexpr Index kSampleRows = 4096;
constexpr Index kMaxDifferences = 20'000'000, kMinPairs = 100;
}  // namespace

double TrainingStatistics::distance_quantile(double level, ConstVec lengthscale) const {
  require(lengthscale.size() == pair_differences.cols(), "one length-scale for each input");
  const Vector squared = (pair_differences * lengthscale.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
  std::vector<double> sorted(squared.data(), squared.data() + squared.size());
  const auto at = static_cast<std::size_t>(std::clamp(level, 0.0, 1.0) * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return std::sqrt(sorted[at]);
}

TrainingStatistics training_statistics(ConstMat x, ConstVec y, RandomStream& stream) {
  return training_statistics(MemoryRows(Matrix(x), Vector(y)), stream);
}

namespace {

// One pair, and one sample row whose squared length is the mean over the rows; sufficient for maps that read sparse
// rows.
TrainingStatistics sparse_rows_statistics(const RowSource& rows) {
  RowScratch scratch;
  const SparseView all = rows.read(0, rows.rows(), scratch).x.sparse();
  const double squares = Eigen::Map<const Vector>(all.values + all.starts[0], all.nonzeros()).squaredNorm();
  TrainingStatistics statistics =
      sparse_training_statistics(rows.rows(), rows.inputs(), squares / static_cast<double>(rows.rows()));
  statistics.target_sd = rows.target_sd();
  return statistics;
}

}  // namespace

TrainingStatistics sparse_training_statistics(Index rows, Index inputs, double mean_square) {
  TrainingStatistics statistics;
  statistics.rows = rows;
  statistics.range = Vector::Ones(inputs);
  statistics.pair_differences = Matrix::Ones(1, inputs);
  statistics.sample = Matrix::Zero(1, inputs);
  statistics.sample(0, 0) = std::sqrt(mean_square);
  return statistics;
}

TrainingStatistics training_statistics(const RowSource& rows, RandomStream& stream) {
  require(rows.inputs() > 0, "training view needs inputs");
  if (rows.is_sparse()) return sparse_rows_statistics(rows);
  TrainingStatistics statistics;
  const Index n = statistics.rows = rows.rows();
  statistics.range = rows.input_ranges();
  statistics.range = (statistics.range.array() > 0).select(statistics.range, 1.0);
  statistics.target_sd = rows.target_sd();

  // Fewer pairs for wide rows, whose pairs would take more memory than the rows.
  const Index pairs =
      std::min(std::clamp<Index>(n / 5, 2000, 20000), std::max(kMinPairs, kMaxDifferences / rows.inputs()));
  statistics.pair_differences.resize(pairs, rows.inputs());
  Index kept = 0;
  RowScratch scratch_i, scratch_j;
  for (Index attempt = 0; n > 1 && attempt < pairs; ++attempt) {
    const Index i = stream.below(n);
    const Index j = (i + 1 + stream.below(n - 1)) % n;
    const Vector difference =
        (rows.read(i, 1, scratch_i).x.dense().row(0) - rows.read(j, 1, scratch_j).x.dense().row(0)).transpose();
    if (difference.squaredNorm() > 0) statistics.pair_differences.row(kept++) = difference;
  }
  if (kept == 0) statistics.pair_differences.row(kept++).setOnes();
  statistics.pair_differences.conservativeResize(kept, Eigen::NoChange);
  statistics.sample = gather_rows(rows, draw_rows(stream, n, kSampleRows))->x().dense();
  return statistics;
}

Vector ard_start(const TrainingStatistics& statistics, RandomStream& stream) {
  const double root = std::sqrt(static_cast<double>(statistics.input_count()));
  Vector start(statistics.input_count());
  for (Index j = 0; j < start.size(); ++j)
    start[j] = std::log(root * (0.4 + 0.4 * stream.uniform()) * statistics.range[j]);
  return start;
}

}  // namespace alacarte
