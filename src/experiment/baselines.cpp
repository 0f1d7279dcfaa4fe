#include "baselines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxLeftOutRows = 2000;
constexpr Index kNeighbourCounts[] = {1, 2, 3, 5, 8, 13, 21, 34};
constexpr double kMinVariance = 1e-12;  // share of the target's variance; keeps the density finite

/// Entry k (rows, number of counts): mean target of the nearest rows. `skip`: a training row to exclude, or -1.
class Neighbours {
 public:
  Neighbours(const Matrix& inputs, ConstVec target)
      : points_(inputs.transpose()), target_(target), order_(target.size()) {
    std::iota(order_.begin(), order_.end(), Index{0});
  }

  /// Returns the means over the first k neighbours for every feasible k of kNeighbourCounts.
  std::vector<double> means(ConstVec x, Index skip) {
    distance_ = (points_.colwise() - x).colwise().squaredNorm().transpose();
    if (skip >= 0) distance_[skip] = INFINITY;
    const Index maximum = std::min<Index>(kNeighbourCounts[std::size(kNeighbourCounts) - 1], usable(skip));
    // Ties go to the earlier row, so that the result does not depend on the sorting algorithm.
    std::partial_sort(order_.begin(), order_.begin() + maximum, order_.end(), [&](Index a, Index b) {
      return distance_[a] != distance_[b] ? distance_[a] < distance_[b] : a < b;
    });
    std::vector<double> result;
    double sum = 0;
    for (Index k = 0, next = 0; k < maximum; ++k) {
      sum += target_[order_[static_cast<std::size_t>(k)]];
      if (k + 1 != kNeighbourCounts[next]) continue;
      result.push_back(sum / static_cast<double>(k + 1));
      ++next;
    }
    return result;
  }

 private:
  Index usable(Index skip) const { return target_.size() - (skip >= 0 ? 1 : 0); }

  Matrix points_;  // (d, n): the inputs of a row are contiguous
  Vector target_, distance_;
  std::vector<Index> order_;
};

struct ChosenCount {
  std::size_t which = 0;
  double variance = 0;
};

ChosenCount choose_count(Neighbours& neighbours, const Matrix& inputs, ConstVec target) {
  const Index n = target.size(), step = std::max<Index>(1, (n + kMaxLeftOutRows - 1) / kMaxLeftOutRows);
  std::vector<double> squares;
  Index rows = 0;
  for (Index i = 0; i < n; i += step, ++rows) {
    const std::vector<double> means = neighbours.means(inputs.row(i).transpose(), i);
    squares.resize(means.size(), 0.0);
    for (std::size_t k = 0; k < means.size(); ++k) squares[k] += std::pow(target[i] - means[k], 2);
  }
  const auto best = std::min_element(squares.begin(), squares.end());
  return {static_cast<std::size_t>(best - squares.begin()), *best / static_cast<double>(rows)};
}

double min_variance(ConstVec target) {
  const double variance = (target.array() - target.mean()).square().mean();
  return kMinVariance * (variance > 0 ? variance : 1.0);
}

PredictiveDistribution nearest(ConstMat inputs, ConstVec target, ConstMat test) {
  const auto scale = Standardizer::learn(inputs, target, Scaling::zscore, TargetScaling::none);
  const Matrix points = scale.inputs(inputs), asked = scale.inputs(test);
  Neighbours neighbours(points, target);
  const ChosenCount chosen = choose_count(neighbours, points, target);
  Matrix means(test.rows(), 1);
  for (Index i = 0; i < test.rows(); ++i) means(i, 0) = neighbours.means(asked.row(i).transpose(), -1)[chosen.which];
  const double variance = std::max(chosen.variance, min_variance(target));
  return {std::move(means), Matrix::Constant(test.rows(), 1, variance), true};
}

PredictiveDistribution constant(ConstVec target, Index rows) {
  const double mean = target.mean(), n = static_cast<double>(target.size());
  // Predictive variance of a Gaussian with unknown mean: s2 (1 + 1/n).
  const double variance = n > 1 ? (target.array() - mean).square().sum() / (n - 1) * (1 + 1 / n) : 0.0;
  return {Matrix::Constant(rows, 1, mean), Matrix::Constant(rows, 1, std::max(variance, min_variance(target))), true};
}

}  // namespace

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = {"mean", "knn"};
  return names;
}

PredictiveDistribution predict_baseline(const std::string& name, ConstMat inputs, ConstVec target, ConstMat test) {
  require(inputs.rows() == target.size() && test.cols() == inputs.cols() && target.size() > 0, "baseline: shapes");
  if (name == "mean" || target.size() == 1) return constant(target, test.rows());
  require(name == "knn", "no such baseline");
  return nearest(inputs, target, test);
}

}  // namespace alacarte
