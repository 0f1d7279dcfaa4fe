// The tile kernels that compute features from phases and pull cotangents back.
#include "linalg/turns.hpp"
#include "sincos.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

template <bool>
ALACARTE_INLINE void cos_sin_rows_body(const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                                       double* cosine, double* sine, Index stride) {
  const TurnPolynomials<double> polynomials(amplitude);
  for (Index i = 0; i < rows; ++i) {
    const double scale = turns[i];
    for (Index tile = 0; tile < phases.tiles; ++tile) {
      const double* p = phases.data + tile * phases.step + i * kW;
      double *c = cosine + i * stride + tile * kW, *s = sine + i * stride + tile * kW;
      ALACARTE_INDEPENDENT
      for (Index j = 0; j < kW; ++j) {
        const SinCos<double> v = sincos_of(p[j] * scale, polynomials);
        c[j] = v.cosine;
        s[j] = v.sine;
      }
    }
  }
}

template <bool>
ALACARTE_INLINE void cos_sin_rows_adjoint_body(const CosSinCotangent& at, Index rows, const TileStack& phase_bar,
                                               double* log_amplitude_bar) {
  double amplitude[kW] = {};
  for (Index i = 0; i < rows; ++i) {
    for (Index tile = 0; tile < phase_bar.tiles; ++tile) {
      const Index from = i * at.stride + tile * kW, bar_from = i * at.bar_stride + tile * kW;
      const double *c = at.cosine + from, *s = at.sine + from;
      const double *c_bar = at.cosine_bar + bar_from, *s_bar = at.sine_bar + bar_from;
      double* u_bar = phase_bar.data + tile * phase_bar.step + i * kW;
      ALACARTE_INDEPENDENT
      for (Index j = 0; j < kW; ++j) {
        u_bar[j] = c[j] * s_bar[j] - s[j] * c_bar[j];
        amplitude[j] += c[j] * c_bar[j] + s[j] * s_bar[j];
      }
    }
  }
  for (Index j = 0; j < kW; ++j) log_amplitude_bar[j] += amplitude[j];
}

template <bool>
ALACARTE_INLINE void shifted_cos_sin_rows_body(const ConstTileStack& phases, const double* turns, Index rows,
                                               double amplitude, const double* cos_shift, const double* sin_shift,
                                               const ShiftedRows& out) {
  const TurnPolynomials<double> polynomials(amplitude);
  for (Index i = 0; i < rows; ++i) {
    const double scale = turns[i];
    for (Index tile = 0; tile < phases.tiles; ++tile) {
      const double* p = phases.data + tile * phases.step + i * kW;
      const double *cz = cos_shift + tile * kW, *sz = sin_shift + tile * kW;
      const Index to = i * out.stride + tile * kW;
      double *pc = out.plus_cosine + to, *ps = out.plus_sine + to;
      double *mc = out.minus_cosine + to, *ms = out.minus_sine + to;
      ALACARTE_INDEPENDENT
      for (Index j = 0; j < kW; ++j) {
        const SinCos<double> v = sincos_of(p[j] * scale, polynomials);
        const double cc = v.cosine * cz[j], ss = v.sine * sz[j];
        const double sc = v.sine * cz[j], cs = v.cosine * sz[j];
        pc[j] = cc - ss;
        ps[j] = sc + cs;
        mc[j] = cc + ss;
        ms[j] = sc - cs;
      }
    }
  }
}

