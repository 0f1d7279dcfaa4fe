#include "alacarte/eval/metrics.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/ranks.hpp"

namespace alacarte {

void CountScoreSums::add(const CountDistribution& predicted, ConstVec y, ConstVec weights) {
  require(predicted.rows() == y.size() && (weights.size() == 0 || weights.size() == y.size()),
          "scores of counts: one prediction for each row, and one weight or none");
  const Vector error = predicted.mean() - y, log_probability = predicted.log_probability(y);
  const auto sum = [&](const Vector& values) { return weights.size() == 0 ? values.sum() : weights.dot(values); };
  n_ += error.size();
  weight_ += weights.size() == 0 ? static_cast<double>(y.size()) : weights.sum();
  squared_ += weights.size() == 0 ? error.squaredNorm() : weights.dot(error.cwiseAbs2());
  absolute_ += sum(error.cwiseAbs());
  negative_log_ -= sum(log_probability);
}

void CountScoreSums::add_over_ranks() {
  ranks::Sums sums;
  for (double* sum : {&weight_, &squared_, &absolute_, &negative_log_}) sums.add(*sum);
  sums.add(n_);
  sums.run();
}

CountMetrics CountScoreSums::result() const {
  return {n_, std::sqrt(squared_ / weight_), absolute_ / weight_, negative_log_ / weight_};
}

}  // namespace alacarte
