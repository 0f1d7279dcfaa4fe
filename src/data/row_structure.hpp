#pragma once
// A few rows tell of the function and its noise before any fit: sinusoids along each input, and differences of
// neighbours. Starting points are made from both.
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/data/row_source.hpp>
#include <vector>

namespace alacarte {

/// Finds sinusoids that the target y (n) holds along single inputs of x (n, d), the strongest first, at most `most`. A
/// periodogram of rows at any spacing (Lomb 1976; Scargle 1982), of the residual of a parabola in that input and of the
/// sinusoids found before, reaches from two periods in the range of an input to one in two of its distinct values. A
/// sinusoid counts if noise alone would hold one as strong in one table of a thousand, and if it explains a fiftieth of
/// the variance. Rows that share a value of an input count as one, so that a code with few values needs a clear
/// sinusoid. table_rows: rows of the table that these were drawn from at random, which shows faster ones. Cost:
/// O(d n^2) for each.
std::vector<SpectralPeak> spectral_peaks(ConstMat x, ConstVec y, Index most, Index table_rows = 0);

/// Estimates the noise standard deviation of y (n) from above: the least of the residuals of a line through the two
/// neighbours along each input (Gasser, Sroka and Jennen-Steinmetz 1986), and of the differences of nearest rows.
/// Returns 0 unless it is below the deviation of y by more than chance explains. Cost: O(d n log n + d n^2).
double neighbour_noise(ConstMat x, ConstVec y);

/// Finds both in rows drawn from `stream`, as many as take some 0.1 s; nothing in sparse rows. Under a scaling of the
/// target that transforms it both are of the transformed target. Processes that share the rows call it together.
RowStructure find_structure(const RowSource& rows, RandomStream stream, TargetScaling scaling = TargetScaling::none);

}  // namespace alacarte
