#include "alacarte/eval/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr std::size_t kMaxKeptScores = std::size_t{1} << 20;

double median(std::vector<double> sorted) {
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(sorted.begin(), middle));
}

// Uses that y is in the central interval of mass p if its CDF value is in [(1-p)/2, (1+p)/2]: one evaluation of the CDF
// serves every level, where quantiles would need a root finder for each.
Vector covered(const Vector& cdf, double mass) {
  return ((cdf.array() - 0.5).abs() <= 0.5 * mass).cast<double>().matrix();
}

double weighted_sum(const Vector& values, ConstVec weights) {
  return weights.size() == 0 ? values.sum() : values.dot(weights);
}

Vector of_each(const ScoringRanks& ranks, double value) {
  Vector all = Vector::Zero(ranks.count);
  all[ranks.own] = value;
  ranks.add(all);
  return all;
}

/// Adds sums and counts (which stay below 2^53) over ranks, in one message.
void add_all(const ScoringRanks& ranks, const std::vector<double*>& sums, const std::vector<Index*>& counts) {
  if (ranks.count == 1) return;
  std::vector<double> values;
  for (const double* sum : sums) values.push_back(*sum);
  for (const Index* count : counts) values.push_back(static_cast<double>(*count));
  ranks.add(Eigen::Map<Vector>(values.data(), static_cast<Index>(values.size())));
  for (std::size_t k = 0; k < sums.size(); ++k) *sums[k] = values[k];
  for (std::size_t k = 0; k < counts.size(); ++k) *counts[k] = static_cast<Index>(values[sums.size() + k]);
}

}  // namespace

void ScoreSums::add(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights) {
  require(prediction.rows() == target.size() && (weights.size() == 0 || weights.size() == target.size()),
          "one prediction for each target, and one weight or none");
  require(prediction.with_noise(), "scores need predictions that include the noise");
  if (target.size() == 0) return;
  const Vector error = prediction.mean() - target;
  const Vector negative_log = -prediction.log_density(target);
  const Vector cdf = prediction.cdf(target);
  squared_ += weights.size() == 0 ? error.squaredNorm() : weighted_sum(error.cwiseAbs2(), weights);
  absolute_ += weighted_sum(error.cwiseAbs(), weights);
  negative_log_ += weighted_sum(negative_log, weights);
  crps_ += weighted_sum(prediction.crps(target), weights);
  covered50_ += weighted_sum(covered(cdf, 0.50), weights);
  covered90_ += weighted_sum(covered(cdf, 0.90), weights);
  covered95_ += weighted_sum(covered(cdf, 0.95), weights);
  keep(negative_log);

  // Merges spreads of chunks about their own means: sums of squares would cancel.
  const double more = weights.size() == 0 ? static_cast<double>(target.size()) : weights.sum();
  const double mean = weighted_sum(target, weights) / more, step = mean - target_mean_;
  target_spread_ += weighted_sum((target.array() - mean).square().matrix(), weights) +
                    step * step * weight_ * more / (weight_ + more);
  target_mean_ += step * more / (weight_ + more);
  weight_ += more;
  n_ += target.size();
}

// Samples a reservoir (Vitter's algorithm R): every row is equally likely to be kept.
void ScoreSums::keep(const Vector& negative_log) {
  for (Index i = 0; i < negative_log.size(); ++i) {
    if (kept_.size() < kMaxKeptScores) {
      kept_.push_back(negative_log[i]);
    } else if (const auto place = static_cast<std::size_t>(stream_.below(n_ + i + 1)); place < kMaxKeptScores) {
      kept_[place] = negative_log[i];
    }
  }
}

void ScoreSums::add_over(const ScoringRanks& ranks) {
  if (ranks.count == 1) return;
  const Vector rows = of_each(ranks, static_cast<double>(n_)), weights = of_each(ranks, weight_);
  const Vector means = of_each(ranks, target_mean_), spreads = of_each(ranks, target_spread_);
  add_all(ranks, {&squared_, &absolute_, &negative_log_, &crps_, &covered50_, &covered90_, &covered95_}, {});
  n_ = static_cast<Index>(rows.sum());
  target_mean_ = weights.dot(means) / weights.sum();
  target_spread_ = spreads.sum() + weights.dot((means.array() - target_mean_).square().matrix());
  weight_ = weights.sum();
  // If they are too many, each rank draws from its own in proportion to its rows.
  const double most = std::min(1.0, static_cast<double>(kMaxKeptScores) / rows.sum());
  if (most < 1) {
    const auto share = static_cast<Index>(most * rows[ranks.own]);
    std::vector<double> drawn;
    for (const Index place : draw_rows(stream_, static_cast<Index>(kept_.size()), share))
      drawn.push_back(kept_[static_cast<std::size_t>(place)]);
    kept_ = std::move(drawn);
  }
  const Vector counts = of_each(ranks, static_cast<double>(kept_.size()));
  std::vector<double> all(static_cast<std::size_t>(counts.sum()), 0.0);
  std::copy(kept_.begin(), kept_.end(), all.begin() + static_cast<std::ptrdiff_t>(counts.head(ranks.own).sum()));
  ranks.add(Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size())));
  kept_ = std::move(all);
}

