// Any text parses to a recipe that survives a round trip and makes a map or kernel, or gives an error that names the
// fault.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

namespace {

using namespace alacarte;

constexpr Index kInputs = 3, kRows = 20, kMaxFrequencies = 100;

/// Returns true if it can be made thousands of times per second.
bool is_small(const Recipe& recipe) {
  bool small = recipe.features.frequencies <= kMaxFrequencies && recipe.features.components <= 8 &&
               recipe.features.knots <= 8 && recipe.copies <= 2;
  for (const Recipe& term : recipe.terms) small = small && is_small(term);
  return small;
}

void make(const Recipe& recipe) {
  const RandomStreams streams(1);
  RandomStream stream = streams.stream("rows");
  const Vector numbers = stream.normals(kRows * kInputs);
  const Eigen::Map<const Matrix> x(numbers.data(), kRows, kInputs);
  const TrainingStatistics statistics = training_statistics(x, x.col(0), stream);
  if (!make_prior(recipe, kInputs, streams, statistics).start(statistics, 0, stream).allFinite()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<ModelInfo>& models = model_infos();
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Recipe recipe = parse_recipe(parse_json(text, "input"), models);
    if (!(parse_recipe(to_json(recipe, models), models) == recipe)) std::abort();
    if (recipe.members.empty() && recipe.model != "auto" && is_small(recipe)) make(recipe);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
