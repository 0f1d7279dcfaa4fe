#include "model_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>

#include "alacarte/data/dataset.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "data/generators.hpp"

namespace alacarte {
namespace {

constexpr Index kExampleRows = 200;

/// Returns the statistics of the example that parameters are shown for: friedman1, standardised.
TrainingStatistics example_statistics() {
  RandomStream stream(1);
  Matrix x;
  Vector y;
  find_problem("friedman1")->generate(kExampleRows, stream, x, y);
  const auto standardizer = Standardizer::learn(x, y, Scaling::zscore, Scaling::zscore);
  return training_statistics(standardizer.inputs(x), standardizer.target(y), stream);
}

std::string span_of(ConstVec values) {
  const double low = values.minCoeff(), high = values.maxCoeff();
  return low == high ? fmt::format("{:.3g}", low) : fmt::format("{:.3g} .. {:.3g}", low, high);
}

std::string prior_of(const Prior& prior) {
  switch (prior.kind) {
    case Prior::Kind::none:
      return "none";
    case Prior::Kind::normal:
      return fmt::format("normal, mean {}, sd {:g}", span_of(prior.mean), prior.sd);
    case Prior::Kind::lower_normal:
      return fmt::format("normal below {}, sd {:g}, flat above", span_of(prior.mean), prior.sd);
    case Prior::Kind::log_inverse_gamma:
      return fmt::format("inverse gamma of the square, mean {}, sd {:g}", span_of(prior.mean), prior.sd);
  }
  return "";
}

std::string parameters_of(const Recipe& recipe) {
  const TrainingStatistics statistics = example_statistics();
  const ModelFunction model = make_function(recipe, statistics.input_count(), RandomStreams(1), statistics);
  RandomStream stream(2);
  const Vector start = model.start(statistics, 0, stream);
  std::string text = fmt::format("parameters, of the recipe below with {} inputs (positive ones as logarithms):\n",
                                 statistics.input_count());
  for (const ParameterSlot& slot : model.parameters().slots())
    text += fmt::format("  {} ({}){}\n    start {}; from {:g} to {:g}; prior: {}\n", slot.name, slot.size,
                        slot.trainable ? "" : ", not trained", span_of(start.segment(slot.offset, slot.size)),
                        slot.lower, slot.upper, prior_of(slot.prior));
  if (model.map) text += fmt::format("  features: {}\n", model.map->feature_count());
  return text;
}

std::string settings_of(const ModelInfo& info, const Recipe& recipe) {
  if (info.keys.empty()) return "settings of its own: none\n";
  std::string text = "settings of its own, as in the recipe (check --schema says what they mean):\n";
  for (const std::string& key : info.keys) {
    if (key == "terms") {
      text += "  terms: recipes of their own\n";
      continue;
    }
    const auto dot = key.find('.');
    text += fmt::format("  {} = {}\n", key, value_text(recipe, key.substr(0, dot), key.substr(dot + 1)));
  }
  return text;
}

std::string indented(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.insert(at + 1, "  ");
  return "  " + text + "\n";
}

}  // namespace

std::string model_reference(const ModelInfo& info) {
  const Recipe recipe = parse_recipe_text(info.recipe, "recipe of " + info.name);
  std::string text = fmt::format("{}: {}\n\n", info.name, info.description);
  text += "formula:\n" + indented(info.formula);
  text += "accuracy:\n" + indented(info.accuracy);
  text += "cost:\n" + indented(info.cost);
  text += settings_of(info, recipe) + parameters_of(recipe);
  text += "fixed in training:\n" + indented(info.fixed.empty() ? "nothing" : info.fixed);
  text += "reference:\n" + indented(info.reference);
  text += "recipe:\n" + indented(info.recipe);
  return text;
}

}  // namespace alacarte
