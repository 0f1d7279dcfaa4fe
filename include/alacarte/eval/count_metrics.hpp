#pragma once
// Scores of predicted counts.
#include <alacarte/core/count_distribution.hpp>

namespace alacarte {

/// Scores of predictions of counts on some rows: means by their weights, where they have any.
struct CountMetrics {
  Index n = 0;               ///< rows
  double rmse = 0, mae = 0;  ///< of the predictive mean
  double nlpd = 0;           ///< mean of -log P(count), nats
};

/// Sums over rows that come in pieces. Memory: none a row.
class CountScoreSums {
 public:
  /// y (rows): the counts; weights (rows) above 0, or empty: all 1. Throws std::invalid_argument on shapes.
  void add(const CountDistribution& predicted, ConstVec y, ConstVec weights = Vector());
  /// Adds what other processes that run together have: the same on all of them.
  void add_over_ranks();
  Index rows() const { return n_; }  ///< added so far
  CountMetrics result() const;       ///< throws std::invalid_argument when there are no rows

 private:
  Index n_ = 0;
  double weight_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0;
};

}  // namespace alacarte
