#pragma once
// Sine and cosine of phases, in turns, and the tile kernels that compute features from them and pull cotangents back.
//
// Phases are in turns (a full circle is 1), because t - round(2t)/2 is exact there: no multi-word pi. The absolute
// error, which is what matters for features, is below 2.3e-16 in double and 1.2e-7 in float (an ulp of one), plus the
// effect of the rounding of t, at any finite t: the phase is reduced exactly. A tile is as in hadamard.hpp: rows of
// kTileWidth points; the functions here work on whole tiles unless they say so.
// Real is double or float.
#include <alacarte/core/types.hpp>
#include "hadamard.hpp"

namespace alacarte {

/// Computes sine[i] = sin(2 pi turns[i]), cosine[i] = cos(2 pi turns[i]). Always within [-1, 1] for finite turns;
/// beyond 2^53 turns (2^24 in float) every number is whole, so sine 0 and cosine 1. NaN and infinity give NaN. The
/// value for an entry does not depend on its place in the array. sine or cosine may be turns itself.
template <class Real>
void sincos_turns(const Real* turns, Index count, Real* sine, Real* cosine);

/// Weights of cosines and of sines, row for row.
template <class Real>
struct DotWeights {
  const Real *cosine, *sine;  ///< (rows) each
};

/// Predicts without features in memory, for one or two sets of weights at once:
///   sums (sets, kTileWidth) += sum_i weights[set].cosine[i] cos(2 pi p_i) + weights[set].sine[i] sin(2 pi p_i),
/// p_i = turns[i] * row i of the tile `phases`. sets: 1 or 2.
template <class Real>
void cos_sin_dot_rows(const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index sets, Index rows,
                      Real* sums);
/// Predicts for a single point: p_i = turns[i] phases[i], any count; adds to sums (sets).
template <class Real>
void cos_sin_dot(const Real* phases, const Real* turns, const DotWeights<Real>* weights, Index sets, Index count,
                 Real* sums);

/// Tiles of one family of rows, `step` doubles apart: row i of tile t is at data + t step + i kTileWidth.
struct TileStack {
  double* data;       ///< first tile
  Index step, tiles;  ///< doubles from tile to tile; number of tiles
};
/// Read-only TileStack.
struct ConstTileStack {
  const double* data;  ///< first tile
  Index step, tiles;   ///< see TileStack
};

/// Computes cosine row i = amplitude cos(2 pi p), sine row i = amplitude sin(2 pi p), p = turns[i] * row i of the
/// phases. All tiles lie one behind the other in a row of the output, so that every output row is written in one
/// stream. cosine and sine have rows `stride` doubles apart, each tiles kTileWidth long.
void cos_sin_rows(const ConstTileStack& phases, const double* turns, Index rows, double amplitude, double* cosine,
                  double* sine, Index stride);

/// The features and cotangents of one pair (cosine, sine) of row families.
struct CosSinCotangent {
  const double *cosine, *sine;          ///< output of cos_sin_rows(), rows `stride` apart
  const double *cosine_bar, *sine_bar;  ///< their cotangents, rows `bar_stride` apart
  Index stride, bar_stride;             ///< in doubles
};

/// Pulls cotangents of cos_sin_rows() back to the phase in radians: overwrites the rows of phase_bar and adds to
/// log_amplitude_bar (kTileWidth).
void cos_sin_rows_adjoint(const CosSinCotangent& at, Index rows, const TileStack& phase_bar, double* log_amplitude_bar);

/// Four features a frequency from one sine and cosine of xi and one of the shift zeta, by angle addition:
/// (cos, sin)(xi + zeta) at plus and (cos, sin)(xi - zeta) at minus, xi = 2 pi turns[i] * row i of the phases.
/// cos_shift, sin_shift (tiles kTileWidth): cosine and sine of zeta for each point.
struct ShiftedRows {
  double *plus_cosine, *plus_sine, *minus_cosine, *minus_sine;  ///< first rows of the four families
  Index stride;                                                 ///< doubles from row to row
};
/// Computes these features. rows: rows of the phases; amplitude: amplitude of each feature.
void shifted_cos_sin_rows(const ConstTileStack& phases, const double* turns, Index rows, double amplitude,
                          const double* cos_shift, const double* sin_shift, const ShiftedRows& out);

/// Pulls cotangents of shifted_cos_sin_rows() back: overwrites the rows of phase_bar (cotangent of xi), and adds to
/// shift_bar (tiles kTileWidth; cotangent of zeta) and log_amplitude_bar (kTileWidth).
void shifted_cos_sin_rows_adjoint(const CosSinCotangent& plus, const CosSinCotangent& minus, Index rows,
                                  const TileStack& phase_bar, double* shift_bar, double* log_amplitude_bar);

/// Adds a row index[i] * b row i to sums row i, lane by lane; add_lanes() takes the row sums once, at the end. a and b
/// have rows a_stride and b_stride apart (0: one row for all), sums (rows, kTileWidth) is packed.
void multiply_add_rows(const double* a, Index a_stride, const std::int32_t* index, const double* b, Index b_stride,
                       Index rows, double* sums);

/// Computes out (kTileWidth) = sum_i weights[i] * row i, rows `stride` apart.
void combine_rows(const double* in, Index stride, const double* weights, Index rows, double* out);

/// Returns the sum over the lanes of one row.
double add_lanes(const double* row);

}  // namespace alacarte
