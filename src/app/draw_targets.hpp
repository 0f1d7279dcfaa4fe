#pragma once
// Targets drawn from a likelihood.
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// y (n) given f (n). noise_sd: of gaussian noise, and s of student-t. noise.degrees and noise.dispersion are the
/// recipe's, or those that training begins at. Throws std::invalid_argument for a likelihood of classes. Cost of a
/// count: O(1 + rate); rates above 1e6 are taken as that.
Vector draw_targets(const Recipe& recipe, const Vector& f, double noise_sd, RandomStream& stream);

}  // namespace alacarte
