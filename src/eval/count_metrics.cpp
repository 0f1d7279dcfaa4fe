#include "alacarte/eval/count_metrics.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"

namespace alacarte {

void CountScoreSums::add(const CountDistribution& predicted, ConstVec y) {
  require(predicted.rows() == y.size(), "scores of counts: one prediction for each row");
  const Vector error = predicted.mean() - y;
  n_ += static_cast<double>(error.size());
  squared_ += error.squaredNorm();
  absolute_ += error.cwiseAbs().sum();
  negative_log_ -= predicted.log_probability(y).sum();
}

CountMetrics CountScoreSums::result() const {
  return {static_cast<Index>(n_), std::sqrt(squared_ / n_), absolute_ / n_, negative_log_ / n_};
}

void to_json(nlohmann::json& json, const CountMetrics& metrics) {
  json = {{"n", metrics.n}, {"rmse", metrics.rmse}, {"mae", metrics.mae}, {"nlpd", metrics.nlpd}};
}

}  // namespace alacarte
