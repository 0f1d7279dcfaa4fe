#pragma once
// Scores of predicted counts.
#include <alacarte/core/count_distribution.hpp>
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

/// Scores of predictions of counts on some rows.
struct CountMetrics {
  Index n = 0;               ///< rows
  double rmse = 0, mae = 0;  ///< of the predictive mean
  double nlpd = 0;           ///< mean of -log P(count), nats
};
void to_json(nlohmann::json& json, const CountMetrics& metrics);  ///< {n, rmse, mae, nlpd}

/// Sums over rows that come in pieces. Memory: none a row.
class CountScoreSums {
 public:
  /// y (rows): the counts. Throws std::invalid_argument on shapes.
  void add(const CountDistribution& predicted, ConstVec y);
  CountMetrics result() const;  ///< throws std::invalid_argument when there are no rows

 private:
  double n_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0;
};

}  // namespace alacarte
