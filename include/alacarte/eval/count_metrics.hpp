#pragma once
// Scores of predicted counts.
#include <alacarte/core/count_distribution.hpp>
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

/// Sums over rows that come in pieces. Memory: none a row.
class CountScoreSums {
 public:
  /// y (rows): the counts. Throws std::invalid_argument on shapes.
  void add(const CountDistribution& predicted, ConstVec y);
  /// {n, rmse, mae, nlpd}: the errors are of the mean, nlpd is the mean of -log P(count), nats.
  nlohmann::json result() const;

 private:
  double n_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0;
};

}  // namespace alacarte
