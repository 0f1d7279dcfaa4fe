// Any text either parses to a recipe that survives a round trip, or is a ConfigError.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<alacarte::ModelInfo>& models = alacarte::model_infos();
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const alacarte::Recipe recipe = alacarte::parse_recipe(alacarte::parse_json(text, "input"), models);
    if (!(alacarte::parse_recipe(alacarte::to_json(recipe, models), models) == recipe)) std::abort();
  } catch (const alacarte::ConfigError&) {
    return 0;
  }
  return 0;
}
