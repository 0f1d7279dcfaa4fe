#pragma once
// Laws of the scales of random frequencies that have one shape parameter or none.
#include "alacarte/core/recipe.hpp"
#include "alacarte/spectrum/scales.hpp"
#include "features/radial_parameters.hpp"

namespace alacarte {

/// Fixed lengths (m), no parameter. mean_square: expected squared length under the law they were drawn from.
std::unique_ptr<RadialParameters> fixed_lengths(Vector lengths, double mean_square);

/// Scales of a Gaussian scale mixture (Matern or rational quadratic kernel) at quantile levels (m) in (0, 1). The shape
/// nu or alpha has the slot "log_nu" or "log_alpha": trained if `learned`, else fixed at log(shape).
std::unique_ptr<RadialParameters> gamma_scales(GammaScale::Kind kind, ConstVec levels, double shape, bool learned);

}  // namespace alacarte
