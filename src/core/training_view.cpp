#include "alacarte/core/training_view.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "alacarte/core/error.hpp"

namespace alacarte {

double TrainingView::distance_quantile(double level, ConstVec lengthscale) const {
  require(lengthscale.size() == pair_differences.cols(), "one length-scale for each input");
  const Vector squared = (pair_differences * lengthscale.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
  std::vector<double> sorted(squared.data(), squared.data() + squared.size());
  const auto at = static_cast<std::size_t>(std::clamp(level, 0.0, 1.0) * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return std::sqrt(sorted[at]);
}

TrainingView make_training_view(ConstMat x, ConstVec y, RandomStream& stream) {
  require(x.rows() == y.size() && x.rows() > 0 && x.cols() > 0,
          "training view needs rows, inputs and one target a row");
  TrainingView view;
  view.rows = x.rows();
  view.range = (x.colwise().maxCoeff() - x.colwise().minCoeff()).transpose();
  view.range = (view.range.array() > 0).select(view.range, 1.0);
  const double variance = (y.array() - y.mean()).square().sum() / static_cast<double>(std::max<Index>(1, y.size() - 1));
  view.target_sd = variance > 0 ? std::sqrt(variance) : 1.0;

  const Index pairs = std::clamp<Index>(x.rows() / 5, 2000, 20000);
  view.pair_differences.resize(pairs, x.cols());
  Index kept = 0;
  for (Index attempt = 0; x.rows() > 1 && attempt < pairs; ++attempt) {
    const Index i = stream.below(x.rows());
    const Index j = (i + 1 + stream.below(x.rows() - 1)) % x.rows();
    view.pair_differences.row(kept) = x.row(i) - x.row(j);
    if (view.pair_differences.row(kept).squaredNorm() > 0) ++kept;
  }
  if (kept == 0) view.pair_differences.row(kept++).setOnes();
  view.pair_differences.conservativeResize(kept, Eigen::NoChange);
  return view;
}

Vector ard_start(const TrainingView& view, RandomStream& stream) {
  const double root = std::sqrt(static_cast<double>(view.input_count()));
  Vector start(view.input_count());
  for (Index j = 0; j < start.size(); ++j) start[j] = std::log(root * (0.4 + 0.4 * stream.uniform()) * view.range[j]);
  return start;
}

}  // namespace alacarte
