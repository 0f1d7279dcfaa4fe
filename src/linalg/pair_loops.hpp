#pragma once
// The loops over pairs of rows that training spends its time in, in the widest instructions of the processor (linalg/
// simd.hpp): they agree with the plain formulas, by which models predict, to a few roundings. None allocates or throws.
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Operations of a pair of rows by the following loops, forward and back: its inputs, exponential and polynomial.
constexpr double pair_flops(double inputs) { return 11 * inputs + 40; }

/// `count` rows of a column-major matrix and one point: its entries are `point[j * point_stride]`.
struct RowsAndPoint {
  const double* rows;
  Index stride, count, inputs;
  const double* point;
  Index point_stride;
};

/// r2_i = sum_j ((x_ij - point_j) inverse_j)^2, the difference first. inverse (inputs), r2 (count).
void scaled_square_distances(const RowsAndPoint& x, const double* inverse, double* r2);

/// sums_j += sum_i slope_i (x_ij - point_j)^2. slope (count), sums (inputs).
void add_weighted_squares(const RowsAndPoint& x, const double* slope, double* sums);

/// Profiles phi(r^2) of stationary kernels (kernel/profiles.cpp) that have a closed form.
enum class PairProfile { squared_exponential, matern12, matern32, matern52, rational_quadratic };

/// r2_i (count) -> scale phi(r2_i), in place; shape: alpha of the rational quadratic.
void pair_values(PairProfile profile, Index count, double scale, double shape, double* r2);

/// r2_i -> weight_i times -2 scale phi'(r2_i), in place, given value_i = scale phi(r2_i); 0 where r2_i is 0 and phi'
/// has a pole.
void pair_slopes(PairProfile profile, Index count, double shape, const double* value, const double* weight, double* r2);

/// sum_i weight_i d value_i / d log alpha of the rational quadratic.
double rational_quadratic_shape_slope(Index count, double alpha, const double* value, const double* weight,
                                      const double* r2);

}  // namespace alacarte
