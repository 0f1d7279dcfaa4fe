#include "sincos.hpp"

#include <algorithm>

#include "linalg/turns.hpp"

namespace alacarte {
namespace {

constexpr Index kW = kTileWidth;

template <bool, class Real>
ALACARTE_INLINE void sincos_blocks_body(const Real* turns, Index count, Real* sine, Real* cosine) {
  ALACARTE_INDEPENDENT
  for (Index j = 0; j < count; ++j) {
    const SinCos<Real> v = sincos_of(turns[j]);
    sine[j] = v.sine;
    cosine[j] = v.cosine;
  }
}

// Handles rows of kW points (lone: kW coordinates of one, each with its own weights), one accumulator a lane.
template <int kSets, bool kLone, class Real>
ALACARTE_INLINE void dot_rows(const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index rows,
                              Real* sums) {
  Real sum[kSets][kW] = {};
  const Real *c0 = weights[0].cosine, *s0 = weights[0].sine;
  const Real *c1 = weights[kSets - 1].cosine, *s1 = weights[kSets - 1].sine;
  constexpr Index kStep = kLone ? kW : 1;
  for (Index i = 0; i < rows; ++i) {
    ALACARTE_INDEPENDENT
    for (Index j = 0; j < kW; ++j) {
      const Index at = i * kStep + (kLone ? j : 0);
      const SinCos<Real> v = sincos_of(phases[i * kW + j] * turns[at]);
      sum[0][j] += c0[at] * v.cosine + s0[at] * v.sine;
      if constexpr (kSets == 2) sum[1][j] += c1[at] * v.cosine + s1[at] * v.sine;
    }
  }
  for (int set = 0; set < kSets; ++set)
    for (Index j = 0; j < kW; ++j) sums[set * kW + j] += sum[set][j];
}

template <bool, class Real>
ALACARTE_INLINE void dot_body(const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index sets,
                              bool lone, Index rows, Real* sums) {
  if (sets == 1)
    lone ? dot_rows<1, true>(phases, turns, weights, rows, sums)
         : dot_rows<1, false>(phases, turns, weights, rows, sums);
  else
    lone ? dot_rows<2, true>(phases, turns, weights, rows, sums)
         : dot_rows<2, false>(phases, turns, weights, rows, sums);
}

}  // namespace

namespace kernels {
#define ALACARTE_SINCOS_KERNELS(Real)                                                                        \
  ALACARTE_MULTIVERSION(sincos_blocks, (const Real* turns, Index count, Real* sine, Real* cosine),           \
                        (turns, count, sine, cosine))                                                        \
  ALACARTE_MULTIVERSION(dot,                                                                                 \
                        (const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index sets, \
                         bool lone, Index rows, Real* sums),                                                 \
                        (phases, turns, weights, sets, lone, rows, sums))
ALACARTE_SINCOS_KERNELS(double)
ALACARTE_SINCOS_KERNELS(float)
}  // namespace kernels

// Uses whole blocks of lanes: a scalar tail might round differently from the vector body.
template <class Real>
void sincos_turns(const Real* turns, Index count, Real* sine, Real* cosine) {
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
void cos_sin_dot(const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index sets, Index count,
                 Real* sums) {
  Real lanes[2 * kW] = {};
  const Index whole = count - count % kW;
  kernels::dot(phases, turns, weights, sets, true, whole / kW, lanes);
  if (whole < count) {
    Real tail[6][kW] = {};
    const auto copy_tail = [&](const Real* from, Real* to) { std::copy(from + whole, from + count, to); };
    copy_tail(phases, tail[0]);
    copy_tail(turns, tail[1]);
    DotWeights<Real> rest[2];
    for (Index set = 0; set < sets; ++set) {
      copy_tail(weights[set].cosine, tail[2 + 2 * set]);
      copy_tail(weights[set].sine, tail[3 + 2 * set]);
      rest[set] = {tail[2 + 2 * set], tail[3 + 2 * set]};
    }
    kernels::dot(tail[0], tail[1], rest, sets, true, Index{1}, lanes);
  }
  for (Index set = 0; set < sets; ++set)
    for (Index j = 0; j < kW; ++j) sums[set] += lanes[set * kW + j];
}

template <class Real>
void cos_sin_dot_rows(const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index sets, Index rows,
                      Real* sums) {
  kernels::dot(phases, turns, weights, sets, false, rows, sums);
}

#define ALACARTE_SINCOS_OF(Real)                                                                          \
  template void sincos_turns(const Real*, Index, Real*, Real*);                                           \
  template void cos_sin_dot_rows(const Real*, const Real*, const DotWeights<Real>*, Index, Index, Real*); \
  template void cos_sin_dot(const Real*, const Real*, const DotWeights<Real>*, Index, Index, Real*);
ALACARTE_SINCOS_OF(double)
ALACARTE_SINCOS_OF(float)

}  // namespace alacarte
