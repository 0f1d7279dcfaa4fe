#include "alacarte/core/training_view.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "alacarte/core/error.hpp"

namespace alacarte {

namespace {
constexpr Index kSampleRows = 4096;
constexpr Index kMostDifferences = 20'000'000, kLeastPairs = 100;
}  // namespace

double TrainingView::distance_quantile(double level, ConstVec lengthscale) const {
  require(lengthscale.size() == pair_differences.cols(), "one length-scale for each input");
  const Vector squared = (pair_differences * lengthscale.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
  std::vector<double> sorted(squared.data(), squared.data() + squared.size());
  const auto at = static_cast<std::size_t>(std::clamp(level, 0.0, 1.0) * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return std::sqrt(sorted[at]);
}

TrainingView make_training_view(ConstMat x, ConstVec y, RandomStream& stream) {
  return make_training_view(MemoryRows(Matrix(x), Vector(y)), stream);
}

namespace {

// One pair and one row whose squared length is the mean of the rows': all that maps of sparse rows ask for.
TrainingView make_sparse_view(const RowSource& rows) {
  RowScratch scratch;
  const SparseView all = rows.read(0, rows.rows(), scratch).x.sparse();
  const double squares = Eigen::Map<const Vector>(all.values + all.starts[0], all.nonzeros()).squaredNorm();
  TrainingView view = sparse_training_view(rows.rows(), rows.inputs(), squares / static_cast<double>(rows.rows()));
  view.target_sd = rows.target_sd();
  return view;
}

}  // namespace

TrainingView sparse_training_view(Index rows, Index inputs, double mean_square) {
  TrainingView view;
  view.rows = rows;
  view.range = Vector::Ones(inputs);
  view.pair_differences = Matrix::Ones(1, inputs);
  view.sample = Matrix::Zero(1, inputs);
  view.sample(0, 0) = std::sqrt(mean_square);
  return view;
}

TrainingView make_training_view(const RowSource& rows, RandomStream& stream) {
  require(rows.inputs() > 0, "training view needs inputs");
  if (rows.is_sparse()) return make_sparse_view(rows);
  TrainingView view;
  const Index n = view.rows = rows.rows();
  view.range = rows.input_ranges();
  view.range = (view.range.array() > 0).select(view.range, 1.0);
  view.target_sd = rows.target_sd();

  // Of wide rows fewer: their pairs would take more memory than the rows.
  const Index pairs =
      std::min(std::clamp<Index>(n / 5, 2000, 20000), std::max(kLeastPairs, kMostDifferences / rows.inputs()));
  view.pair_differences.resize(pairs, rows.inputs());
  Index kept = 0;
  RowScratch scratch, other;
  for (Index attempt = 0; n > 1 && attempt < pairs; ++attempt) {
    const Index i = stream.below(n);
    const Index j = (i + 1 + stream.below(n - 1)) % n;
    const Vector difference =
        (rows.read(i, 1, scratch).x.dense().row(0) - rows.read(j, 1, other).x.dense().row(0)).transpose();
    if (difference.squaredNorm() > 0) view.pair_differences.row(kept++) = difference;
  }
  if (kept == 0) view.pair_differences.row(kept++).setOnes();
  view.pair_differences.conservativeResize(kept, Eigen::NoChange);
  view.sample = gather_rows(rows, draw_rows(stream, n, kSampleRows))->x().dense();
  return view;
}

Vector ard_start(const TrainingView& view, RandomStream& stream) {
  const double root = std::sqrt(static_cast<double>(view.input_count()));
  Vector start(view.input_count());
  for (Index j = 0; j < start.size(); ++j) start[j] = std::log(root * (0.4 + 0.4 * stream.uniform()) * view.range[j]);
  return start;
}

}  // namespace alacarte
