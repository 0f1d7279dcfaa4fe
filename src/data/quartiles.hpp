#pragma once
// Robust centre and spread of a target.
#include <alacarte/data/row_source.hpp>

namespace alacarte {

/// Median and spread of the targets, unweighted.
struct QuartileScale {
  double median = 0;
  double sd = 1;  ///< sd of a Gaussian with this quartile distance; 1 if all targets are equal
};
/// Computes the scale. If half of the targets are equal, sd is their standard deviation. Cost: one pass, n doubles.
QuartileScale quartile_scale(const RowSource& rows);

}  // namespace alacarte
