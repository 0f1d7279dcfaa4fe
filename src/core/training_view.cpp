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
  return make_training_view(MemoryRows(x, y), stream);
}

TrainingView make_training_view(const RowSource& rows, RandomStream& stream) {
  require(rows.inputs() > 0, "training view needs inputs");
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
    const Vector difference = (rows.read(i, 1, scratch).x.row(0) - rows.read(j, 1, other).x.row(0)).transpose();
    if (difference.squaredNorm() > 0) view.pair_differences.row(kept++) = difference;
  }
  if (kept == 0) view.pair_differences.row(kept++).setOnes();
  view.pair_differences.conservativeResize(kept, Eigen::NoChange);
  view.sample = gather_rows(rows, draw_rows(stream, n, kSampleRows))->x();
  return view;
}

Vector ard_start(const TrainingView& view, RandomStream& stream) {
  const double root = std::sqrt(static_cast<double>(view.input_count()));
  Vector start(view.input_count());
  for (Index j = 0; j < start.size(); ++j) start[j] = std::log(root * (0.4 + 0.4 * stream.uniform()) * view.range[j]);
  return start;
}

}  // namespace alacarte
