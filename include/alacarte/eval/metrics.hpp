#pragma once
// Scores of predictions against observed targets, all in the unit of the targets given.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/core/random.hpp>
#include <vector>

namespace alacarte {

/// Scores of regression, in units of the target. Means are weighted; the median counts rows equally.
struct Metrics {
  Index n = 0;                       ///< rows
  double rmse = 0, mae = 0, r2 = 0;  ///< root mean squared error; mean absolute error; 1 - smse
  double smse = 0;  ///< mean squared error over the variance of the *test* targets; not finite (and null in JSON) if
                    ///< these are all equal, like r2 = 1 - smse
  double nlpd = 0;  ///< mean negative log predictive density
  double nlpd_median = 0;                                 ///< median negative log predictive density
  double crps = 0;                                        ///< mean continuous ranked probability score
  double coverage50 = 0, coverage90 = 0, coverage95 = 0;  ///< share of targets inside the central interval
};

/// Accumulates scores of rows in chunks, in constant memory: sums, and at most 2^20 log densities for the median
/// (beyond, of a seeded sample of the rows).
class ScoreSums {
 public:
  /// Adds predictions, which must include the noise. weights: (rows) above 0, or empty: all 1. Throws
  /// std::invalid_argument on shapes.
  void add(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights = Vector());
  /// Adds the sums of all ranks: equal on all of them.
  void add_over_ranks();
  Index rows() const { return n_; }  ///< rows added so far
  Metrics result() const;            ///< throws std::invalid_argument without rows

 private:
  void keep(const Vector& negative_log);
  Index n_ = 0;
  double weight_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0, crps_ = 0, covered50_ = 0, covered90_ = 0,
         covered95_ = 0;
  double target_mean_ = 0, target_spread_ = 0;
  std::vector<double> kept_;
  RandomStream stream_{0};
};

/// Scores predictions, which must include the noise; weights as in ScoreSums::add(). Throws std::invalid_argument on
/// shapes or zero rows.
Metrics score(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights = Vector());

}  // namespace alacarte
