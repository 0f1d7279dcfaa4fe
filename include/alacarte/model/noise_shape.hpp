#pragma once
// The distribution of a row's noise where it is no Gaussian: a scale mixture of normals (Andrews and Mallows 1974).
#include <alacarte/core/types.hpp>
#include <string>

namespace alacarte {

/// Scale mixture: with the probability shares[k] the variance of a row's noise is multiplied by factors[k]. No shares:
/// gaussian noise. A large factor with a small share stands for outliers.
struct NoiseShape {
  Vector shares;   ///< (C) above 0, sum 1; empty: gaussian
  Vector factors;  ///< (C) above 0, increasing

  bool is_gaussian() const { return shares.size() == 0; }  ///< true if there is nothing to mix
  /// Returns the variance of the noise over that of gaussian noise.
  double mean_factor() const { return is_gaussian() ? 1 : shares.dot(factors); }
  bool operator==(const NoiseShape& other) const;  ///< compares by value
};

/// Describes the shape in one line: "standard deviations of 0.25 times (95.5 % of rows), 2.8 times (3.8 %), ..", or
/// "gaussian".
std::string shape_text(const NoiseShape& shape);

}  // namespace alacarte
