#include "alacarte/io/recipe_io.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/spelling.hpp"
#include "alacarte/core/text_file.hpp"
#include "recipe_fields.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kScalingNames = {"none", "center", "zscore", "range"};
const std::vector<std::string> kMeanNames = {"zero", "constant"};
const std::vector<std::string> kEvidenceNames = {"auto", "primal", "dual"};
const std::vector<std::string> kPrecisionNames = {"double", "mixed"};

std::string child(const std::string& pointer, const std::string& key) {
  return (Json::json_pointer(pointer) / key).to_string();
}

[[noreturn]] void wrong_type(const std::string& pointer, const std::string& expected, const Json& json) {
  throw ConfigError(pointer, fmt::format("must be {}, not {}", expected, json.type_name()));
}

std::string text_of(const std::string& pointer, const Json& json, const std::vector<std::string>& choices) {
  if (!json.is_string()) wrong_type(pointer, "a string", json);
  const auto text = json.get<std::string>();
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
    throw ConfigError(pointer, fmt::format("must be one of {}, not '{}'{}", fmt::join(choices, ", "), text,
                                           did_you_mean(text, choices)));
  return text;
}

Index position(const std::string& text, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), text) - names.begin();
}

double number_of(const std::string& pointer, const Json& json, const RecipeField& field) {
  if (!json.is_number()) wrong_type(pointer, "a number", json);
  const double value = json.get<double>();
  const auto is_value = [&](const std::string& choice) { return std::stod(choice) == value; };
  if (!field.choices.empty() && std::none_of(field.choices.begin(), field.choices.end(), is_value))
    throw ConfigError(pointer, fmt::format("must be one of {}, not {}", fmt::join(field.choices, ", "), json.dump()));
  if (!(value >= field.least && value <= field.most))
    throw ConfigError(pointer,
                      fmt::format("must be from {:.12g} to {:.12g}, not {}", field.least, field.most, json.dump()));
  return value;
}

Index integer_of(const std::string& pointer, const Json& json, const RecipeField& field) {
  if (!json.is_number_integer()) wrong_type(pointer, "an integer", json);
  return static_cast<Index>(number_of(pointer, json, field));
}

std::vector<std::string> list_of(const std::string& pointer, const Json& json) {
  if (!json.is_array()) wrong_type(pointer, "an array of strings", json);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < json.size(); ++i) {
    // A column may be named by its index, and people write that as a number.
    list.push_back(json[i].is_number_integer() ? json[i].dump()
                                               : text_of(child(pointer, std::to_string(i)), json[i], {}));
  }
  return list;
}

void set_field(const std::string& pointer, const Json& json, const RecipeField& field, Recipe& recipe) {
  struct Setter {
    const std::string& pointer;
    const Json& json;
    const RecipeField& field;
    void operator()(Index* at) const { *at = integer_of(pointer, json, field); }
    void operator()(double* at) const { *at = number_of(pointer, json, field); }
    void operator()(bool* at) const {
      if (!json.is_boolean()) wrong_type(pointer, "true or false", json);
      *at = json.get<bool>();
    }
    void operator()(std::string* at) const {
      const bool is_column = field.section == "data" && (field.key == "target" || field.key == "key");
      *at = is_column && json.is_number_integer() ? json.dump() : text_of(pointer, json, field.choices);
    }
    void operator()(std::vector<std::string>* at) const { *at = list_of(pointer, json); }
    void operator()(Scaling* at) const {
      *at = static_cast<Scaling>(position(text_of(pointer, json, kScalingNames), kScalingNames));
    }
    void operator()(MeanKind* at) const {
      *at = static_cast<MeanKind>(position(text_of(pointer, json, kMeanNames), kMeanNames));
    }
    void operator()(Precision* at) const {
      *at = static_cast<Precision>(position(text_of(pointer, json, kPrecisionNames), kPrecisionNames));
    }
    void operator()(EvidenceForm* at) const {
      *at = static_cast<EvidenceForm>(position(text_of(pointer, json, kEvidenceNames), kEvidenceNames));
    }
  };
  std::visit(Setter{pointer, json, field}, field.at(recipe));
}