template <bool>
ALACARTE_INLINE void shifted_cos_sin_rows_adjoint_body(const CosSinCotangent& p, const CosSinCotangent& m, Index rows,
                                                       const TileStack& phase_bar, double* shift_bar,
                                                       double* log_amplitude_bar) {
  double amplitude[kW] = {};
  for (Index i = 0; i < rows; ++i) {
    for (Index tile = 0; tile < phase_bar.tiles; ++tile) {
      const Index from = i * p.stride + tile * kW, bar_from = i * p.bar_stride + tile * kW;
      const double *pc = p.cosine + from, *ps = p.sine + from, *mc = m.cosine + from, *ms = m.sine + from;
      const double *pc_bar = p.cosine_bar + bar_from, *ps_bar = p.sine_bar + bar_from;
      const double *mc_bar = m.cosine_bar + bar_from, *ms_bar = m.sine_bar + bar_from;
      double *xi_bar = phase_bar.data + tile * phase_bar.step + i * kW, *zeta_bar = shift_bar + tile * kW;
      ALACARTE_INDEPENDENT
      for (Index j = 0; j < kW; ++j) {
        const double plus = pc[j] * ps_bar[j] - ps[j] * pc_bar[j];
        const double minus = mc[j] * ms_bar[j] - ms[j] * mc_bar[j];
        xi_bar[j] = plus + minus;
        zeta_bar[j] += plus - minus;
        amplitude[j] += pc[j] * pc_bar[j] + ps[j] * ps_bar[j] + mc[j] * mc_bar[j] + ms[j] * ms_bar[j];
      }
    }
  }
  for (Index j = 0; j < kW; ++j) log_amplitude_bar[j] += amplitude[j];
}

template <bool>
ALACARTE_INLINE void multiply_add_rows_body(const double* a, Index a_stride, const std::int32_t* index, const double* b,
                                            Index b_stride, Index rows, double* sums) {
  for (Index i = 0; i < rows; ++i) {
    const double* x = a + index[i] * a_stride;
    const double* y = b + i * b_stride;
    double* sum = sums + i * kW;
#pragma omp simd  // without it the loop is unrolled before it can be vectorised
    for (Index j = 0; j < kW; ++j) sum[j] += x[j] * y[j];
  }
}

template <bool>
ALACARTE_INLINE void combine_rows_body(const double* in, Index stride, const double* weights, Index rows, double* out) {
  double sum[kW] = {};
  for (Index i = 0; i < rows; ++i) {
    const double* x = in + i * stride;
    const double weight = weights[i];
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kW; ++j) sum[j] += weight * x[j];
  }
  for (Index j = 0; j < kW; ++j) out[j] = sum[j];
}

}  // namespace

ALACARTE_MULTIVERSION(cos_sin_rows,
                      (const ConstTileStack& phases, const double* turns, Index rows, double amplitude, double* cosine,
                       double* sine, Index stride),
                      (phases, turns, rows, amplitude, cosine, sine, stride))
ALACARTE_MULTIVERSION(cos_sin_rows_adjoint,
                      (const CosSinCotangent& at, Index rows, const TileStack& phase_bar, double* log_amplitude_bar),
                      (at, rows, phase_bar, log_amplitude_bar))
ALACARTE_MULTIVERSION(shifted_cos_sin_rows,
                      (const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                       const double* cos_shift, const double* sin_shift, const ShiftedRows& out),
                      (phases, turns, rows, amplitude, cos_shift, sin_shift, out))
ALACARTE_MULTIVERSION(shifted_cos_sin_rows_adjoint,
                      (const CosSinCotangent& plus, const CosSinCotangent& minus, Index rows,
                       const TileStack& phase_bar, double* shift_bar, double* log_amplitude_bar),
                      (plus, minus, rows, phase_bar, shift_bar, log_amplitude_bar))
ALACARTE_MULTIVERSION(multiply_add_rows,
                      (const double* a, Index a_stride, const std::int32_t* index, const double* b, Index b_stride,
                       Index rows, double* sums),
                      (a, a_stride, index, b, b_stride, rows, sums))
ALACARTE_MULTIVERSION(combine_rows, (const double* in, Index stride, const double* weights, Index rows, double* out),
                      (in, stride, weights, rows, out))

double add_lanes(const double* row) {
  double sum = 0;
  for (Index j = 0; j < kW; ++j) sum += row[j];
  return sum;
}

}  // namespace alacarte
