#pragma once
// Training's loops over pairs of rows, in the widest instructions of the processor (linalg/simd.hpp). They agree with
// the plain formulas of predictions to a few roundings. None allocates or throws.
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Estimates the operations of these loops for a pair of rows, forward and back: inputs, exponential and polynomial.
constexpr double pair_flops(double inputs) { return 11 * inputs + 40; }

/// `count` rows of a column-major matrix and one point, whose entries are `point[j * point_stride]`.
struct RowsAndPoint {
  const double* rows;
  Index stride, count, inputs;
  const double* point;
  Index point_stride;
};

/// Computes r2_i = sum_j ((x_ij - point_j) inverse_j)^2, the difference first. inverse (inputs), r2 (count).
void scaled_square_distances(const RowsAndPoint& x, const double* inverse, double* r2);

/// Adds sum_i slope_i (x_ij - point_j)^2 to sums_j. slope (count), sums (inputs).
void add_weighted_squares(const RowsAndPoint& x, const double* slope, double* sums);

/// Profiles phi(r^2) of stationary kernels (kernel/stationary.cpp) that have a closed form.
enum class PairProfile { squared_exponential, matern12, matern32, matern52, rational_quadratic };

/// Replaces r2_i (count) by scale phi(r2_i); shape: alpha of the rational quadratic.
void pair_values(PairProfile profile, Index count, double scale, double shape, double* r2);

/// Replaces r2_i by weight_i times -2 scale phi'(r2_i), given value_i = scale phi(r2_i); 0 at a pole at 0.
void pair_slopes(PairProfile profile, Index count, double shape, const double* value, const double* weight, double* r2);

/// Returns sum_i weight_i d value_i / d log alpha of the rational quadratic.
double rational_quadratic_shape_slope(Index count, double alpha, const double* value, const double* weight,
                                      const double* r2);

}  // namespace alacarte
