#pragma once
// Corrections of a trained model by rows that its training never saw.
//
// conformal (split conformal prediction: Lei et al. 2018, JASA 113, section 2.2): with the scores |y - mean| / sd of m
// held-out rows, a new row has y in mean -+ q sd with a probability of at least p, and, where scores do not tie, of
// less than p + 1 / (m + 1), q the ceil((m + 1) p)-th smallest score. That holds for any data and any model, however
// wrong, if the m rows and the new one are exchangeable; the probability is over all of them, not row by row.
//
// temperature (Guo et al. 2017, ICML): probabilities p become p^(1/T) over their sum, T with the least log loss of the
// held-out rows. No guarantee; one number of several hundred rows errs little.
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/types.hpp>
#include <string>

namespace alacarte {

/// Bounds of rows, each (rows).
struct Interval {
  Vector lower, upper;  ///< bounds in the unit of the target
};

/// Correction of the error bars or the probabilities of a model, learned from held-out rows.
struct Calibration {
  CalibrationKind kind = CalibrationKind::none;
  Index rows = 0;          ///< number of held-out rows
  Vector scores;           ///< conformal: (rows) increasing, >= 0
  double temperature = 1;  ///< > 0

  bool is_conformal() const { return kind == CalibrationKind::conformal; }  ///< true if intervals are corrected
  /// Returns q, in standard deviations. Throws ConfigError where ceil((rows + 1) probability) > rows.
  double factor(double probability) const;
  /// Corrects class probabilities (rows, K) in place.
  void apply(MatRef probabilities) const;
};

/// Makes the conformal calibration from scores in any order.
Calibration conformal_calibration(Vector scores);
/// Finds T in [1/20, 20] from the probabilities (rows, K) of held-out rows, whose classes are labels (rows).
Calibration temperature_calibration(ConstMat probabilities, ConstVec labels);

// The distribution of a row's noise where it is no Gaussian: a scale mixture of normals (Andrews and Mallows 1974).

/// With the probability shares[k] the variance of a row's noise is factors[k] times what it is without a shape. None:
/// gaussian noise. A large factor with a small share stands for outliers.
struct NoiseShape {
  Vector shares;   ///< (C) above 0, sum 1; empty: gaussian
  Vector factors;  ///< (C) above 0, increasing

  bool is_gaussian() const { return shares.size() == 0; }  ///< there is nothing to mix
  /// Variance of the noise over that of gaussian noise.
  double mean_factor() const { return is_gaussian() ? 1 : shares.dot(factors); }
  bool operator==(const NoiseShape& other) const;  ///< memberwise
};

/// Describes a shape: "standard deviations of 0.25 times (95.5 % of rows), 2.8 times (3.8 %), ..", or "gaussian".
std::string shape_text(const NoiseShape& shape);

}  // namespace alacarte
