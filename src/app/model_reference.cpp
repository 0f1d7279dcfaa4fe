#include "alacarte/app/model_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/data/dataset.hpp"
#include "alacarte/data/generators.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte {
namespace {

constexpr Index kExampleRows = 200;

/// The example the parameters are shown for: friedman1, standardised.
TrainingView example_view() {
  RandomStream stream(1);
  Matrix x;
  Vector y;
  find_problem("friedman1")->generate(kExampleRows, stream, x, y);
  const auto standardizer = Standardizer::learn(x, y, Scaling::zscore, Scaling::zscore);
  return make_training_view(standardizer.inputs(x), standardizer.target(y), stream);
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
  const TrainingView view = example_view();
  const ModelFunction model = make_function(recipe, view.input_count(), RandomStreams(1), view);
  RandomStream stream(2);
  const Vector start = model.start(view, 0, stream);
  std::string text = fmt::format("parameters, of the recipe below with {} inputs (positive ones as logarithms):\n",
                                 view.input_count());
  for (const ParameterSlot& slot : model.parameters().slots())
    text += fmt::format("  {} ({}){}\n    start {}; from {:g} to {:g}; prior: {}\n", slot.name, slot.size,
                        slot.trainable ? "" : ", not trained", span_of(start.segment(slot.offset, slot.size)),
                        slot.lower, slot.upper, prior_of(slot.prior));
  if (model.map) text += fmt::format("  features: {}\n", model.map->feature_count());
  return text;
}

std::string settings_of(const ModelCard& card, const Recipe& recipe) {
  if (card.keys.empty()) return "settings of its own: none\n";
  const nlohmann::json document = to_json(recipe, model_cards());
  std::string text = "settings of its own, as in the recipe (check --schema says what they mean):\n";
  for (const std::string& key : card.keys) {
    if (key == "terms") {
      text += "  terms: recipes of their own\n";
      continue;
    }
    const auto dot = key.find('.');
    text += fmt::format("  {} = {}\n", key, document.at(key.substr(0, dot)).at(key.substr(dot + 1)).dump());
  }
  return text;
}

std::string indented(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.insert(at + 1, "  ");
  return "  " + text + "\n";
}

}  // namespace

std::string model_reference(const ModelCard& card) {
  const Recipe recipe = parse_recipe(parse_json(card.recipe, "recipe of " + card.name), model_cards());
  std::string text = fmt::format("{}: {}\n\n", card.name, card.description);
  text += "formula:\n" + indented(card.formula);
  text += "accuracy:\n" + indented(card.accuracy);
  text += "cost:\n" + indented(card.cost);
  text += settings_of(card, recipe) + parameters_of(recipe);
  text += "fixed in training:\n" + indented(card.fixed.empty() ? "nothing" : card.fixed);
  text += "reference:\n" + indented(card.reference);
  text += "recipe:\n" + indented(card.recipe);
  return text;
}

}  // namespace alacarte
