#include "alacarte/eval/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "core/ranks.hpp"

namespace alacarte {

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

void ClassScoreSums::add_over_ranks() {
  ranks::Sums sums;
  for (double* sum : {&weight_, &right_, &log_loss_, &brier_}) sums.add(*sum);
  sums.add(n_);
  for (CalibrationBin& bin : bins_) {
    sums.add(bin.probability);
    sums.add(bin.rows);
    sums.add(bin.right);
  }
  for (auto& row : confusion_)
    for (Index& count : row) sums.add(count);
  sums.run();
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
