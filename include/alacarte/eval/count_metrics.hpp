#pragma once
// Scores of predicted counts.
#include <alacarte/core/count_distribution.hpp>

namespace alacarte {

/// Scores of predictions of counts: weighted means over rows.
struct CountMetrics {
  Index n = 0;               ///< rows
  double rmse = 0, mae = 0;  ///< errors of the predictive mean
  double nlpd = 0;           ///< mean of -log P(count), nats
};

/// Accumulates scores of rows in chunks, in constant memory.
class CountScoreSums {
 public:
  /// Adds counts y (rows) with weights (rows) above 0, or empty: all 1. Throws std::invalid_argument on shapes.
  void add(const CountDistribution& predicted, ConstVec y, ConstVec weights = Vector());
  /// Adds the sums of all ranks: equal on all of them.
  void add_over_ranks();
  Index rows() const { return n_; }  ///< rows added so far
  CountMetrics result() const;       ///< throws std::invalid_argument without rows

 private:
  Index n_ = 0;
  double weight_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0;
};

}  // namespace alacarte
