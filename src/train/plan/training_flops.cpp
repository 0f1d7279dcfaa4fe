#include "training_flops.hpp"

#include <algorithm>

#include "alacarte/model/likelihood.hpp"

namespace alacarte {
namespace {

double laplace_flops(double each, const Recipe& recipe, Index classes) {
  const Likelihood& likelihood = likelihood_of(recipe);
  return likelihood.is_conjugate() ? 1 : each * static_cast<double>(likelihood.outputs(classes));
}

}  // namespace

double feature_flops(double n, double features) {
  const double least = std::min(n, features);
  return 3 * n * features * least + least * least * least;
}

double exact_flops(const Recipe& recipe, double n, double inputs) {
  constexpr double kPairFlops = 30;
  const double kernels = std::max(1.0, static_cast<double>(recipe.terms.size()));
  return n * n * n + kPairFlops * n * n * inputs * kernels;
}

double laplace_factor(const Recipe& recipe, Index classes) { return laplace_flops(3, recipe, classes); }

double laplace_factor_of_exact(const Recipe& recipe, Index classes) { return laplace_flops(30, recipe, classes); }

}  // namespace alacarte
