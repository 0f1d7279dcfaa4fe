#pragma once
// Tensor sketches (Pham and Pagh 2013) of the polynomial kernel: with x~ = [x ./ lengthscale, sqrt(c)] and p count
// sketches C_k into R^D,
//   psi(x) = a C_1 x~ * .. * C_p x~   (cyclic convolution),   (C_k v)_i = sum of s_k(j) v_j over the j with h_k(j) = i,
// is the count sketch of the p-fold tensor product of x~, so E psi(x).psi(x') = a^2 (x~.x~')^p. The convolution is a
// product of Fourier transforms; degree 1 is a count sketch without transforms. Rows may be dense or sparse.
#include <memory>

#include "features/maps.hpp"
#include "features/sketch_hashes.hpp"
#include "linalg/real_fourier.hpp"

namespace alacarte {

/// Offsets of the parameters of a sketch in theta; -1 for absent ones.
struct SketchSlots {
  Index log_lengthscale = -1;  ///< (d)
  Index log_amplitude = 0;     ///< log a
  Index log_offset = -1;       ///< log c
};

/// Prepares a sketch. hashes: h_k and s_k of d coordinates, or d + 1 if c > 0; fourier: transforms of length D, nullptr
/// for degree 1; scale (d): 1/lengthscale; root_offset: sqrt(c); amplitude: a. Cost of a row: forward O(p (nonzeros + D
/// log D)), backward three times that and O(p^2 D).
std::unique_ptr<PreparedMap> prepare_sketch(std::shared_ptr<const SketchHashes> hashes,
                                            std::shared_ptr<const RealFourier> fourier, SketchSlots slots,
                                            const Vector& scale, double root_offset, double amplitude);

}  // namespace alacarte
