#pragma once
// Statistics of the training rows that set the starting points of maps and kernels (A la Carte, section 5,
// "Initialization").
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <vector>

namespace alacarte {

/// A sinusoid of the target along one input.
struct SpectralPeak {
  Index input = 0;
  double frequency = 0;  ///< in radians per unit of the input
  double periods = 0;    ///< number of periods in the range of the input
  double rows = 0;       ///< largest share of the rows that one period holds
  double share = 0;      ///< share of the target's variance that it explains
  double beside = 0;     ///< share of the strongest sinusoid at nearly this frequency that is left beside it
};

/// Structure of the rows before any fit: sinusoids of the target, and a bound of its noise.
struct RowStructure {
  std::vector<SpectralPeak> peaks;  ///< sinusoids that the target holds beside a parabola, the strongest first
  /// Upper estimate of the noise standard deviation from neighbouring rows, in the unit of the target; 0: neighbours
  /// agree no better than any two rows
  double neighbour_sd = 0;

  /// Returns the peaks that are seasons rather than bends: three periods or more, of which none holds more than two
  /// fifths of the rows, for within one any function is a sinusoid; a twentieth of the variance that the other peaks
  /// leave; and nothing like it beside them, as a function that bends here and there has.
  std::vector<SpectralPeak> seasons() const;
  /// Returns the seasons but those that are harmonics of another along the same input: a periodic function has them.
  std::vector<SpectralPeak> fundamentals() const;
  /// Removes the strongest fundamental season, and its harmonics.
  void drop_season();
  /// Returns the structure of rows whose inputs and target were divided by these scales (d).
  RowStructure scaled(ConstVec input_scale, double target_scale) const;
};

/// Statistics of standardised training rows. Cost O(nd + P d).
struct TrainingStatistics {
  Index rows = 0;  ///< n
  Vector range;    ///< (d) max - min of each input; 1 for a constant input
  /// (P, d) x_i - x_j of random pairs i != j with x_i != x_j; P = max(2000, n/5), at most 20000 and at most
  /// max(100, 2e7 / d).
  Matrix pair_differences;
  double target_sd = 1;    ///< standard deviation of the (standardised) target; never 0
  double mean_weight = 1;  ///< geometric mean of the rows' weights
  Vector lengthscale;      ///< (d) length-scales of an exact ARD fit, or empty
  bool from_rows = false;  ///< they come from the structure of the rows, which usual starts miss
  Matrix sample;           ///< (min(n, 4096), d) rows drawn without replacement; candidates for landmarks
  RowStructure structure;  ///< empty unless a training has looked for it
  /// Numbers of levels of the random effects, whose codes are the last inputs: their ranges are 1, and their pair
  /// differences 0.
  std::vector<Index> level_counts = {};

  Index input_count() const { return range.size(); }  ///< d
  /// Returns the number of inputs that are no codes of levels.
  Index smooth_count() const { return range.size() - static_cast<Index>(level_counts.size()); }
  /// Returns the statistics of the inputs first .. first + count - 1 alone, without levels.
  TrainingStatistics of_inputs(Index first, Index count) const;

  /// Returns the `level` quantile of |x_i - x_j| over the pairs, each input divided by lengthscale (d). Cost O(P d).
  double distance_quantile(double level, ConstVec lengthscale) const;
};

/// Returns statistics of sparse rows with d = `inputs`: unit ranges, one pair of unit differences, and one sample row
/// whose squared length is `mean_square`, the mean squared length of the rows. Maps of sparse rows use only these. Cost
/// O(d).
TrainingStatistics sparse_training_statistics(Index rows, Index inputs, double mean_square);

/// Draws the ARD start of the paper (d): log(sqrt(d) u range_j), u ~ U[0.4, 0.8] for each input; with length-scales of
/// an ARD fit, log(lengthscale_j u / 0.6).
Vector ard_start(const TrainingStatistics& statistics, RandomStream& stream);

}  // namespace alacarte
