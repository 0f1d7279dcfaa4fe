#pragma once
// Inputs with heavy tails, brought to the range of the others: a network spends no units on their few far values.
#include <string>

#include "alacarte/core/tensor_bundle.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// v_j = x_j, or, of an input with heavy tails, (asinh((x_j - median_j) / width_j) - mean_j) / sd_j. Source: Burbidge,
/// Magee and Robb 1988 (the inverse hyperbolic sine as a transformation of extreme values).
class HeavyTails {
 public:
  /// From a sample (rows, d) of the training rows: tails are heavy where the kurtosis is above 5 (a Gaussian's is 3, a
  /// Laplace distribution's 6). The width is half the distance of the quartiles, or, where that is 0, the mean absolute
  /// deviation from the median; mean and sd make the sample's v_j standard. Inputs of one or two values stay. Cost
  /// O(rows d).
  static HeavyTails learn(const Matrix& sample);
  static HeavyTails load(const TensorBundle& bundle, const std::string& name, Index inputs);  ///< throws IoError
  void save(TensorBundle& bundle, const std::string& name) const;

  bool any() const { return (width_.array() > 0).any(); }  ///< false: v = x
  Index inputs() const { return width_.size(); }           ///< d
  void apply(MatRef x) const;                              ///< x (rows, d) to v, in place
  /// x_dot (rows, d) to dv/dx x_dot at x (rows, d), in place.
  void apply_slopes(ConstMat x, MatRef x_dot) const;

  const Vector& median() const { return median_; }  ///< (d)
  const Vector& width() const { return width_; }    ///< (d) 0 = stays
  const Vector& mean() const { return mean_; }      ///< (d)
  const Vector& sd() const { return sd_; }          ///< (d) > 0

 private:
  explicit HeavyTails(Index inputs);
  Vector median_, width_, mean_, sd_;
};

}  // namespace alacarte
