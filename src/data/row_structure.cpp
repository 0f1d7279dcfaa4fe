#include "row_structure.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

using Array = Eigen::ArrayXd;

constexpr Index kMaxPeaks = 4;
constexpr Index kMaxBins = 20'000;        // of all inputs, beyond those that the rows themselves have
constexpr Index kMinDistinct = 8;         // distinct values of an input that can hold a sinusoid
constexpr double kMinPeriods = 2;         // periods in the range of the input; a parabola takes slower ones
constexpr double kMinShare = 0.02;        // of the target's variance
constexpr double kLogSignificance = 7;    // log of a thousand
constexpr double kBinsPerPeriod = 2;      // bins of the periodogram for each period more in the range
constexpr double kStructureWork = 1e7;    // rows times bins times inputs of one periodogram, some 20 ms
constexpr double kMinStructureRows = 64;  // rows below which nothing is found
constexpr double kDeviations = 3;         // deviations by which neighbours must agree better than chance

std::vector<Index> order_of(ConstVec x) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x[a] < x[b] || (x[a] == x[b] && a < b); });
  return order;
}

Index distinct_values(ConstVec x) {
  Vector sorted = x;
  std::sort(sorted.begin(), sorted.end());
  return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

/// The periodogram of a residual along one input.
class Periodogram {
 public:
  /// most_values: distinct values of the input in the table that these rows were drawn from, at most. Rows drawn at
  /// random show frequencies that regular rows as far apart would hide.
  Periodogram(ConstVec x, Index most_values) : x_(x.array() - x.mean()) {
    const double range = x.maxCoeff() - x.minCoeff();
    Index distinct = distinct_values(x);
    if (distinct < kMinDistinct) return;
    if (distinct > x.size() * 9 / 10) distinct = std::max(distinct, most_values);
    step_ = 2 * std::numbers::pi / (kBinsPerPeriod * range);
    first_ = static_cast<Index>(kMinPeriods * kBinsPerPeriod);
    last_ = static_cast<Index>(0.5 * kBinsPerPeriod * static_cast<double>(distinct));
  }

  Index bins() const { return std::max<Index>(0, last_ - first_ + 1); }

  /// Returns the frequency whose sinusoid explains most of the residual, refined between bins, and its power.
  std::pair<double, double> strongest(const Array& residual) const {
    const Array power = powers(residual);
    Index best = 0;
    power.maxCoeff(&best);
    double low = step_ * (static_cast<double>(first_ + best) - 1), high = low + 2 * step_;
    constexpr double kGolden = 0.381966;
    for (int step = 0; step < 24; ++step) {
      const double a = low + kGolden * (high - low), b = high - kGolden * (high - low);
      (power_at(residual, a) > power_at(residual, b) ? high : low) =
          power_at(residual, a) > power_at(residual, b) ? b : a;
    }
    const double frequency = 0.5 * (low + high);
    return {frequency, power_at(residual, frequency)};
  }

 private:
  /// Returns (sum r cos)^2 + (sum r sin)^2, over n.
  double power_at(const Array& residual, double frequency) const {
    const Array phase = frequency * x_;
    const double c = (residual * phase.cos()).sum(), s = (residual * phase.sin()).sum();
    return (c * c + s * s) / static_cast<double>(x_.size());
  }

  /// Returns the power of each bin. Rows turn by one bin at a time, so no bin takes a sine.
  Array powers(const Array& residual) const {
    constexpr Index kBlock = 512;
    Array sums_c = Array::Zero(bins()), sums_s = sums_c;
    for (Index at = 0; at < x_.size(); at += kBlock) {
      const Index count = std::min(kBlock, x_.size() - at);
      const auto x = x_.segment(at, count);
      const Array turn_c = (step_ * x).cos(), turn_s = (step_ * x).sin();
      const auto r = residual.segment(at, count);
      Array c = r * (static_cast<double>(first_) * step_ * x).cos();
      Array s = r * (static_cast<double>(first_) * step_ * x).sin(), next(count);
      for (Index k = 0; k < bins(); ++k) {
        sums_c[k] += c.sum();
        sums_s[k] += s.sum();
        next = c * turn_c - s * turn_s;
        s = c * turn_s + s * turn_c;
        c.swap(next);
      }
    }
    return (sums_c.square() + sums_s.square()) / static_cast<double>(x_.size());
  }

  Array x_;
  double step_ = 0;
  Index first_ = 1, last_ = 0;
};

/// Returns the residual of least squares on the columns.
Array residual_of(const Matrix& columns, ConstVec y) { return y - columns * columns.colPivHouseholderQr().solve(y); }

/// Appends x, x^2 (of unit size) to the columns.
void append_parabola(ConstVec x, Matrix& columns) {
  const Array centred = (x.array() - x.mean()) / std::max(1e-300, x.maxCoeff() - x.minCoeff());
  columns.conservativeResize(Eigen::NoChange, columns.cols() + 2);
  columns.rightCols(2) << centred, centred.square();
}

}  // namespace

