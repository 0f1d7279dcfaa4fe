#include "alacarte/io/recipe_io.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "alacarte/model/likelihood.hpp"
#include "core/spelling.hpp"
#include "core/text_file.hpp"
#include "recipe_fields.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

std::string child(const std::string& pointer, const std::string& key) {
  return (Json::json_pointer(pointer) / key).to_string();
}

[[noreturn]] void wrong_type(const std::string& pointer, const std::string& expected, const Json& json) {
  throw ConfigError(pointer, fmt::format("must be {}, not {}", expected, json.type_name()));
}

std::string text_of(const std::string& pointer, const Json& json, const std::vector<std::string>& choices) {
  if (!json.is_string()) wrong_type(pointer, "a string", json);
  auto text = json.get<std::string>();
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
    throw ConfigError(pointer, fmt::format("must be one of {}, not '{}'{}", fmt::join(choices, ", "), text,
                                           did_you_mean(text, choices)));
  return text;
}

using Place = std::string;  // a JSON pointer

void read_value(const Place& place, const Json& json, const RecipeField& field, double& value) {
  if (!json.is_number()) wrong_type(place, "a number", json);
  value = json.get<double>();
  const auto& [choices, minimum, maximum] = field.domain;
  if (!(value >= minimum && value <= maximum))
    throw ConfigError(place, fmt::format("must be from {:.12g} to {:.12g}, not {}", minimum, maximum, json.dump()));
}

void read_value(const Place& place, const Json& json, const RecipeField& field, Index& value) {
  if (!json.is_number_integer()) wrong_type(place, "an integer", json);
  double number = 0;
  read_value(place, json, field, number);
  value = static_cast<Index>(number);
}

void read_value(const Place& place, const Json& json, const RecipeField&, bool& value) {
  if (!json.is_boolean()) wrong_type(place, "true or false", json);
  value = json.get<bool>();
}

void read_value(const Place& place, const Json& json, const RecipeField& field, std::string& value) {
  // A column may be named by its index as a number.
  const bool is_column = field.section == "data" && field.domain.choices.empty();
  value = is_column && json.is_number_integer() ? json.dump() : text_of(place, json, field.domain.choices);
}

template <class Item>
void read_value(const Place& place, const Json& json, const RecipeField& field, std::vector<Item>& list) {
  if (!json.is_array())
    wrong_type(place,
               std::is_same_v<Item, double>  ? "an array of numbers"
               : std::is_same_v<Item, Index> ? "an array of integers"
                                             : "an array of strings",
               json);
  list.clear();
  for (std::size_t i = 0; i < json.size(); ++i)
    read_value(child(place, std::to_string(i)), json[i], field, list.emplace_back());
}

void read_value(const Place& place, const Json& json, const RecipeField& field, const EnumPointer& value) {
  const auto& choices = field.domain.choices;
  const bool is_switch = json.is_boolean() && std::find(choices.begin(), choices.end(), "true") != choices.end();
  const auto found = std::find(choices.begin(), choices.end(), is_switch ? json.dump() : text_of(place, json, choices));
  value.set_index(static_cast<std::size_t>(found - choices.begin()));
}

template <class Value>
void read_value(const Place& place, const Json& json, const RecipeField& field, Value* value) {
  read_value(place, json, field, *value);
}

/// State of the parser: the part of a recipe, and the ModelInfo of its model (nullptr for a mixture).
struct Reading {
  const std::vector<ModelInfo>& models;
  RecipePart part;
  const ModelInfo* info = nullptr;
  const Recipe* whole = nullptr;  ///< recipe that it is a part of
};

using FieldTable = std::vector<RecipeField>;

