#include "io/documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "recipe_fields.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using SchemaFields = std::vector<RecipeField>;

template <class Item>
Json item_schema(const RecipeField& field) {
  if constexpr (std::is_same_v<Item, bool>) return {{"type", "boolean"}};
  // A column may be named by its index.
  if constexpr (std::is_same_v<Item, std::string>)
    return {{"type", field.section == "data" ? Json({"string", "integer"}) : Json("string")}};
  if constexpr (std::is_arithmetic_v<Item>)
    return {{"type", std::is_same_v<Item, double> ? "number" : "integer"},
            {"minimum", field.domain.minimum},
            {"maximum", field.domain.maximum}};
}

Json value_schema(const RecipeField& field) {
  Json schema;
  if (!field.domain.choices.empty())
    for (const std::string& choice : field.domain.choices) schema["enum"].push_back(json_of_word(choice));
  else
    schema = std::visit(
        [&](const auto& at) -> Json {
          if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(at)>>) {
            using Value = std::remove_cvref_t<decltype(*at)>;
            if constexpr (requires { at->begin(); } && !std::is_same_v<Value, std::string>)
              return {{"type", "array"}, {"items", item_schema<typename Value::value_type>(field)}};
            else
              return item_schema<Value>(field);
          } else {
            return Json::object();  // the words of an enum say it
          }
        },
        field.value);
  schema["description"] = std::string(field.meaning);
  schema["default"] = field_value(field);
  return schema;
}

/// Rules of one model for the keys of a recipe.
struct SchemaRules {
  std::map<std::string, std::vector<std::string>> allowed;  // by section; "" = root of the recipe
  bool has_members = false, has_terms = false;
};

/// Collects rules; info: nullptr for "mixture" and "auto".
SchemaRules rules_of(const ModelInfo* info, bool is_mixture, RecipePart part, const SchemaFields& fields) {
  SchemaRules rules;
  for (const RecipeField& field : fields) {
    std::vector<std::string>& keys = rules.allowed[field.section];
    if (inapplicable_reason(field, info, part).empty()) keys.push_back(field.key);
  }
  rules.has_members = is_mixture;
  rules.has_terms = info != nullptr && info->uses("terms");
  return rules;
}

/// Returns the schema of a recipe of a model with these rules.
Json consequence(const SchemaRules& rules, RecipePart part, const SchemaFields& fields) {
  Json properties = Json::object();
  for (const auto& [section, keys] : rules.allowed) {
    if (section.empty()) continue;
    if (keys.empty())
      properties[section] = {{"maxProperties", 0}};
    else
      properties[section] = {{"propertyNames", {{"enum", keys}}}};
  }
  const std::vector<std::string>& own = rules.allowed.at("");
  for (const RecipeField& field : fields)
    if (field.section.empty() && std::find(own.begin(), own.end(), field.key) == own.end())
      properties[field.key] = false;
  Json needed = Json::array();
  const auto list = [&](const char* key, bool has) {
    if (has)
      needed.push_back(key);
    else
      properties[key] = false;
  };
  if (part == RecipePart::whole) list("members", rules.has_members);
  list("terms", rules.has_terms);
  Json then = {{"properties", std::move(properties)}};
  if (!needed.empty()) then["required"] = std::move(needed);
  return then;
}

/// Returns rules for the models of a part, grouped by equal rules.
Json conditions(RecipePart part, const std::vector<ModelInfo>& models, const SchemaFields& fields) {
  std::map<std::string, std::vector<std::string>> names;  // by consequence
  for (const ModelInfo& info : models)
    names[consequence(rules_of(&info, false, part, fields), part, fields).dump()].push_back(info.name);
  if (part == RecipePart::whole)
    for (const char* name : {"auto", "mixture"})
      names[consequence(rules_of(nullptr, name == std::string("mixture"), part, fields), part, fields).dump()]
          .push_back(name);
  Json all = Json::array();
  for (const auto& [then, list] : names)
    all.push_back({{"if", {{"properties", {{"model", {{"enum", list}}}}}, {"required", {"model"}}}},
                   {"then", Json::parse(then)}});
  return all;
}

Json part_schema(RecipePart part, const std::vector<ModelInfo>& models) {
  Recipe defaults;
  const SchemaFields fields = recipe_fields(defaults);
  Json properties = Json::object();
  for (const RecipeField& field : fields) {
    if (field.section.empty()) {
      properties[field.key] = value_schema(field);
      continue;
    }
    Json& section = properties[field.section];
    section["type"] = "object";
    section["additionalProperties"] = false;
    section["properties"][field.key] = value_schema(field);
  }
  Json names = Json::array();
  for (const ModelInfo& info : models) names.push_back(info.name);
  if (part == RecipePart::whole) names.insert(names.end(), {"auto", "mixture"});
  properties["model"]["enum"] = std::move(names);
  properties["model"].erase("type");
  const auto parts = [](const char* name) {
    return Json{{"type", "array"}, {"minItems", 1}, {"items", {{"$ref", std::string("#/definitions/") + name}}}};
  };
  if (part == RecipePart::whole) properties["members"] = parts("member");
  properties["terms"] = parts("term");
  Json schema = {{"type", "object"},
                 {"additionalProperties", false},
                 {"properties", std::move(properties)},
                 {"allOf", conditions(part, models, fields)}};
  if (part != RecipePart::whole) schema["required"] = {"model"};
  return schema;
}

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

nlohmann::json recipe_schema(const std::vector<ModelInfo>& models) {
  Json schema = part_schema(RecipePart::whole, models);
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "Recipe of alacarte";
  schema["definitions"] = {{"member", part_schema(RecipePart::member, models)},
                           {"term", part_schema(RecipePart::term, models)}};
  return schema;
}

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
