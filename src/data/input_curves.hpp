#pragma once
// Monotone curves of the scaled inputs (scale.inputs normal-scores, asinh, clip), which a fit sees in place of them:
// where an input has most of its rows in a small part of its range, no length-scale or layer suits both parts.
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// One curve for each input. A curve is a piecewise cubic through at most 65 knots, monotone and with a continuous
/// slope (Fritsch and Butland 1984), and a line beyond its last knots; an input may have none. Const and shared by
/// threads.
class InputCurves {
 public:
  /// Learns from a sample (rows, d) of scaled training rows. The last `levels` inputs, those of one or two values and
  /// those of no finite spread have no curve. Others have, before they are scaled to mean 0 and standard deviation 1
  /// over the sample:
  /// - normal_scores: the normal quantile of the rank, ties sharing the middle of theirs; a knot for every 8 rows, and
  ///   three at least;
  /// - asinh: asinh((x - median) / w), w half the distance of the quartiles, or the mean distance from the median;
  /// - clip: u / sqrt(1 + (u / 3)^2), u = (x - median) / the distance of the quartiles, or half the range (Holzmueller
  ///   et al. 2024).
  /// Cost O(rows d log rows).
  static InputCurves learn(Scaling kind, const Matrix& sample, Index levels);
  /// Loads what save() wrote under `prefix`. Throws IoError for tensors that are no curves of so many inputs.
  static InputCurves load(const TensorBundle& bundle, const std::string& prefix, Index inputs);
  void save(TensorBundle& bundle, const std::string& prefix) const;
  static bool are_in(const TensorBundle& bundle, const std::string& prefix);  ///< true if save() wrote there

  Index inputs() const { return static_cast<Index>(curves_.size()); }  ///< d
  void apply(MatRef x) const;                                          ///< replaces x (rows, d) by the curves' values
  Matrix of(ConstMat x) const;                                         ///< returns these values
  void of_row(ConstVec x, VecRef z) const;                             ///< z (d) of one row, without allocation
  /// Multiplies directions x_dot (rows, d) by the slopes at x (rows, d).
  void multiply_slopes(ConstMat x, MatRef x_dot) const;

  /// A curve: knots (K) ascending, values and slopes there; no knots: the identity.
  struct Curve {
    Vector knots, values, slopes;
    bool is_identity() const { return knots.size() == 0; }
    double value(double x) const;
    double slope(double x) const;
  };
  const std::vector<Curve>& curves() const { return curves_; }  ///< (d)

 private:
  std::vector<Curve> curves_;
};

}  // namespace alacarte
