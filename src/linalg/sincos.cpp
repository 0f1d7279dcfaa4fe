#include "alacarte/linalg/sincos.hpp"

#include <algorithm>

#include "linalg/multiversion.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;
constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding and subtracting it rounds to an integer
constexpr double kLimit = 2251799813685248.0;  // 2^51: the largest argument for which that holds

struct SinCos {
  double sine, cosine;
};

// Reduction to r in [-1/4, 1/4] with sin(2 pi t) = sign * sin(2 pi r), likewise the cosine: one sign, no swap. Rounding
// is by the constant above and not rint(), which has no vector form before SSE4.1. Minimax polynomials in r² by Remez
// exchange in 50 digits; absolute errors 9e-17 (sine, weighted by r) and 4e-18 (cosine) before rounding.
ALACARTE_INLINE SinCos sincos_of(double t) {
  t = ((t < kLimit) & (t > -kLimit)) ? t : t * 0.0;  // keeps NaN, makes NaN of infinity
  const double turn = t - ((t + kRound) - kRound);
  const double half = ((turn + turn) + kRound) - kRound;
  const double r = turn - 0.5 * half;
  const double sign = 1.0 - 2.0 * half * half;
  const double z = r * r;
  double s = -0.6909544927911047494;
  s = s * z + 3.8170019947185166511;
  s = s * z - 15.094472069493278426;
  s = s * z + 42.058688328597628348;
  s = s * z - 76.705859648120332039;
  s = s * z + 81.605249275035984833;
  s = s * z - 41.341702240395150302;
  s = s * z + 6.2831853071795805476;
  double c = 0.27194764176439790051;
  c = c * z - 1.7132188588021950041;
  c = c * z + 7.9034625376003114639;
  c = c * z - 26.426254069097677579;
  c = c * z + 60.244641313230956291;
  c = c * z - 85.456817205981736669;
  c = c * z + 64.939394022663960767;
  c = c * z - 19.739208802178707095;
  c = c * z + 1.0;
  return {s * (r * sign), c * sign};
}

ALACARTE_INLINE void sincos_blocks_body(const double* turns, Index count, double* sine, double* cosine) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < count; ++j) {
    const SinCos v = sincos_of(turns[j]);
    // Rounding can leave the polynomials an ulp outside. In this order of arguments NaN passes through.
    sine[j] = std::min(std::max(v.sine, -1.0), 1.0);
    cosine[j] = std::min(std::max(v.cosine, -1.0), 1.0);
  }
}

ALACARTE_INLINE void cos_sin_body(const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                                  double* cosine, double* sine, Index stride) {
  for (Index i = 0; i < rows; ++i) {
    const double scale = turns[i];
    for (Index tile = 0; tile < phases.tiles; ++tile) {
      const double* p = phases.data + tile * phases.step + i * kW;
      double *c = cosine + i * stride + tile * kW, *s = sine + i * stride + tile * kW;
      ALACARTE_INDEPENDENT
      for (Index j = 0; j < kW; ++j) {
        const SinCos v = sincos_of(p[j] * scale);
        c[j] = amplitude * v.cosine;
        s[j] = amplitude * v.sine;
      }
    }
  }
}

ALACARTE_INLINE void cos_sin_adjoint_body(const CosSinCotangent& at, Index rows, const TileStack& phase_bar,
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

ALACARTE_INLINE void shifted_body(const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                                  const double* cos_shift, const double* sin_shift, const ShiftedRows& out) {
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
        const SinCos v = sincos_of(p[j] * scale);
        const double cc = amplitude * v.cosine * cz[j], ss = amplitude * v.sine * sz[j];
        const double sc = amplitude * v.sine * cz[j], cs = amplitude * v.cosine * sz[j];
        pc[j] = cc - ss;
        ps[j] = sc + cs;
        mc[j] = cc + ss;
        ms[j] = sc - cs;
      }
    }
  }
}

ALACARTE_INLINE void shifted_adjoint_body(const CosSinCotangent& p, const CosSinCotangent& m, Index rows,
                                          const TileStack& phase_bar, double* shift_bar, double* log_amplitude_bar) {
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

ALACARTE_INLINE void multiply_add_body(const double* a, Index a_stride, const std::int32_t* index, const double* b,
                                       Index b_stride, Index rows, double* sums) {
  for (Index i = 0; i < rows; ++i) {
    const double* x = a + index[i] * a_stride;
    const double* y = b + i * b_stride;
    double* sum = sums + i * kW;
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kW; ++j) sum[j] += x[j] * y[j];
  }
}

