#include "row_structure.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "alacarte/core/error.hpp"
#include "alacarte/core/predictive_distribution.hpp"

namespace alacarte {
namespace {

using Array = Eigen::ArrayXd;

constexpr Index kMaxPeaks = 4;
constexpr Index kMaxBins = 20'000;        // of all inputs, beyond those that the rows themselves have
constexpr Index kMinDistinct = 8;         // distinct values of an input that can hold a sinusoid
constexpr double kMinPeriods = 2;         // periods in the range of the input; a parabola takes slower ones
constexpr double kMinShare = 0.02;        // of the target's variance
constexpr double kLogSignificance = 7;    // log of a thousand
constexpr Index kBinsPerPeriod = 2;       // bins of the periodogram for each period more in the range
constexpr double kStructureWork = 1e7;    // rows times bins times inputs of one periodogram, some 20 ms
constexpr double kMinStructureRows = 64;  // rows below which nothing is found
constexpr double kDeviations = 3;         // deviations by which neighbours must agree better than chance
constexpr double kMaxBeside = 3;          // periods in the range between a peak and sinusoids beside it
constexpr double kLogBeside = 6.5;        // log of the odds against one beside it by chance

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

/// The periodogram of a residual along one input. Rows with one value of the input count as one observation, their
/// mean: any function of a code with few values is a sum of few sinusoids.
class Periodogram {
 public:
  /// A residual: means of the levels, times the root of their counts, without the parabola that fits them best.
  struct Levels {
    Vector mean;
    double square = 0;  ///< its squared length
  };
  struct Sinusoid {
    double frequency = 0, explained = 0;  ///< part of Levels::square
  };

  /// most_values: distinct values of the input in the table that these rows were drawn from, at most. Rows drawn at
  /// random show frequencies that regular rows as far apart would hide.
  Periodogram(ConstVec x, Index most_values) : level_(x.size()) {
    const std::vector<Index> order = order_of(x);
    std::vector<double> values, counts;
    for (const Index i : order) {
      if (values.empty() || x[i] != values.back()) values.push_back(x[i]), counts.push_back(0);
      counts.back() += 1;
      level_[i] = static_cast<Index>(values.size()) - 1;
    }
    const auto levels = static_cast<Index>(values.size());
    if (levels < kMinDistinct) return;
    range_ = values.back() - values.front();
    x_ = Eigen::Map<const Array>(values.data(), levels) - (values.front() + 0.5 * range_);
    root_ = Eigen::Map<const Array>(counts.data(), levels).sqrt();
    step_ = 2 * std::numbers::pi / (static_cast<double>(kBinsPerPeriod) * range_);
    first_ = static_cast<Index>(kMinPeriods) * kBinsPerPeriod;
    const Index resolved = levels > x.size() * 9 / 10 ? std::max(levels, most_values) : levels;
    last_ = kBinsPerPeriod * (resolved - 1) / 2 - 1;  // at half the number of steps sine and cosine are the same
    Matrix columns(levels, 3);
    columns << root_, root_ * x_ / range_, root_ * (x_ / range_).square();
    parabola_ = Eigen::HouseholderQR<Matrix>(columns).householderQ() * Matrix::Identity(levels, 3);
  }

  Index bins() const { return std::max<Index>(0, last_ - first_ + 1); }
  double periods(double frequency) const { return frequency * range_ / (2 * std::numbers::pi); }
  double frequency(double periods) const { return periods * 2 * std::numbers::pi / range_; }

  Levels levels(const Array& residual) const {
    Vector mean = Vector::Zero(x_.size());
    for (Index i = 0; i < residual.size(); ++i) mean[level_[i]] += residual[i];
    mean.array() /= root_;
    mean -= parabola_ * (parabola_.transpose() * mean);
    return {mean, mean.squaredNorm()};
  }

  /// Returns the log of the odds against noise that explains as much of the levels at one frequency.
  double log_odds(const Levels& levels, double explained) const {
    constexpr double kMinRatio = 1e-12;  // share that rounding may leave
    const double left = std::max(kMinRatio, 1 - explained / std::max(levels.square, 1e-300));
    return -0.5 * static_cast<double>(x_.size() - 5) * std::log(left);
  }

  /// Returns the bin whose sinusoid explains most.
  Sinusoid strongest(const Levels& levels) const {
    const Array power = powers(levels);
    Index best = 0;
    power.maxCoeff(&best);
    const double frequency = step_ * static_cast<double>(first_ + best);
    return {frequency, explained(levels, frequency)};
  }

