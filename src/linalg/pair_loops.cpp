#include "linalg/pair_loops.hpp"

#include <bit>
#include <cmath>

#include "linalg/exponential.hpp"
#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

constexpr double kMaxRoot = 1e100;  // exp(-s) is 0 there, and s^2 finite, so their product is not NaN

/// Returns log(1 + u) for u >= 0, capped at u = 1e300: log w of the rounded w = 1 + u, by the series of fdlibm's log(),
/// plus the rounding error of w.
ALACARTE_INLINE double log1p_of(double given) {
  const double u = given < 1e300 ? given : 1e300;
  constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000U;  // m in [sqrt(1/2), sqrt(2))
  const double w = 1.0 + u, lost = (u - (w - 1.0)) / w;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(w) + (0x3ff0000000000000U - kRootHalf);
  const double k = std::bit_cast<double>((bits >> 52U) | 0x4330000000000000U) - (4503599627370496.0 + 1023.0);
  const double f = std::bit_cast<double>((bits & 0x000fffffffffffffU) + kRootHalf) - 1.0;
  const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
  double r = 1.479819860511658591e-01;
  r = r * z + 1.531383769920937332e-01;
  r = r * z + 1.818357216161805012e-01;
  r = r * z + 2.222219843214978396e-01;
  r = r * z + 2.857142874366239149e-01;
  r = r * z + 3.999999999940941908e-01;
  r = r * z + 6.666666666666735130e-01;
  return k * kLog2High - ((half - (s * (half + r * z) + (k * kLog2Low + lost))) - f);
}

// Takes two inputs for one load and store of r2.
template <bool>
ALACARTE_INLINE void distances_loop_body(const double* x, Index stride, Index count, Index inputs, const double* point,
                                         Index point_stride, const double* inverse, double* __restrict r2) {
  ALACARTE_INDEPENDENT
  for (Index i = 0; i < count; ++i) r2[i] = 0;
  for (Index j = 0; j < inputs; j += 2) {
    const Index next = j + 1 < inputs ? j + 1 : j;
    const double *a = x + j * stride, *b = x + next * stride;
    const double at_a = point[j * point_stride], at_b = point[next * point_stride];
    const double factor_a = inverse[j], factor_b = next > j ? inverse[next] : 0.0;
    ALACARTE_INDEPENDENT
    for (Index i = 0; i < count; ++i) {
      const double u = (a[i] - at_a) * factor_a, v = (b[i] - at_b) * factor_b;
      r2[i] += u * u + v * v;
    }
  }
}

template <bool>
ALACARTE_INLINE void squares_loop_body(const double* x, Index stride, Index count, Index inputs, const double* point,
                                       Index point_stride, const double* slope, double* sums) {
  for (Index j = 0; j < inputs; ++j) {
    const double* column = x + j * stride;
    const double at = point[j * point_stride];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < count; ++i) {
      const double difference = column[i] - at;
      sum += slope[i] * difference * difference;
    }
    sums[j] += sum;
  }
}

/// Returns sqrt(factor r2), bounded.
ALACARTE_INLINE double root_of(double factor, double r2) {
  const double s = std::sqrt(factor * r2);
  return s < kMaxRoot ? s : kMaxRoot;
}

template <bool>
ALACARTE_INLINE void values_loop_body(PairProfile profile, Index count, double scale, double shape,
                                      double* __restrict r2) {
  switch (profile) {
    case PairProfile::squared_exponential:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) r2[i] = scale * exp_of(-0.5 * r2[i]);
      return;
    case PairProfile::matern12:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) r2[i] = scale * exp_of(-root_of(1, r2[i]));
      return;
    case PairProfile::matern32:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) {
        const double s = root_of(3, r2[i]);
        r2[i] = scale * ((1.0 + s) * exp_of(-s));
      }
      return;
    case PairProfile::matern52:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) {
        const double s = root_of(5, r2[i]);
        r2[i] = scale * ((1.0 + s + s * s / 3.0) * exp_of(-s));
      }
      return;
    case PairProfile::rational_quadratic:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) r2[i] = scale * exp_of(-shape * log1p_of(r2[i] / (2.0 * shape)));
      return;
  }
}