ALACARTE_INLINE void combine_body(const double* in, Index stride, const double* weights, Index rows, double* out) {
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

namespace kernels {
ALACARTE_MULTIVERSION(sincos_blocks, (const double* turns, Index count, double* sine, double* cosine),
                      (turns, count, sine, cosine))
ALACARTE_MULTIVERSION(cos_sin,
                      (const ConstTileStack& phases, const double* turns, Index rows, double amplitude, double* cosine,
                       double* sine, Index stride),
                      (phases, turns, rows, amplitude, cosine, sine, stride))
ALACARTE_MULTIVERSION(cos_sin_adjoint,
                      (const CosSinCotangent& at, Index rows, const TileStack& phase_bar, double* log_amplitude_bar),
                      (at, rows, phase_bar, log_amplitude_bar))
ALACARTE_MULTIVERSION(shifted,
                      (const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                       const double* cos_shift, const double* sin_shift, const ShiftedRows& out),
                      (phases, turns, rows, amplitude, cos_shift, sin_shift, out))
ALACARTE_MULTIVERSION(shifted_adjoint,
                      (const CosSinCotangent& plus, const CosSinCotangent& minus, Index rows,
                       const TileStack& phase_bar, double* shift_bar, double* log_amplitude_bar),
                      (plus, minus, rows, phase_bar, shift_bar, log_amplitude_bar))
ALACARTE_MULTIVERSION(multiply_add,
                      (const double* a, Index a_stride, const std::int32_t* index, const double* b, Index b_stride,
                       Index rows, double* sums),
                      (a, a_stride, index, b, b_stride, rows, sums))
ALACARTE_MULTIVERSION(combine, (const double* in, Index stride, const double* weights, Index rows, double* out),
                      (in, stride, weights, rows, out))
}  // namespace kernels

void sincos_turns(const double* turns, Index count, double* sine, double* cosine) {
  // Whole blocks of lanes only: a scalar tail might round differently from the vector body.
  const Index whole = count - count % kW;
  kernels::sincos_blocks(turns, whole, sine, cosine);
  if (whole == count) return;
  double t[kW] = {}, s[kW], c[kW];
  std::copy(turns + whole, turns + count, t);
  kernels::sincos_blocks(t, kW, s, c);
  std::copy(s, s + (count - whole), sine + whole);
  std::copy(c, c + (count - whole), cosine + whole);
}

void cos_sin_rows(const ConstTileStack& phases, const double* turns, Index rows, double amplitude, double* cosine,
                  double* sine, Index stride) {
  kernels::cos_sin(phases, turns, rows, amplitude, cosine, sine, stride);
}

void cos_sin_rows_adjoint(const CosSinCotangent& at, Index rows, const TileStack& phase_bar,
                          double* log_amplitude_bar) {
  kernels::cos_sin_adjoint(at, rows, phase_bar, log_amplitude_bar);
}

void shifted_cos_sin_rows(const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                          const double* cos_shift, const double* sin_shift, const ShiftedRows& out) {
  kernels::shifted(phases, turns, rows, amplitude, cos_shift, sin_shift, out);
}

void shifted_cos_sin_rows_adjoint(const CosSinCotangent& plus, const CosSinCotangent& minus, Index rows,
                                  const TileStack& phase_bar, double* shift_bar, double* log_amplitude_bar) {
  kernels::shifted_adjoint(plus, minus, rows, phase_bar, shift_bar, log_amplitude_bar);
}

void multiply_add_rows(const double* a, Index a_stride, const std::int32_t* index, const double* b, Index b_stride,
                       Index rows, double* sums) {
  kernels::multiply_add(a, a_stride, index, b, b_stride, rows, sums);
}

void combine_rows(const double* in, Index stride, const double* weights, Index rows, double* out) {
  kernels::combine(in, stride, weights, rows, out);
}

double add_lanes(const double* row) {
  double sum = 0;
  for (Index j = 0; j < kW; ++j) sum += row[j];
  return sum;
}

}  // namespace alacarte
