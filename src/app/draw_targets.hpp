#pragma once
// Draws targets from a likelihood.
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>

namespace alacarte {

/// Draws y (n) given f (n). noise_sd: standard deviation of gaussian noise, scale of student-t noise. noise.degrees and
/// noise.dispersion are the recipe's, or the initial ones of training. Throws std::invalid_argument for classification.
/// Cost per count: O(1 + rate); rates are capped at 1e6.
Vector draw_targets(const Recipe& recipe, const Vector& f, double noise_sd, RandomStream& stream);

}  // namespace alacarte
