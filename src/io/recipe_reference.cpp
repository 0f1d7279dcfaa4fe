// The reference of recipe fields, and the check for fields that a model does not use.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "recipe_fields.hpp"

namespace alacarte {
namespace {

std::string type_of(const RecipeField& field, const std::vector<std::string>& model_names) {
  const FieldPointer& at = field.value;
  const auto& [choices, minimum, maximum] = field.domain;
  if (std::holds_alternative<bool*>(at)) return "true or false";
  if (std::holds_alternative<std::vector<double>*>(at))
    return fmt::format("list of numbers from {:g} to {:g}", minimum, maximum);
  if (std::holds_alternative<std::vector<Index>*>(at))
    return fmt::format("list of integers from {:g} to {:g}", minimum, maximum);
  if (std::holds_alternative<std::vector<std::string>*>(at)) return "list of columns";
  if (field.section.empty() && field.key == "model") return fmt::format("{}, mixture", fmt::join(model_names, ", "));
  if (!choices.empty()) return fmt::format("{}", fmt::join(choices, " | "));
  if (std::holds_alternative<std::string*>(at)) return "text";
  const char* kind = std::holds_alternative<Index*>(at) ? "integer" : "number";
  return fmt::format("{} from {:g} to {:g}", kind, minimum, maximum);
}

std::vector<std::string> names_of(const std::vector<ModelInfo>& models, const std::string& key = "") {
  std::vector<std::string> names;
  for (const ModelInfo& info : models)
    if (key.empty() || info.uses(key)) names.push_back(info.name);
  return names;
}

std::string scope_of(const RecipeField& field, const std::vector<ModelInfo>& models) {
  std::string text;
  if (field.is_listed()) {
    const auto names = names_of(models, field.name());
    text = names.empty() ? " No model uses it yet." : fmt::format(" Only for {}.", fmt::join(names, ", "));
  }
  if (field.scope == FieldScope::maps_only) text = " Not for exact-* models.";
  if (field.scope == FieldScope::whole_only) text += " Not in a member.";
  if (field.scope == FieldScope::not_in_mixture || field.is_listed()) text += " In a mixture: in its members.";
  return text;
}

/// Checks the fields of a recipe, which is this part of another, and of its own parts.
void refuse_unused(const std::string& pointer, Recipe recipe, const std::vector<ModelInfo>& models, RecipePart part) {
  const ModelInfo* info = find_model_info(models, recipe.model);
  if (info == nullptr && (part != RecipePart::whole || (recipe.model != "mixture" && recipe.model != "auto")))
    throw ConfigError(pointer + "/model", "there is no model '" + recipe.model + "'");
  Recipe defaults;
  const auto fields = recipe_fields(recipe), usual = recipe_fields(defaults);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const RecipeField& field = fields[k];
    if (!field.is_listed() || field_value(field) == field_value(usual[k])) continue;
    const std::string why = inapplicable_reason(field, info, part);
    if (!why.empty()) throw ConfigError(pointer + "/" + field.section + "/" + field.key, why);
  }
  if (!recipe.terms.empty() && !(info != nullptr && info->uses("terms")))
    throw ConfigError(pointer + "/terms", "means nothing for model '" + recipe.model + "'");
  for (std::size_t i = 0; i < recipe.terms.size(); ++i)
    refuse_unused(fmt::format("{}/terms/{}", pointer, i), recipe.terms[i], models, RecipePart::term);
  for (std::size_t i = 0; i < recipe.members.size(); ++i)
    refuse_unused(fmt::format("{}/members/{}", pointer, i), recipe.members[i], models, RecipePart::member);
}

}  // namespace

void refuse_unused_keys(const Recipe& recipe, const std::vector<ModelInfo>& models) {
  refuse_unused("", recipe, models, RecipePart::whole);
}

std::string recipe_reference(const std::vector<ModelInfo>& models) {
  std::string text;
  Recipe defaults;
  for (const RecipeField& field : recipe_fields(defaults))
    text += fmt::format("{}: {}; default {}\n    {}.{}\n", field.name(), type_of(field, names_of(models)),
                        field_value(field).dump(), field.meaning, scope_of(field, models));
  text +=
      "members: list of recipes; only for mixture, and needed there\n    the models that are mixed; mean, priors, "
      "evidence, precision, noise and training are the mixture's where a member says nothing.\n";
  const auto sums = names_of(models, "terms");
  if (!sums.empty())
    text += fmt::format(
        "terms: list of recipes; only for {}, and needed there\n    of each the model, features, kernel, network and "
        "terms alone.\n",
        fmt::join(sums, ", "));
  return text;
}

}  // namespace alacarte