Json get_field(const RecipeField& field, Recipe& recipe) {
  struct Getter {
    Json operator()(Index* at) const { return *at; }
    Json operator()(double* at) const { return *at; }
    Json operator()(bool* at) const { return *at; }
    Json operator()(std::string* at) const { return *at; }
    Json operator()(std::vector<std::string>* at) const { return *at; }
    Json operator()(Scaling* at) const { return kScalingNames.at(static_cast<std::size_t>(*at)); }
    Json operator()(MeanKind* at) const { return kMeanNames.at(static_cast<std::size_t>(*at)); }
    Json operator()(Precision* at) const { return kPrecisionNames.at(static_cast<std::size_t>(*at)); }
    Json operator()(EvidenceForm* at) const { return kEvidenceNames.at(static_cast<std::size_t>(*at)); }
  };
  return std::visit(Getter{}, field.at(recipe));
}

/// Keys of one section that this recipe may give; sections of the recipe itself count as keys of section "".
std::vector<std::string> allowed_keys(const std::string& section, const std::string& model, bool is_member) {
  std::vector<std::string> keys;
  for (const RecipeField& field : recipe_fields()) {
    if (!why_meaningless(field, model, is_member).empty()) continue;
    const std::string& key = section.empty() && !field.section.empty() ? field.section : field.key;
    if (section.empty() || field.section == section)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  if (section.empty() && model == "mixture") keys.push_back("members");
  return keys;
}

const RecipeField* find_field(const std::string& section, const std::string& key) {
  for (const RecipeField& field : recipe_fields())
    if (field.section == section && field.key == key) return &field;
  return nullptr;
}

bool is_section(const std::string& key) {
  const auto& table = recipe_fields();
  return !key.empty() && std::any_of(table.begin(), table.end(), [&](const auto& f) { return f.section == key; });
}

void parse_section(const std::string& pointer, const Json& json, const std::string& section, bool is_member,
                   Recipe& recipe) {
  if (!json.is_object()) wrong_type(pointer, "an object", json);
  for (const auto& [key, value] : json.items()) {
    const std::string here = child(pointer, key);
    if (section.empty() && (is_section(key) || key == "members")) continue;
    const RecipeField* field = find_field(section, key);
    const auto keys = allowed_keys(section, recipe.model, is_member);
    if (field == nullptr)
      throw ConfigError(here, fmt::format("unknown key{}; allowed: {}", did_you_mean(key, keys),
                                          keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
    const std::string why = why_meaningless(*field, recipe.model, is_member);
    if (!why.empty()) throw ConfigError(here, why);
    set_field(here, value, *field, recipe);
  }
}

void parse_model_name(const std::string& pointer, const Json& json, const std::vector<std::string>& model_names,
                      bool is_member, Recipe& recipe) {
  if (!json.is_object()) wrong_type(pointer, "an object", json);
  std::vector<std::string> names = model_names;
  if (!is_member) names.push_back("mixture");
  if (json.contains("model")) recipe.model = text_of(child(pointer, "model"), json["model"], names);
  if (is_member && !json.contains("model")) throw ConfigError(pointer, "a member needs a \"model\"");
  const bool is_mixture = recipe.model == "mixture";
  const std::string members = child(pointer, "members");
  if (json.contains("members") && !is_mixture) throw ConfigError(members, "only model 'mixture' has members");
  if (!is_mixture) return;
  if (!json.contains("members")) throw ConfigError(members, "model 'mixture' needs members");
  if (!json["members"].is_array() || json["members"].empty())
    throw ConfigError(members, "must be an array of at least one member");
}

void parse_into(const std::string& pointer, const Json& json, const std::vector<std::string>& model_names,
                bool is_member, Recipe& recipe) {
  parse_model_name(pointer, json, model_names, is_member, recipe);
  parse_section(pointer, json, "", is_member, recipe);
  for (const auto& [key, value] : json.items())
    if (is_section(key)) parse_section(child(pointer, key), value, key, is_member, recipe);
  if (recipe.model != "mixture") return;
  for (std::size_t i = 0; i < json["members"].size(); ++i) {
    Recipe member;
    member.mean = recipe.mean;
    member.priors = recipe.priors;
    member.evidence = recipe.evidence;
    member.precision = recipe.precision;
    member.noise = recipe.noise;
    member.training = recipe.training;
    parse_into(child(child(pointer, "members"), std::to_string(i)), json["members"][i], model_names, true, member);
    recipe.members.push_back(std::move(member));
  }
}

Json write(Recipe recipe, bool is_member) {
  Json json = Json::object();
  for (const RecipeField& field : recipe_fields()) {
    if (!why_meaningless(field, recipe.model, is_member).empty()) continue;
    (field.section.empty() ? json : json[field.section])[field.key] = get_field(field, recipe);
  }
  for (const Recipe& member : recipe.members) json["members"].push_back(write(member, true));
  return json;
}

std::string type_of(const RecipeField& field, const std::vector<std::string>& model_names) {
  Recipe defaults;
  const FieldPointer at = field.at(defaults);
  if (std::holds_alternative<bool*>(at)) return "true or false";
  if (std::holds_alternative<std::vector<std::string>*>(at)) return "list of columns";
  if (field.section.empty() && field.key == "model") return fmt::format("{}, mixture", fmt::join(model_names, ", "));
  if (!field.choices.empty()) return fmt::format("{}", fmt::join(field.choices, " | "));
  if (std::holds_alternative<std::string*>(at)) return "text";
  const char* kind = std::holds_alternative<Index*>(at) ? "integer" : "number";
  return fmt::format("{} from {:g} to {:g}", kind, field.least, field.most);
}

std::string scope_of(const RecipeField& field) {
  const auto& models = field.scope.models;
  std::string text;
  if (!models.empty())
    text = models.front() == "features"      ? " Not for exact-* models."
           : models.front() == "frequencies" ? " Not for exact-* models and linear."
                                             : fmt::format(" Only for {}.", fmt::join(models, ", "));
  if (!field.scope.in_member) text += " Not in a member.";
  if (!field.scope.in_mixture) text += " In a mixture: in its members.";
  return text;
}

}  // namespace

Recipe parse_recipe(const Json& json, const std::vector<std::string>& model_names) {
  Recipe recipe;
  parse_into("", json, model_names, false, recipe);
  return recipe;
}

Recipe read_recipe(const std::string& path, const std::vector<std::string>& model_names) {
  const Json json = parse_json(read_text_file(path), path);
  try {
    return parse_recipe(json, model_names);
  } catch (const ConfigError& error) {
    const std::string place = (error.pointer().empty() ? std::string("(root)") : error.pointer()) + ": ";
    throw ConfigError(error.pointer(), std::string(error.what()).substr(place.size()) + " [in " + path + "]");
  }
}

Json to_json(const Recipe& recipe) { return write(recipe, false); }

std::string recipe_reference(const std::vector<std::string>& model_names) {
  std::string text;
  Recipe defaults;
  for (const RecipeField& field : recipe_fields())
    text +=
        fmt::format("{}{}{}: {}; default {}\n    {}.{}\n", field.section, field.section.empty() ? "" : ".", field.key,
                    type_of(field, model_names), get_field(field, defaults).dump(), field.meaning, scope_of(field));
  text +=
      "members: list of recipes; only for mixture, and needed there\n    equal-weight members; mean, priors, evidence, "
      "precision, "
      "noise and training are the mixture's where a member says nothing.\n";
  return text;
}

}  // namespace alacarte
