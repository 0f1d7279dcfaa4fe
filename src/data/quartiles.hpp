#pragma once
// Centre and spread of a target that outliers do not move.
#include <alacarte/data/row_source.hpp>

namespace alacarte {

/// Of the targets of all rows, which count alike.
struct QuartileScale {
  double median = 0;
  double sd = 1;  ///< a Gaussian's with this distance of quartiles; 1 where all targets are equal
};
/// Where half of the targets are equal, the spread is their standard deviation. Cost: one pass, n doubles.
QuartileScale quartile_scale(const RowSource& rows);

}  // namespace alacarte
