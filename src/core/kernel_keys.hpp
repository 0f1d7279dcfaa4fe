#pragma once
// The hyperparameters of kernels that recipes and their terms give by hand.
#include <alacarte/core/recipe.hpp>
#include <string>
#include <utility>

namespace alacarte {

/// Returns true if the section sets a value by hand.
inline bool gives_value(const KernelConfig& kernel) {
  return !kernel.lengthscale.empty() || kernel.amplitude > 0 || !kernel.period.empty();
}

/// Returns the place of the first hyperparameter by hand in a recipe or its terms ("/terms/0/kernel/period"), or "".
inline std::string first_by_hand(const Recipe& recipe) {
  const KernelConfig& kernel = recipe.kernel;
  if (!kernel.lengthscale.empty()) return "/kernel/lengthscale";
  if (kernel.amplitude > 0) return "/kernel/amplitude";
  if (!kernel.period.empty()) return "/kernel/period";
  if (!kernel.trained) return "/kernel/trained";
  for (std::size_t t = 0; t < recipe.terms.size(); ++t)
    if (const std::string place = first_by_hand(recipe.terms[t]); !place.empty())
      return "/terms/" + std::to_string(t) + place;
  return "";
}

/// Returns the place of the first amplitude by hand in a recipe, its terms or members, or "".
inline std::string first_amplitude(const Recipe& recipe) {
  if (recipe.kernel.amplitude > 0) return "/kernel/amplitude";
  for (const auto& [name, parts] : {std::pair{"/terms/", &recipe.terms}, std::pair{"/members/", &recipe.members}})
    for (std::size_t k = 0; k < parts->size(); ++k)
      if (const std::string place = first_amplitude((*parts)[k]); !place.empty())
        return name + std::to_string(k) + place;
  return "";
}

/// Removes the amplitudes of a recipe and its terms: those of one target mean nothing for another.
inline void forget_amplitudes(Recipe& recipe) {
  KernelConfig& kernel = recipe.kernel;
  const bool had_amplitude = kernel.amplitude > 0;
  kernel.amplitude = 0;
  if (had_amplitude && !gives_value(kernel)) kernel.trained = true;
  for (Recipe& part : recipe.terms) forget_amplitudes(part);
  for (Recipe& part : recipe.members) forget_amplitudes(part);
}

}  // namespace alacarte
