#pragma once
// Statistics of the training rows, from which maps and kernels take their starting points (A la Carte, section 5,
// "Initialization").
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Statistics of standardised training rows. Cost O(nd + P d).
struct TrainingStatistics {
  Index rows = 0;  ///< n
  Vector range;    ///< (d) max - min of each input; 1 where the input is constant
  /// (P, d) x_i - x_j of random pairs i != j with x_i != x_j; P = max(2000, n/5), at most 20000 and at most
  /// max(100, 2e7 / d).
  Matrix pair_differences;
  double target_sd = 1;    ///< standard deviation of the (standardised) target; never 0
  double mean_weight = 1;  ///< of the rows
  Vector lengthscale;      ///< (d) of an exact ARD fit; empty: there is none
  Matrix sample;           ///< (min(n, 4096), d) rows drawn without replacement; candidates for landmarks

  Index input_count() const { return range.size(); }  ///< d

  /// The `level` quantile of |x_i - x_j| over the pairs, each input divided by lengthscale (d). Cost O(P d).
  double distance_quantile(double level, ConstVec lengthscale) const;
};

/// Statistics of sparse rows with d = `inputs`: unit ranges, one pair of unit differences, and one sample row whose
/// squared length is `mean_square`, the mean squared length of the rows. Maps that read sparse rows use only these.
/// Cost O(d).
TrainingStatistics sparse_training_statistics(Index rows, Index inputs, double mean_square);

/// The paper's ARD start: log(sqrt(d) u range_j), u ~ U[0.4, 0.8] for each input; where there are length-scales of an
/// ARD fit, log(lengthscale_j u / 0.6). Returns (d).
Vector ard_start(const TrainingStatistics& statistics, RandomStream& stream);

}  // namespace alacarte
