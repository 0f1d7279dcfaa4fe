#pragma once
// Errors of recipes inside recipes: terms of sums, members of mixtures.
#include <alacarte/core/error.hpp>
#include <string>

namespace alacarte {

/// Returns the result of `body`. Rethrows its ConfigError at `place` ("/terms/1") inside the outer recipe.
template <class Body>
auto config_at(const std::string& place, Body&& body) {
  try {
    return body();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    throw ConfigError(place + error.pointer(), text.substr(text.find(": ", error.pointer().size()) + 2));
  }
}

}  // namespace alacarte