// Uses that -2 phi' is phi times a rational function of the distance, which saves an exponential.
template <bool>
ALACARTE_INLINE void slopes_loop_body(PairProfile profile, Index count, double shape, const double* value,
                                      const double* weight, double* __restrict r2) {
  switch (profile) {
    case PairProfile::squared_exponential:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) r2[i] = weight[i] * value[i];
      return;
    case PairProfile::matern12:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i)
        r2[i] = r2[i] > 0 ? weight[i] * value[i] / std::sqrt(r2[i] > 0 ? r2[i] : 1.0) : 0.0;
      return;
    case PairProfile::matern32:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) r2[i] = 3.0 * weight[i] * value[i] / (1.0 + root_of(3, r2[i]));
      return;
    case PairProfile::matern52:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) {
        const double s = root_of(5, r2[i]);
        r2[i] = 5.0 / 3.0 * weight[i] * value[i] * (1.0 + s) / (1.0 + s + s * s / 3.0);
      }
      return;
    case PairProfile::rational_quadratic:
      ALACARTE_INDEPENDENT
      for (Index i = 0; i < count; ++i) r2[i] = weight[i] * value[i] / (1.0 + r2[i] / (2.0 * shape));
      return;
  }
}

// Sums, with u = r^2/(2 alpha), d phi / d log alpha = alpha phi (u/(1 + u) - log(1 + u)).
template <bool>
ALACARTE_INLINE void shape_loop_body(Index count, double alpha, const double* value, const double* weight,
                                     const double* r2, double* result) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < count; ++i) {
    const double u = r2[i] / (2.0 * alpha);
    sum += weight[i] * value[i] * (u / (1.0 + u) - log1p_of(u));
  }
  *result = alpha * sum;
}

ALACARTE_MULTIVERSION(distances_loop,
                      (const double* x, Index stride, Index count, Index inputs, const double* point,
                       Index point_stride, const double* inverse, double* r2),
                      (x, stride, count, inputs, point, point_stride, inverse, r2))
ALACARTE_MULTIVERSION(squares_loop,
                      (const double* x, Index stride, Index count, Index inputs, const double* point,
                       Index point_stride, const double* slope, double* sums),
                      (x, stride, count, inputs, point, point_stride, slope, sums))
ALACARTE_MULTIVERSION(values_loop, (PairProfile profile, Index count, double scale, double shape, double* r2),
                      (profile, count, scale, shape, r2))
ALACARTE_MULTIVERSION(slopes_loop,
                      (PairProfile profile, Index count, double shape, const double* value, const double* weight,
                       double* r2),
                      (profile, count, shape, value, weight, r2))
ALACARTE_MULTIVERSION(shape_loop,
                      (Index count, double alpha, const double* value, const double* weight, const double* r2,
                       double* result),
                      (count, alpha, value, weight, r2, result))

}  // namespace

void scaled_square_distances(const RowsAndPoint& x, const double* inverse, double* r2) {
  distances_loop(x.rows, x.stride, x.count, x.inputs, x.point, x.point_stride, inverse, r2);
}

void add_weighted_squares(const RowsAndPoint& x, const double* slope, double* sums) {
  squares_loop(x.rows, x.stride, x.count, x.inputs, x.point, x.point_stride, slope, sums);
}

void pair_values(PairProfile profile, Index count, double scale, double shape, double* r2) {
  values_loop(profile, count, scale, shape, r2);
}

void pair_slopes(PairProfile profile, Index count, double shape, const double* value, const double* weight,
                 double* r2) {
  slopes_loop(profile, count, shape, value, weight, r2);
}

double rational_quadratic_shape_slope(Index count, double alpha, const double* value, const double* weight,
                                      const double* r2) {
  double result = 0;
  shape_loop(count, alpha, value, weight, r2, &result);
  return result;
}

}  // namespace alacarte
