#pragma once
// Small example recipes of registered models, for the suites that iterate the registries.
#include <alacarte/core/recipe.hpp>
#include <string>

namespace alacarte {

/// Returns the recipe with `frequencies` frequencies and two components where the model, or a term of it, has them; one
/// copy. Not to be called before main().
Recipe example_recipe(const std::string& model, Index frequencies);

}  // namespace alacarte
