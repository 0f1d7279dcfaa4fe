#pragma once
// Scores of predictions against observed targets, all in the unit of the targets given.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/core/random.hpp>
#include <vector>

namespace alacarte {

/// Scores of predictions of numbers on some rows, in units of the target. Means are by the weights of the rows, where
/// they have any; the median counts rows alike.
struct Metrics {
  Index n = 0;                       ///< rows
  double rmse = 0, mae = 0, r2 = 0;  ///< root mean squared error; mean absolute error; 1 - smse
  double smse = 0;  ///< mean squared error over the variance of the *test* targets around their mean; not finite (and
                    ///< null in JSON) when these are all equal, and so is r2 = 1 - smse
  double nlpd = 0;  ///< mean negative log predictive density
  double nlpd_median = 0;                                 ///< the median of what nlpd is the mean of
  double crps = 0;                                        ///< mean continuous ranked probability score
  double coverage50 = 0, coverage90 = 0, coverage95 = 0;  ///< share of targets inside the central interval
};

/// Scores of rows that come in chunks, in memory that does not grow with them: sums, and at most 2^20 log densities for
/// the median (beyond, of a seeded sample of the rows).
class ScoreSums {
 public:
  /// prediction must include the noise. weights: (rows) above 0, or empty: all 1. Throws std::invalid_argument on
  /// shapes.
  void add(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights = Vector());
  /// Adds what other processes that run together have: the same on all of them.
  void add_over_ranks();
  Index rows() const { return n_; }  ///< added so far
  Metrics result() const;            ///< throws std::invalid_argument when there are no rows

 private:
  void keep(const Vector& negative_log);
  Index n_ = 0;
  double weight_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0, crps_ = 0, covered50_ = 0, covered90_ = 0,
         covered95_ = 0;
  double target_mean_ = 0, target_spread_ = 0;
  std::vector<double> kept_;
  RandomStream stream_{0};
};

/// prediction must include the noise; weights as ScoreSums::add(). Throws std::invalid_argument on shapes or zero rows.
Metrics score(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights = Vector());

}  // namespace alacarte