Metrics ScoreSums::result() const {
  require(n_ > 0, "scores need at least one row");
  const double n = weight_;
  Metrics metrics;
  metrics.n = n_;
  metrics.rmse = std::sqrt(squared_ / n);
  metrics.mae = absolute_ / n;
  metrics.smse = squared_ / target_spread_;
  metrics.r2 = 1.0 - metrics.smse;
  metrics.nlpd = negative_log_ / n;
  metrics.nlpd_median = median(kept_);
  metrics.crps = crps_ / n;
  metrics.coverage50 = covered50_ / n;
  metrics.coverage90 = covered90_ / n;
  metrics.coverage95 = covered95_ / n;
  return metrics;
}

Metrics score(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights) {
  ScoreSums sums;
  sums.add(prediction, target, weights);
  return sums.result();
}

void CountScoreSums::add(const CountDistribution& predicted, ConstVec y, ConstVec weights) {
  require(predicted.rows() == y.size() && (weights.size() == 0 || weights.size() == y.size()),
          "scores of counts: one prediction for each row, and one weight or none");
  const Vector error = predicted.mean() - y, log_probability = predicted.log_probability(y);
  n_ += error.size();
  weight_ += weights.size() == 0 ? static_cast<double>(y.size()) : weights.sum();
  squared_ += weights.size() == 0 ? error.squaredNorm() : weights.dot(error.cwiseAbs2());
  absolute_ += weighted_sum(error.cwiseAbs(), weights);
  negative_log_ -= weighted_sum(log_probability, weights);
}

void CountScoreSums::add_over(const ScoringRanks& ranks) {
  add_all(ranks, {&weight_, &squared_, &absolute_, &negative_log_}, {&n_});
}

CountMetrics CountScoreSums::result() const {
  return {n_, std::sqrt(squared_ / weight_), absolute_ / weight_, negative_log_ / weight_};
}

ClassScoreSums::ClassScoreSums(Index classes, bool probabilities) : classes_(classes), probabilities_(probabilities) {
  require(classes >= 2, "scores of classes need at least two");
  const auto count = static_cast<std::size_t>(classes);
  if (probabilities) bins_.resize(static_cast<std::size_t>(kCalibrationBins));
  confusion_.assign(count, std::vector<Index>(count, 0));
}

void ClassScoreSums::add(ConstMat values, ConstVec target, ConstVec weights) {
  require(values.rows() == target.size() && values.cols() == classes_ &&
              (weights.size() == 0 || weights.size() == target.size()),
          "scores: one value for each row and class, and one weight or none");
  if (!values.allFinite()) throw NumericalError("scores", "a value of a class is not a finite number");
  for (Index i = 0; i < target.size(); ++i) {
    require(target[i] >= 0 && target[i] < static_cast<double>(classes_), "scores: a target that is no class");
    const auto own = static_cast<Index>(target[i]);
    Index predicted = 0;
    const double maximum = values.row(i).maxCoeff(&predicted);
    ++confusion_[static_cast<std::size_t>(own)][static_cast<std::size_t>(predicted)];
    const double weight = weights.size() > 0 ? weights[i] : 1;
    weight_ += weight;
    if (predicted == own) right_ += weight;
    if (!probabilities_) continue;
    log_loss_ -= weight * std::log(std::max(values(i, own), std::numeric_limits<double>::min()));
    brier_ += weight * (values.row(i).squaredNorm() + 1 - 2 * values(i, own));
    const auto bin =
        std::clamp<Index>(static_cast<Index>(maximum * static_cast<double>(kCalibrationBins)), 0, kCalibrationBins - 1);
    CalibrationBin& into = bins_[static_cast<std::size_t>(bin)];
    ++into.rows;
    into.right += predicted == own;
    into.probability += maximum;
  }
  n_ += target.size();
}

void ClassScoreSums::add_over(const ScoringRanks& ranks) {
  std::vector<double*> sums{&weight_, &right_, &log_loss_, &brier_};
  std::vector<Index*> counts{&n_};
  for (CalibrationBin& bin : bins_) {
    sums.push_back(&bin.probability);
    counts.insert(counts.end(), {&bin.rows, &bin.right});
  }
  for (auto& row : confusion_)
    for (Index& count : row) counts.push_back(&count);
  add_all(ranks, sums, counts);
}

ClassMetrics ClassScoreSums::result() const {
  require(n_ > 0, "scores need at least one row");
  const double n = static_cast<double>(n_);
  ClassMetrics metrics;
  metrics.n = n_;
  metrics.probabilities = probabilities_;
  metrics.confusion = confusion_;
  metrics.bins = bins_;
  metrics.accuracy = right_ / weight_;
  metrics.log_loss = log_loss_ / weight_;
  metrics.brier = brier_ / weight_;
  for (const CalibrationBin& bin : bins_) metrics.ece += std::abs(static_cast<double>(bin.right) - bin.probability) / n;
  return metrics;
}

ClassMetrics score_classes(ConstMat values, ConstVec target, bool probabilities, ConstVec weights) {
  ClassScoreSums sums(values.cols(), probabilities);
  sums.add(values, target, weights);
  return sums.result();
}

}  // namespace alacarte
