#include "alacarte/linalg/sincos.hpp"

#include <algorithm>

#include "linalg/turns.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

template <class Real>
ALACARTE_INLINE void sincos_blocks_body(const Real* turns, Index count, Real* sine, Real* cosine) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < count; ++j) {
    const SinCos<Real> v = sincos_of(turns[j]);
    sine[j] = v.sine;
    cosine[j] = v.cosine;
  }
}

template <class Real>
ALACARTE_INLINE void cos_sin_dot_body(const Real* phases, const Real* turns, const Real* cosine_weights,
                                      const Real* sine_weights, Index rows, Real* sums) {
  Real sum[kW] = {};
  for (Index i = 0; i < rows; ++i) {
    const Real scale = turns[i], wc = cosine_weights[i], ws = sine_weights[i];
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kW; ++j) {
      const SinCos<Real> v = sincos_of(phases[i * kW + j] * scale);
      sum[j] += wc * v.cosine + ws * v.sine;
    }
  }
  for (Index j = 0; j < kW; ++j) sums[j] += sum[j];
}

// The same along one lone point, whose coordinates are the lanes; count is a multiple of kW.
template <class Real>
ALACARTE_INLINE void cos_sin_dot_one_body(const Real* phases, const Real* turns, const Real* cosine_weights,
                                          const Real* sine_weights, Index count, Real* sums) {
  Real sum[kW] = {};
  for (Index i = 0; i < count; i += kW) {
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kW; ++j) {
      const SinCos<Real> v = sincos_of(phases[i + j] * turns[i + j]);
      sum[j] += cosine_weights[i + j] * v.cosine + sine_weights[i + j] * v.sine;
    }
  }
  for (Index j = 0; j < kW; ++j) sums[j] = sum[j];
}

}  // namespace

namespace kernels {
#define ALACARTE_SINCOS_KERNELS(Real)                                                                               \
  ALACARTE_MULTIVERSION(sincos_blocks, (const Real* turns, Index count, Real* sine, Real* cosine),                  \
                        (turns, count, sine, cosine))                                                               \
  ALACARTE_MULTIVERSION(                                                                                            \
      cos_sin_dot, (const Real* phases, const Real* turns, const Real* wc, const Real* ws, Index rows, Real* sums), \
      (phases, turns, wc, ws, rows, sums))                                                                          \
  ALACARTE_MULTIVERSION(                                                                                            \
      cos_sin_dot_one,                                                                                              \
      (const Real* phases, const Real* turns, const Real* wc, const Real* ws, Index count, Real* sums),             \
      (phases, turns, wc, ws, count, sums))
ALACARTE_SINCOS_KERNELS(double)
ALACARTE_SINCOS_KERNELS(float)
}  // namespace kernels

namespace {

// Whole blocks of lanes only: a scalar tail might round differently from the vector body.
template <class Real>
void sincos_any(const Real* turns, Index count, Real* sine, Real* cosine) {
  const Index whole = count - count % kW;
  kernels::sincos_blocks(turns, whole, sine, cosine);
  if (whole == count) return;
  Real t[kW] = {}, s[kW], c[kW];
  std::copy(turns + whole, turns + count, t);
  kernels::sincos_blocks(t, kW, s, c);
  std::copy(s, s + (count - whole), sine + whole);
  std::copy(c, c + (count - whole), cosine + whole);
}

template <class Real>
Real dot_one(const Real* phases, const Real* turns, const Real* cosine_weights, const Real* sine_weights, Index count) {
  Real sums[kW];
  const Index whole = count - count % kW;
  kernels::cos_sin_dot_one(phases, turns, cosine_weights, sine_weights, whole, sums);
  Real tail[4][kW] = {}, tail_sums[kW] = {};
  const Real* from[] = {phases, turns, cosine_weights, sine_weights};
  for (int k = 0; k < 4; ++k) std::copy(from[k] + whole, from[k] + count, tail[k]);
  if (whole < count) kernels::cos_sin_dot_one(tail[0], tail[1], tail[2], tail[3], kW, tail_sums);
  Real sum = 0;
  for (Index j = 0; j < kW; ++j) sum += sums[j] + tail_sums[j];
  return sum;
}

}  // namespace

void sincos_turns(const double* turns, Index count, double* sine, double* cosine) {
  sincos_any(turns, count, sine, cosine);
}
void sincos_turns(const float* turns, Index count, float* sine, float* cosine) {
  sincos_any(turns, count, sine, cosine);
}

void cos_sin_dot_rows(const double* phases, const double* turns, const double* cosine_weights,
                      const double* sine_weights, Index rows, double* sums) {
  kernels::cos_sin_dot(phases, turns, cosine_weights, sine_weights, rows, sums);
}
void cos_sin_dot_rows(const float* phases, const float* turns, const float* cosine_weights, const float* sine_weights,
                      Index rows, float* sums) {
  kernels::cos_sin_dot(phases, turns, cosine_weights, sine_weights, rows, sums);
}

double cos_sin_dot(const double* phases, const double* turns, const double* cosine_weights, const double* sine_weights,
                   Index count) {
  return dot_one(phases, turns, cosine_weights, sine_weights, count);
}
float cos_sin_dot(const float* phases, const float* turns, const float* cosine_weights, const float* sine_weights,
                  Index count) {
  return dot_one(phases, turns, cosine_weights, sine_weights, count);
}

}  // namespace alacarte
