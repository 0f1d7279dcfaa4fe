#pragma once
// Tensor sketches (Pham and Pagh 2013): with x~ = [x ./ lengthscale, sqrt(c)] and p count sketches C_k of D numbers,
//   psi(x) = a C_1 x~ * .. * C_p x~   (cyclic convolution),   (C_k v)_i = sum of s_k(j) v_j over the j with h_k(j) = i,
// the count sketch of the p-fold tensor product of x~, so that E psi(x).psi(x') = a^2 (x~.x~')^p. In Fourier's space a
// convolution is a product of numbers. Degree 1 is the count sketch alone and needs no transform.
#include <memory>

#include "alacarte/linalg/real_fourier.hpp"
#include "features/maps.hpp"
#include "features/sketch_hashes.hpp"

namespace alacarte {

/// Where the parameters of a sketch are in theta; -1 where there is none.
struct SketchSlots {
  Index log_lengthscale = -1, log_amplitude = 0, log_offset = -1;
};

/// hashes: of d coordinates, or one more, the constant; fourier: of their D, nullptr for degree 1; scale (d):
/// 1/lengthscale; root_offset: sqrt(c).
std::unique_ptr<PreparedMap> prepare_sketch(std::shared_ptr<const SketchHashes> hashes,
                                            std::shared_ptr<const RealFourier> fourier, SketchSlots slots,
                                            const Vector& scale, double root_offset, double amplitude);

}  // namespace alacarte
