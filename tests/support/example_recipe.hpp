#pragma once
// The example recipe of a registered model, made small, for the suites that iterate the registries.
#include <alacarte/core/recipe.hpp>
#include <string>

namespace alacarte {

/// So many frequencies and two components where the model, or a term of it, has such; one copy. Not to be called
/// before main().
Recipe example_recipe(const std::string& model, Index frequencies);

}  // namespace alacarte