  /// Returns the frequency between the bins beside this one that explains most.
  Sinusoid refined(const Levels& levels, double frequency) const {
    constexpr double kGolden = 0.381966;
    double low = frequency - step_, high = frequency + step_;
    double a = low + kGolden * (high - low), b = high - kGolden * (high - low);
    double at_a = explained(levels, a), at_b = explained(levels, b);
    for (int step = 0; step < 24; ++step) {
      if (at_a > at_b) {
        high = b, b = a, at_b = at_a;
        at_a = explained(levels, a = low + kGolden * (high - low));
      } else {
        low = a, a = b, at_a = at_b;
        at_b = explained(levels, b = high - kGolden * (high - low));
      }
    }
    return at_a > at_b ? Sinusoid{a, at_a} : Sinusoid{b, at_b};
  }

  /// Returns how much least squares on a sinusoid besides the parabola explains.
  double explained(const Levels& levels, double frequency) const {
    Matrix columns(x_.size(), 2);
    columns << root_ * (frequency * x_).cos(), root_ * (frequency * x_).sin();
    columns -= parabola_ * (parabola_.transpose() * columns);
    const Eigen::Vector2d product = columns.transpose() * levels.mean;
    return product.dot(Eigen::ColPivHouseholderQR<Eigen::Matrix2d>(columns.transpose() * columns).solve(product));
  }

 private:
  /// Returns (sum r cos)^2 + (sum r sin)^2 of each bin. Levels turn by one bin at a time, so no bin takes a sine.
  Array powers(const Levels& levels) const {
    constexpr Index kBlock = 512;
    Array sums_c = Array::Zero(bins()), sums_s = sums_c;
    for (Index at = 0; at < x_.size(); at += kBlock) {
      const Index count = std::min(kBlock, x_.size() - at);
      const auto x = x_.segment(at, count);
      const Array turn_c = (step_ * x).cos(), turn_s = (step_ * x).sin();
      const Array r = root_.segment(at, count) * levels.mean.segment(at, count).array();
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
    return sums_c.square() + sums_s.square();
  }

  Eigen::Matrix<Index, Eigen::Dynamic, 1> level_;  // (rows)
  Array x_, root_;                                 // (levels) from the middle of the range; roots of the counts
  Matrix parabola_;                                // (levels, 3) orthonormal
  double step_ = 0, range_ = 0;
  Index first_ = 1, last_ = 0;
};

/// Returns the residual of least squares on the columns.
Array residual_of(const Matrix& columns, ConstVec y) { return y - columns * columns.colPivHouseholderQr().solve(y); }

/// Finds the peaks of one target, one after the other.
class PeakSearch {
 public:
  PeakSearch(ConstMat x, ConstVec y, Index table_rows)
      : x_(x),
        y_(y),
        total_((y.array() - y.mean()).square().sum()),
        found_(Matrix::Ones(y.size(), 1)),
        residual_(y.array() - y.mean()) {
    for (Index j = 0; j < x.cols(); ++j) {
      inputs_.emplace_back(x.col(j), std::min(table_rows, kMaxBins / x.cols()));
      bins_ += static_cast<double>(inputs_.back().bins());
    }
    has_parabola_.assign(inputs_.size(), false);
  }

