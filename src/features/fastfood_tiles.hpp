#pragma once
// The private parts of Fastfood that its forward and backward files share.
#include "alacarte/features/fastfood.hpp"
#include "alacarte/linalg/hadamard.hpp"

namespace alacarte {

// Short blocks are handled together until a tile has this many rows: enough to hide the calls, few enough for the first
// level of cache.
inline constexpr Index kGroupRows = 128;

struct Fastfood::Group {
  Index blocks;  ///< how many
  Index first;   ///< first row of the stack
  Index rows;    ///< blocks * length
  Index used;    ///< rows that are among the m frequencies
};

/// Tiles (rows, kTileWidth) of one backward pass; the sums keep their lanes until the group is done.
struct Fastfood::Backed {
  double *hidden, *out, *phase_bar, *work;
  double *input_sums, *length_sums, *gaussian_sums;
};

}  // namespace alacarte
