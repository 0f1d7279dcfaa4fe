#include "features/landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/linalg/dense.hpp"

namespace alacarte {
namespace {

constexpr Index kPilotRows = 500;
constexpr double kLeverageRidge = 1e-2;

std::vector<Index> kmeans_seeds(const Matrix& rows, const Vector& range, Index count, RandomStream& stream) {
  const Matrix scaled = rows * range.cwiseInverse().asDiagonal();
  std::vector<Index> chosen{static_cast<Index>(stream.below(rows.rows()))};
  Vector nearest = (scaled.rowwise() - scaled.row(chosen[0])).rowwise().squaredNorm();
  while (static_cast<Index>(chosen.size()) < count) {
    const double total = nearest.sum();
    // All that is left are copies of the chosen rows.
    if (!(total > 0)) break;
    double level = stream.uniform() * total;
    Index next = 0;
    while (next + 1 < nearest.size() && (level -= nearest[next]) >= 0) ++next;
    while (nearest[next] == 0) --next;
    chosen.push_back(next);
    nearest = nearest.cwiseMin((scaled.rowwise() - scaled.row(next)).rowwise().squaredNorm());
  }
  return chosen;
}

Vector leverage_scores(const Matrix& rows, const Kernel& kernel, const TrainingStatistics& statistics,
                       RandomStream& stream) {
  const Vector theta = kernel.start(statistics, 0, stream);
  const Matrix pilot = rows(draw_rows(stream, rows.rows(), kPilotRows), Eigen::all);
  Matrix factor(pilot.rows(), pilot.rows()), cross(rows.rows(), pilot.rows());
  kernel.gram(theta, pilot, pilot, factor);
  kernel.gram(theta, rows, pilot, cross);
  Vector scores(rows.rows());
  kernel.diagonal(theta, rows, scores);
  const double variance = scores.mean();
  factor.diagonal().array() += kLeverageRidge * variance;
  safe_cholesky(factor, "Cholesky factor of the pilot rows");
  solve_lower_right(factor, Op::transpose, cross);
  scores -= cross.rowwise().squaredNorm();
  return scores.cwiseMax(1e-12 * variance);
}

/// `count` different indices, one after the other with probability proportional to the weights: those of the largest
/// log u_i / weight_i (Efraimidis and Spirakis 2006).
std::vector<Index> weighted_sample(const Vector& weights, Index count, RandomStream& stream) {
  Vector keys(weights.size());
  for (Index i = 0; i < keys.size(); ++i) keys[i] = std::log(1 - stream.uniform()) / weights[i];
  std::vector<Index> order(static_cast<std::size_t>(keys.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] > keys[b]; });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

}  // namespace

Matrix choose_landmarks(const std::string& method, const Kernel& kernel, const TrainingStatistics& statistics,
                        Index count, const RandomStreams& streams) {
  const Matrix& rows = statistics.sample;
  require(rows.rows() > 0 && rows.cols() == kernel.input_count(), "landmarks need training rows");
  const Index available = std::min(count, rows.rows());
  RandomStream stream = streams.stream("nystrom.landmarks");
  std::vector<Index> chosen;
  if (method == "uniform")
    chosen = draw_rows(stream, rows.rows(), available);
  else if (method == "kmeans")
    chosen = kmeans_seeds(rows, statistics.range, available, stream);
  else if (method == "leverage")
    chosen = weighted_sample(leverage_scores(rows, kernel, statistics, stream), available, stream);
  else
    throw ConfigError("/features/landmarks", "must be 'uniform', 'kmeans' or 'leverage', not '" + method + "'");
  return rows(chosen, Eigen::all);
}

}  // namespace alacarte