std::vector<SpectralPeak> spectral_peaks(ConstMat x, ConstVec y, Index most, Index table_rows) {
  require(x.rows() == y.size(), "spectral_peaks: one target for each row");
  std::vector<SpectralPeak> peaks;
  const double n = static_cast<double>(y.size()), total = (y.array() - y.mean()).square().sum();
  if (n < kMinStructureRows || !(total > 0)) return peaks;
  std::vector<Periodogram> inputs;
  double bins = 0;
  for (Index j = 0; j < x.cols(); ++j) {
    inputs.emplace_back(x.col(j), std::min(table_rows, kMaxBins / x.cols()));
    bins += static_cast<double>(inputs.back().bins());
  }
  Matrix found = Matrix::Ones(y.size(), 1);
  std::vector<bool> has_parabola(inputs.size(), false);
  Array residual = y.array() - y.mean();
  while (static_cast<Index>(peaks.size()) < most) {
    SpectralPeak best;
    double best_z = 0;
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      if (inputs[j].bins() == 0) continue;
      Matrix parabola = Matrix::Ones(y.size(), 1);
      append_parabola(x.col(static_cast<Index>(j)), parabola);
      const Array own = residual_of(parabola, residual.matrix());
      const auto [frequency, power] = inputs[j].strongest(own);
      const double z = power / (own.square().sum() / n);
      if (z > best_z) {
        const double range = x.col(static_cast<Index>(j)).maxCoeff() - x.col(static_cast<Index>(j)).minCoeff();
        best = {static_cast<Index>(j), frequency, frequency * range / (2 * std::numbers::pi), 0};
        best_z = z;
      }
    }
    if (best_z < std::log(std::max(1.0, bins)) + kLogSignificance) break;
    const auto j = static_cast<std::size_t>(best.input);
    if (!has_parabola[j]) append_parabola(x.col(best.input), found);
    has_parabola[j] = true;
    const double before = residual_of(found, y).square().sum();
    const Array phase = best.frequency * (x.col(best.input).array() - x.col(best.input).mean());
    found.conservativeResize(Eigen::NoChange, found.cols() + 2);
    found.rightCols(2) << phase.cos(), phase.sin();
    residual = residual_of(found, y);
    best.share = (before - residual.square().sum()) / total;
    if (best.share < kMinShare) break;
    peaks.push_back(best);
  }
  std::stable_sort(peaks.begin(), peaks.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return peaks;
}

namespace {

/// Returns the variance of noise as residuals of lines through the two neighbours along an input show it.
double along_input(ConstVec x, ConstVec y) {
  const std::vector<Index> order = order_of(x);
  double sum = 0;
  for (std::size_t i = 1; i + 1 < order.size(); ++i) {
    const double left = x[order[i]] - x[order[i - 1]], right = x[order[i + 1]] - x[order[i]];
    const double a = left + right > 0 ? right / (left + right) : 0.5, b = 1 - a;
    const double residual = a * y[order[i - 1]] + b * y[order[i + 1]] - y[order[i]];
    sum += residual * residual / (a * a + b * b + 1);
  }
  return sum / static_cast<double>(order.size() - 2);
}

/// Returns half the mean squared difference of each row to its nearest other row.
double among_nearest(ConstMat x, ConstVec y) {
  const Vector squares = x.rowwise().squaredNorm();
  double sum = 0;
  for (Index i = 0; i < y.size(); ++i) {
    Vector distance = squares - 2 * (x * x.row(i).transpose());
    distance[i] = std::numeric_limits<double>::infinity();
    Index nearest = 0;
    distance.minCoeff(&nearest);
    sum += 0.5 * (y[i] - y[nearest]) * (y[i] - y[nearest]);
  }
  return sum / static_cast<double>(y.size());
}

}  // namespace

double neighbour_noise(ConstMat x, ConstVec y) {
  require(x.rows() == y.size(), "neighbour_noise: one target for each row");
  const double n = static_cast<double>(y.size());
  if (n < 10) return 0;
  const double variance = (y.array() - y.mean()).square().sum() / (n - 1);
  double least = variance;
  Index tried = 0;
  for (Index j = 0; j < x.cols(); ++j) {
    if (distinct_values(x.col(j)) < kMinDistinct) continue;
    ++tried;
    least = std::min(least, along_input(x.col(j), y));
  }
  if (x.cols() > 1) ++tried, least = std::min(least, among_nearest(x, y));
  // The relative deviation of such an estimate of pure noise is sqrt(35 / (18 n)); the least of several is lower.
  const double chance = std::sqrt(2 * std::log(1 + static_cast<double>(tried))) + kDeviations;
  return least < variance * std::exp(-chance * std::sqrt(35 / (18 * n))) ? std::sqrt(least) : 0;
}

RowStructure find_structure(const RowSource& rows, RandomStream stream) {
  if (rows.is_sparse() || rows.rows() == 0 || rows.inputs() == 0) return {};
  const auto most = static_cast<Index>(std::sqrt(kStructureWork / static_cast<double>(rows.inputs())));
  const std::shared_ptr<const MemoryRows> drawn =
      rows.rows() > most ? gather_rows(rows, draw_rows(stream, rows.rows(), most)) : gather_all_rows(rows);
  const ConstMat x = drawn->x().dense();
  if (!x.allFinite() || !drawn->y().allFinite()) return {};
  return {spectral_peaks(x, drawn->y(), kMaxPeaks, rows.rows()), neighbour_noise(x, drawn->y())};
}

}  // namespace alacarte
