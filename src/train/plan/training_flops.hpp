#pragma once
// Floating-point operations of one value and gradient: what "auto" and rows_in_time() plan by.
#include "alacarte/core/recipe.hpp"

namespace alacarte {

/// Of a Gaussian posterior over n rows of D features, without the map itself: 3 n D^2 + D^3, or 3 n^2 D + n^3 of fewer
/// rows than features.
double feature_flops(double n, double features);

/// Of an exact kernel, or a sum of as many as the recipe has terms: factor and inverse, and exponentials of all pairs.
double exact_flops(const Recipe& recipe, double n, double inputs);

/// How much more Laplace's approximation takes: steps to the mode for each function of a softmax; 1 for a Gaussian
/// likelihood. classes: 0 where the target is a number.
double laplace_factor(const Recipe& recipe, Index classes);
/// The same of exact_flops(): there the approximation works on as many features as rows (30 n^3 for each function).
double laplace_factor_of_exact(const Recipe& recipe, Index classes);

/// Time of an operation on floats in the small products of minibatches, which stay in the caches, in that of a nominal
/// operation (kin40k: 75 GFLOP/s on two threads).
inline constexpr double kFloatTime = 0.2;

}  // namespace alacarte
