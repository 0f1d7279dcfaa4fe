#pragma once
// Scores of predicted counts.
#include <alacarte/core/count_distribution.hpp>
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

struct CountMetrics {
  Index n = 0;
  double rmse = 0, mae = 0;  ///< of the mean
  double nlpd = 0;           ///< mean of -log P(count), nats
};
void to_json(nlohmann::json& json, const CountMetrics& metrics);  ///< {n, rmse, mae, nlpd}

/// Sums over rows that come in pieces. Memory: none a row.
class CountScoreSums {
 public:
  /// y (rows): the counts. Throws std::invalid_argument on shapes.
  void add(const CountDistribution& predicted, ConstVec y);
  CountMetrics result() const;

 private:
  double n_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0;
};

}  // namespace alacarte