  std::vector<SpectralPeak> run(Index most) {
    std::vector<SpectralPeak> peaks;
    while (static_cast<Index>(peaks.size()) < most) {
      const std::optional<SpectralPeak> next = next_peak();
      if (!next || !(take(*next).share >= kMinShare)) break;
      peaks.push_back(taken_);
    }
    for (SpectralPeak& peak : peaks)
      for (const SpectralPeak& other : peaks)
        if (&other != &peak && other.input == peak.input && std::abs(other.periods - peak.periods) <= reach(peak))
          peak.beside = std::max(peak.beside, other.share);
    std::stable_sort(peaks.begin(), peaks.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    return peaks;
  }

 private:
  /// Returns the sinusoid of the residual that is least likely by chance, or nothing where chance explains it.
  std::optional<SpectralPeak> next_peak() const {
    SpectralPeak best;
    double most = 0;
    for (std::size_t j = 0; j < inputs_.size(); ++j) {
      if (inputs_[j].bins() == 0) continue;
      const Periodogram::Levels levels = inputs_[j].levels(residual_);
      const Periodogram::Sinusoid own = inputs_[j].strongest(levels);
      const double odds = inputs_[j].log_odds(levels, own.explained);
      if (odds > most) best = {static_cast<Index>(j), own.frequency}, most = odds;
    }
    if (most == 0) return std::nullopt;
    const Periodogram& input = inputs_[static_cast<std::size_t>(best.input)];
    const Periodogram::Levels levels = input.levels(residual_);
    const Periodogram::Sinusoid refined = input.refined(levels, best.frequency);
    if (input.log_odds(levels, refined.explained) < std::log(std::max(1.0, bins_)) + kLogSignificance)
      return std::nullopt;
    best.frequency = refined.frequency;
    best.periods = input.periods(refined.frequency);
    return best;
  }

  /// Takes a peak out of the residual.
  const SpectralPeak& take(const SpectralPeak& peak) {
    const Array x = x_.col(peak.input).array() - x_.col(peak.input).mean();
    if (!has_parabola_[static_cast<std::size_t>(peak.input)]) append(x, x.square());
    has_parabola_[static_cast<std::size_t>(peak.input)] = true;
    const double before = residual_of(found_, y_).square().sum();
    append((peak.frequency * x).cos(), (peak.frequency * x).sin());
    residual_ = residual_of(found_, y_);
    taken_ = peak;
    taken_.share = (before - residual_.square().sum()) / total_;
    taken_.rows = rows_of_a_period(taken_);
    taken_.beside = left_beside(taken_);
    return taken_;
  }

  void append(const Array& first, const Array& second) {
    found_.conservativeResize(Eigen::NoChange, found_.cols() + 2);
    found_.rightCols(2) << first / std::max(1e-300, first.abs().maxCoeff()),
        second / std::max(1e-300, second.abs().maxCoeff());
  }

  /// Returns the largest share of the rows in one period of a peak.
  double rows_of_a_period(const SpectralPeak& peak) const {
    const auto x = x_.col(peak.input);
    Vector counts = Vector::Zero(static_cast<Index>(peak.periods) + 1);
    const double turns = peak.frequency / (2 * std::numbers::pi), least = x.minCoeff();
    for (Index i = 0; i < x.size(); ++i)
      counts[std::min(static_cast<Index>(turns * (x[i] - least)), counts.size() - 1)] += 1;
    return counts.maxCoeff() / static_cast<double>(x.size());
  }

  static double reach(const SpectralPeak& peak) { return std::min(kMaxBeside, 0.5 * peak.periods); }

  /// Returns the share of the strongest sinusoid that the residual holds beside a peak; 0 where chance explains it.
  double left_beside(const SpectralPeak& peak) const {
    const Periodogram& input = inputs_[static_cast<std::size_t>(peak.input)];
    const Periodogram::Levels levels = input.levels(residual_);
    double most = 0;
    constexpr double kStep = 0.25;
    for (double apart = -reach(peak); apart <= reach(peak); apart += kStep)
      if (std::abs(apart) > kStep)
        most = std::max(most, input.explained(levels, input.frequency(peak.periods + apart)));
    return input.log_odds(levels, most) > kLogBeside ? most / total_ : 0;
  }

  ConstMat x_;
  ConstVec y_;
  double total_, bins_ = 0;
  std::vector<Periodogram> inputs_;
  Matrix found_;  // columns that explain the peaks so far
  std::vector<bool> has_parabola_;
  Array residual_;
  SpectralPeak taken_;
};

}  // namespace

std::vector<SpectralPeak> spectral_peaks(ConstMat x, ConstVec y, Index most, Index table_rows) {
  require(x.rows() == y.size(), "spectral_peaks: one target for each row");
  const bool varies = (y.array() != y[0]).any();
  if (static_cast<double>(y.size()) < kMinStructureRows || !varies) return {};
  return PeakSearch(x, y, table_rows).run(most);
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

/// Returns half the mean squared difference of each row to its nearest other row, inputs in units of their ranges.
double among_nearest(ConstMat raw, ConstVec y) {
  Matrix x = raw.rowwise() - raw.colwise().mean();  // distances of dates would lose their digits
  x.array().rowwise() /= (raw.colwise().maxCoeff() - raw.colwise().minCoeff()).array().max(1e-300);
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

RowStructure find_structure(const RowSource& rows, RandomStream stream, TargetScaling scaling) {
  if (rows.is_sparse() || rows.rows() == 0 || rows.inputs() == 0) return {};
  const auto most = static_cast<Index>(std::sqrt(kStructureWork / static_cast<double>(rows.inputs())));
  const std::shared_ptr<const MemoryRows> drawn =
      rows.rows() > most ? gather_rows(rows, draw_rows(stream, rows.rows(), most)) : gather_all_rows(rows);
  // Codes of levels have no order.
  ConstMat x = drawn->x().dense().leftCols(rows.inputs() - static_cast<Index>(rows.level_counts().size()));
  if (!x.allFinite() || !drawn->y().allFinite()) return {};
  Vector y = learn_transform(scaling, drawn->y()).forward(drawn->y());
  if (drawn->has_offsets()) y = (y.array() + 0.5).log() - drawn->offsets().array();  // log rates
  if (!y.allFinite()) return {};  // the standardiser refuses these targets
  return {spectral_peaks(x, y, kMaxPeaks, rows.rows()), neighbour_noise(x, y)};
}

}  // namespace alacarte