/// Returns the keys of a section that this recipe may contain; sections are keys of section "".
std::vector<std::string> allowed_keys(const std::string& section, const FieldTable& table, const Reading& reading) {
  std::vector<std::string> keys;
  for (const RecipeField& field : table) {
    if (!inapplicable_reason(field, reading.info, reading.part).empty()) continue;
    const std::string& key = section.empty() && !field.section.empty() ? field.section : field.key;
    if (section.empty() || field.section == section)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  if (section.empty() && reading.info == nullptr) keys.push_back("members");  // "auto" rejects it
  if (section.empty() && reading.info != nullptr && reading.info->uses("terms")) keys.push_back("terms");
  return keys;
}

bool is_section(const std::string& key, const FieldTable& table) {
  return !key.empty() && std::any_of(table.begin(), table.end(), [&](const auto& f) { return f.section == key; });
}

void parse_section(const std::string& pointer, const Json& json, const std::string& section, const FieldTable& table,
                   const Reading& reading) {
  if (!json.is_object()) wrong_type(pointer, "an object", json);
  for (const auto& item : json.items()) {
    const std::string &key = item.key(), here = child(pointer, key);
    if (section.empty() && (is_section(key, table) || key == "members" || key == "terms")) continue;
    const auto is_meant = [&](const RecipeField& f) { return f.section == section && f.key == key; };
    const auto field = std::find_if(table.begin(), table.end(), is_meant);
    if (field == table.end()) {
      const auto keys = allowed_keys(section, table, reading);
      throw ConfigError(here, fmt::format("unknown key{}; allowed: {}", did_you_mean(key, keys),
                                          keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
    }
    const std::string why = inapplicable_reason(*field, reading.info, reading.part);
    if (!why.empty()) throw ConfigError(here, why);
    std::visit([&](const auto& at) { read_value(here, item.value(), *field, at); }, field->value);
  }
}

void parse_model_name(const std::string& pointer, const Json& json, Reading& reading, Recipe& recipe) {
  if (!json.is_object()) wrong_type(pointer, "an object", json);
  std::vector<std::string> names;
  for (const ModelInfo& info : reading.models) names.push_back(info.name);
  if (reading.part == RecipePart::whole) names.insert(names.end(), {"auto", "mixture"});
  if (reading.part != RecipePart::whole && !json.contains("model"))
    throw ConfigError(pointer,
                      fmt::format("a {} needs a \"model\"", reading.part == RecipePart::member ? "member" : "term"));
  recipe.model = text_of(child(pointer, "model"), json.value("model", Json(recipe.model)), names);
  reading.info = find_model_info(reading.models, recipe.model);
}

/// Counts the recipes in array `key`, which `needed` models must have and others must not.
std::size_t count_parts(const std::string& pointer, const Json& json, const char* key, const std::string& model,
                        bool needed) {
  const std::string here = child(pointer, key);
  if (json.contains(key) && !needed) throw ConfigError(here, fmt::format("model '{}' has no {}", model, key));
  if (!needed) return 0;
  if (!json.contains(key)) throw ConfigError(here, fmt::format("model '{}' needs {}", model, key));
  if (!json[key].is_array() || json[key].empty()) throw ConfigError(here, "must be an array of at least one recipe");
  return json[key].size();
}

void parse_into(const std::string& pointer, const Json& json, Reading reading, Recipe& recipe) {
  parse_model_name(pointer, json, reading, recipe);
  const std::size_t members = count_parts(pointer, json, "members", recipe.model, recipe.model == "mixture");
  const std::size_t terms =
      count_parts(pointer, json, "terms", recipe.model, reading.info != nullptr && reading.info->uses("terms"));
  const FieldTable table = recipe_fields(recipe);
  parse_section(pointer, json, "", table, reading);
  for (const auto& [key, value] : json.items())
    if (is_section(key, table)) parse_section(child(pointer, key), value, key, table, reading);
  const auto parse_part = [&](const char* key, std::size_t i, RecipePart part, Recipe& into) {
    parse_into(child(child(pointer, key), std::to_string(i)), json[key][i], {reading.models, part}, into);
  };
  for (std::size_t i = 0; i < members; ++i) {
    Recipe member = silent_member(recipe);
    parse_part("members", i, RecipePart::member, member);
    if (member.scale_inputs != recipe.scale_inputs && !is_curve(member.scale_inputs))
      throw ConfigError(fmt::format("{}/members/{}/scale/inputs", pointer, i),
                        "of a member must be a curve (normal-scores, asinh, clip), or that of the mixture");
    recipe.members.push_back(std::move(member));
  }
  for (std::size_t i = 0; i < terms; ++i) parse_part("terms", i, RecipePart::term, recipe.terms.emplace_back());
}

/// Returns true if a recipe is written without the field where it has its default: stored recipes are older than it.
bool is_silent(const RecipeField& field, RecipePart part) {
  if (part == RecipePart::member && field.section == "scale") return true;
  if (field.section == "data" && field.key == "trees") return true;
  return field.is_by_hand() && (part == RecipePart::term || field.key == "amplitude" || field.key == "period");
}

Json write(Recipe recipe, const Reading& reading) {
  Json json = Json::object();
  Recipe defaults;
  if (reading.part == RecipePart::member) {
    defaults.scale_inputs = reading.whole->scale_inputs;
    defaults.trees = reading.whole->trees;
  }
  const FieldTable usual = recipe_fields(defaults);
  // Sections start with their type: a null that becomes one is destroyed wrongly when memory runs out.
  const auto inside = [&](const std::string& key, Json empty) -> Json& {
    return *json.emplace(key, std::move(empty)).first;
  };
  for (std::size_t k = 0; const RecipeField& field : recipe_fields(recipe)) {
    const bool is_left_out = is_silent(field, reading.part) && field_value(field) == field_value(usual[k]);
    ++k;
    if (!is_left_out && inapplicable_reason(field, reading.info, reading.part).empty())
      (field.section.empty() ? json : inside(field.section, Json::object()))[field.key] = field_value(field);
  }
  const auto add = [&](const char* key, const Recipe& part, RecipePart kind) {
    inside(key, Json::array())
        .push_back(write(part, {reading.models, kind, find_model_info(reading.models, part.model), &recipe}));
  };
  for (const Recipe& member : recipe.members) add("members", member, RecipePart::member);
  for (const Recipe& term : recipe.terms) add("terms", term, RecipePart::term);
  return json;
}

void apply_override(nlohmann::json& document, const std::string& text) {
  const auto split = text.find('=');
  const std::string pointer = text.substr(0, split);
  if (!text.starts_with('/') || split == std::string::npos) {
    std::string slashed = "/" + pointer;
    std::replace(slashed.begin(), slashed.end(), '.', '/');
    const bool has_both = split != std::string::npos && split > 0;
    const std::string meant = has_both ? fmt::format(" (did you mean '{}{}'?)", slashed, text.substr(split)) : "";
    throw ConfigError("--set", fmt::format("'{}' is not of the form /section/key=JSON{}", text, meant));
  }
  const std::string given = text.substr(split + 1);
  nlohmann::json value;
  try {
    value = parse_json(given, "--set " + pointer);
  } catch (const ConfigError& error) {
    // A word stands for itself, without the quotes that a shell takes away; what begins like other JSON is a mistake.
    if (given.empty() || given.find_first_of("\"[{-+.0123456789 \t\n") == 0)
      throw ConfigError("--set " + pointer, fmt::format("'{}' is not a JSON value, nor a word", given));
    value = given;
  }
  try {
    document[nlohmann::json::json_pointer(pointer)] = std::move(value);
  } catch (const nlohmann::json::exception&) {
    throw ConfigError("--set " + pointer, "there is no such place in the recipe");
  }
}

/// Takes scale.target "auto" for model "auto" if the recipe has none. Rejects an explicit one that the likelihood does
/// not use, even if it equals the default for numbers.
Recipe resolve_read(Recipe recipe, const nlohmann::json& json) {
  const nlohmann::json::json_pointer place("/scale/target");
  if (recipe.model == "auto" && !json.contains(place)) recipe.scale_target = TargetScaling::automatic;
  Recipe whole = apply_likelihood_defaults(recipe);
  if (target_kind(whole) != TargetKind::numbers && json.contains(place) && json[place] != "none")
    throw ConfigError("/scale/target", "classes and counts are not scaled; leave it out");
  return whole;
}

}  // namespace

Json json_of_word(const std::string& word) {
  if (word == "true" || word == "false") return word == "true";
  return word;
}

Json field_value(const RecipeField& field) {
  return std::visit(
      [&](const auto& at) -> Json {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(at)>, EnumPointer>)
          return json_of_word(field.domain.choices.at(at.index()));
        else
          return *at;
      },
      field.value);
}

Recipe silent_member(const Recipe& mixture) {
  Recipe member;
  member.scale_inputs = mixture.scale_inputs;
  member.trees = mixture.trees;
  member.mean = mixture.mean;
  member.priors = mixture.priors;
  member.evidence = mixture.evidence;
  member.precision = mixture.precision;
  member.noise = mixture.noise;
  member.likelihood = mixture.likelihood;
  member.learner = mixture.learner;
  member.training = mixture.training;
  return member;
}

Recipe parse_recipe(const Json& json, const std::vector<ModelInfo>& models) {
  Recipe recipe;
  parse_into("", json, {models, RecipePart::whole}, recipe);
  return recipe;
}

Recipe read_recipe(const std::string& path, const std::vector<ModelInfo>& models) {
  const Json json = parse_json(read_text_file(path), path);
  try {
    return parse_recipe(json, models);
  } catch (const ConfigError& error) {
    throw error.in_file(path);
  }
}

Json to_json(const Recipe& recipe, const std::vector<ModelInfo>& models) {
  return write(recipe, {models, RecipePart::whole, find_model_info(models, recipe.model)});
}

Recipe read_recipe_with(const std::string& path, const std::vector<std::string>& overrides) {
  if (overrides.empty()) return read_registered_recipe(path);
  nlohmann::json document = parse_json(read_text_file(path), path);
  for (const std::string& text : overrides) apply_override(document, text);
  return parse_registered_recipe(document);
}

Recipe recipe_with(const Recipe& recipe, const std::vector<std::string>& overrides) {
  nlohmann::json document = to_json(recipe, model_infos());
  for (const std::string& text : overrides) {
    apply_override(document, text);
    if (!document.contains("members")) continue;
    // Members have all their keys here; in a file the silent ones take over what the mixture says.
    for (nlohmann::json& member : document["members"])
      if (member.contains(nlohmann::json::json_pointer(text.substr(0, text.find('='))))) apply_override(member, text);
  }
  return overrides.empty() ? recipe : parse_registered_recipe(document);
}

Recipe parse_recipe_text(const std::string& text, const std::string& name) {
  return parse_recipe(parse_json(text, name), model_infos());
}

std::string value_text(const Recipe& recipe, const std::string& section, const std::string& key) {
  return to_json(recipe, model_infos()).at(section).at(key).dump();
}

Recipe parse_registered_recipe(const nlohmann::json& json) {
  return resolve_read(parse_recipe(json, model_infos()), json);
}

Recipe read_registered_recipe(const std::string& path) {
  const Recipe recipe = read_recipe(path, model_infos());
  try {
    return resolve_read(recipe, parse_json(read_text_file(path), path));
  } catch (const ConfigError& error) {
    throw error.in_file(path);
  }
}

}  // namespace alacarte
