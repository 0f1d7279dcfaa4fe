#pragma once
// Laws of lengths whose parameters, if any, are one shape: the factors on the rows of a frequency source.
#include "alacarte/core/recipe.hpp"
#include "alacarte/spectrum/scales.hpp"
#include "features/radial_parameters.hpp"

namespace alacarte {

/// Lengths that no parameter moves. mean_square: of the law they were drawn by.
std::unique_ptr<RadialParameters> fixed_lengths(Vector lengths, double mean_square);

/// Scales of a Gaussian scale mixture with the slot "log_nu" or "log_alpha"; learned or fixed at `shape`.
std::unique_ptr<RadialParameters> gamma_scales(GammaScale::Kind kind, ConstVec levels, double shape, bool learned);

}  // namespace alacarte
