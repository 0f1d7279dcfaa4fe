#pragma once
// Heavy-tailed inputs, scaled to the range of the others: a network then spends no units on their few far values.
#include <string>

#include "alacarte/core/tensor_bundle.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// v_j = x_j, or, for an input with heavy tails, (asinh((x_j - median_j) / width_j) - mean_j) / sd_j. Source: Burbidge,
/// Magee and Robb 1988 (the inverse hyperbolic sine as a transformation of extreme values).
class HeavyTails {
 public:
  /// Learns from a sample (rows, d) of the training rows: tails are heavy if the kurtosis is above 5 (a Gaussian's is
  /// 3, a Laplace distribution's 6). The width is half the distance of the quartiles, or, if that is 0, the mean
  /// absolute deviation from the median; mean and sd standardise the sample's v_j. Inputs of one or two values stay.
  /// O(rows d).
  static HeavyTails learn(const Matrix& sample);
  static HeavyTails load(const TensorBundle& bundle, const std::string& name, Index inputs);  ///< throws IoError
  void save(TensorBundle& bundle, const std::string& name) const;

  bool any() const { return (width_.array() > 0).any(); }  ///< false: v = x
  Index inputs() const { return width_.size(); }           ///< d
  void apply(MatRef x) const;                              ///< replaces x (rows, d) by v
  /// Replaces x_dot (rows, d) by dv/dx x_dot at x (rows, d).
  void apply_slopes(ConstMat x, MatRef x_dot) const;

  const Vector& median() const { return median_; }  ///< (d)
  const Vector& width() const { return width_; }    ///< (d); 0 = unchanged
  const Vector& mean() const { return mean_; }      ///< (d)
  const Vector& sd() const { return sd_; }          ///< (d) > 0

 private:
  explicit HeavyTails(Index inputs);
  Vector median_, width_, mean_, sd_;
};

}  // namespace alacarte
