#include "held_out.hpp"

#include <cmath>
#include <limits>

#include "data/row_pass.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/dense.hpp"

namespace alacarte {
namespace {

constexpr Index kHeldOutChunk = 256;
// Number of ratios r, from 1e-10 to 1 of the largest eigenvalue, ten to a decade.
constexpr Index kRatios = 101;
constexpr double kDecades = 10;

/// Features and targets of some rows, and work space.
struct FeatureChunk {
  Matrix x, psi, along, means, shares;
  Vector y;

  void read(const PreparedMap& map, Index features, const RowBlock& block, const HeldOutRows& rows) {
    x = block.x.dense();
    y = (block.y.array() - rows.mean) / rows.sd;
    psi.resize(x.rows(), features);
    map.forward(x, psi);
  }
};

/// Sums over rows of one worker, and then of all.
struct FeatureMoments {
  Matrix gram;
  Vector product, sum;
  double target = 0;
  FeatureChunk chunk;

  void clear(Index features) {
    gram.setZero(features, features);
    product.setZero(features);
    sum.setZero(features);
  }
  void add() {
    syrk_lower(1, chunk.psi, Op::transpose, 1, gram);
    gemv(1, chunk.psi, Op::transpose, chunk.y, 1, product);
    sum += chunk.psi.colwise().sum().transpose();
    target += chunk.y.sum();
  }
};

FeatureMoments moments_of(const PreparedMap& map, Index features, const HeldOutRows& rows, int threads) {
  RowPass<FeatureMoments> pass(rows.kept, features, threads, kHeldOutChunk);
  pass.reset([&](FeatureMoments& own) { own.clear(features); });
  pass.run([&](FeatureMoments& own, const RowBlock& block, Index) {
    own.chunk.read(map, features, block, rows);
    own.add();
  });
  pass.share(Triangles<FeatureMoments>{&FeatureMoments::gram}, &FeatureMoments::product, &FeatureMoments::sum,
             &FeatureMoments::target);
  FeatureMoments all;
  all.gram = std::move(pass.accumulate(&FeatureMoments::gram));
  all.product = pass.accumulate(&FeatureMoments::product);
  all.sum = pass.accumulate(&FeatureMoments::sum);
  all.target = pass.sum(&FeatureMoments::target);
  return all;
}

/// Sums over held-out rows for each ratio: of r^2 / q, log q, r^2.
struct RatioSums {
  Vector scaled, logs, squares;
  FeatureChunk chunk;
  RatioSums() : scaled(Vector::Zero(kRatios)), logs(scaled), squares(scaled) {}
};

/// The posterior of the weights for every ratio, in the basis of the eigenvectors.
struct RatioPosterior {
  double rows = 0, mean = 0;
  Vector centre, ratios;
  Matrix vectors, inverse, weights;  // (D, D); (D, ratios)

  explicit RatioPosterior(const FeatureMoments& moments, double n)
      : rows(n), mean(moments.target / n), centre(moments.sum / n), ratios(kRatios) {
    SymmetricEigen eigen = symmetric_eigen(moments.gram - n * centre * centre.transpose());
    const Vector values = eigen.values.cwiseMax(0.0);
    const double largest = std::max(values.maxCoeff(), std::numeric_limits<double>::min());
    vectors = std::move(eigen.vectors);
    inverse.resize(values.size(), kRatios);
    for (Index k = 0; k < kRatios; ++k) {
      ratios[k] = largest * std::pow(10.0, kDecades * (static_cast<double>(k) / (kRatios - 1) - 1));
      inverse.col(k) = (values.array() + ratios[k]).inverse();
    }
    const Vector product = vectors.transpose() * (moments.product - moments.target * centre);
    weights = product.asDiagonal() * inverse;
  }

  /// Adds the scores of a chunk, whose features and targets are overwritten.
  void score(RatioSums& sums) const {
    FeatureChunk& chunk = sums.chunk;
    const Index count = chunk.psi.rows();
    chunk.psi.rowwise() -= centre.transpose();
    chunk.along.resize(count, chunk.psi.cols());
    chunk.means.resize(count, kRatios);
    chunk.shares.resize(count, kRatios);
    gemm(1, chunk.psi, Op::none, vectors, Op::none, 0, chunk.along);
    gemm(1, chunk.along, Op::none, weights, Op::none, 0, chunk.means);
    chunk.along = chunk.along.cwiseAbs2();
    gemm(1, chunk.along, Op::none, inverse, Op::none, 0, chunk.shares);
    chunk.shares.array() += 1 + 1 / rows;
    chunk.y.array() -= mean;
    chunk.means.colwise() -= chunk.y;
    chunk.means = chunk.means.cwiseAbs2();
    sums.squares += chunk.means.colwise().sum().transpose();
    sums.scaled += chunk.means.cwiseQuotient(chunk.shares).colwise().sum().transpose();
    sums.logs += chunk.shares.array().log().matrix().colwise().sum().transpose();
  }
};

/// Returns the ratio with the highest density: -2 log density / h = log(2 pi s2) + 1 + mean log q at s2 = mean r^2 / q.
HeldOutFit best_ratio(const RatioSums& sums, const Vector& ratios, double h) {
  HeldOutFit fit;
  fit.log_density = -std::numeric_limits<double>::infinity();
  for (Index k = 0; k < kRatios; ++k) {
    const double variance = std::max(sums.scaled[k] / h, std::numeric_limits<double>::min());
    const double density = -0.5 * (std::log(kTwoPi * variance) + 1 + sums.logs[k] / h);
    if (density > fit.log_density)
      fit = {variance, std::sqrt(variance / ratios[k]), std::sqrt(sums.squares[k] / h), density};
  }
  if (!std::isfinite(fit.log_density)) throw NumericalError("held-out rows", "no noise gives them a finite density");
  return fit;
}

}  // namespace

HeldOutFit fit_held_out(const PreparedMap& map, Index features, const HeldOutRows& rows, int threads) {
  require(rows.kept->rows() > 0 && rows.held->rows() > 0, "held-out rows: there are none, or no others");
  const RatioPosterior posterior(moments_of(map, features, rows, threads), static_cast<double>(rows.kept->rows()));
  RowPass<RatioSums> pass(rows.held, features, threads, kHeldOutChunk);
  pass.run([&](RatioSums& sums, const RowBlock& block, Index) {
    sums.chunk.read(map, features, block, rows);
    posterior.score(sums);
  });
  RatioSums sums;
  sums.squares = pass.accumulate(&RatioSums::squares);
  sums.scaled = pass.accumulate(&RatioSums::scaled);
  sums.logs = pass.accumulate(&RatioSums::logs);
  return best_ratio(sums, posterior.ratios, static_cast<double>(rows.held->rows()));
}

}  // namespace alacarte
