#include "alacarte/io/recipe_io.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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
  if (!(value >= field.minimum && value <= field.maximum))
    throw ConfigError(
        pointer, fmt::format("must be from {:.12g} to {:.12g}, not {}", field.minimum, field.maximum, json.dump()));
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

std::vector<double> numbers_of(const std::string& pointer, const Json& json, const RecipeField& field) {
  if (!json.is_array()) wrong_type(pointer, "an array of numbers", json);
  std::vector<double> list;
  for (std::size_t i = 0; i < json.size(); ++i)
    list.push_back(number_of(child(pointer, std::to_string(i)), json[i], field));
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
    void operator()(std::vector<double>* at) const { *at = numbers_of(pointer, json, field); }
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

}  // namespace

Json field_value(const RecipeField& field, Recipe& recipe) {
  struct Getter {
    Json operator()(Index* at) const { return *at; }
    Json operator()(double* at) const { return *at; }
    Json operator()(bool* at) const { return *at; }
    Json operator()(std::string* at) const { return *at; }
    Json operator()(std::vector<std::string>* at) const { return *at; }
    Json operator()(std::vector<double>* at) const { return *at; }
    Json operator()(Scaling* at) const { return kScalingNames.at(static_cast<std::size_t>(*at)); }
    Json operator()(MeanKind* at) const { return kMeanNames.at(static_cast<std::size_t>(*at)); }
    Json operator()(Precision* at) const { return kPrecisionNames.at(static_cast<std::size_t>(*at)); }
    Json operator()(EvidenceForm* at) const { return kEvidenceNames.at(static_cast<std::size_t>(*at)); }
  };
  return std::visit(Getter{}, field.at(recipe));
}

namespace {

/// State of the parser: the part of a recipe, and the ModelInfo of its model (nullptr for a mixture).
struct Reading {
  const std::vector<ModelInfo>& models;
  RecipePart part;
  const ModelInfo* info = nullptr;
};

/// Keys of one section that this recipe may give; sections of the recipe itself count as keys of section "".
std::vector<std::string> allowed_keys(const std::string& section, const Reading& reading) {
  std::vector<std::string> keys;
  for (const RecipeField& field : recipe_fields()) {
    if (!inapplicable_reason(field, reading.info, reading.part).empty()) continue;
    const std::string& key = section.empty() && !field.section.empty() ? field.section : field.key;
    if (section.empty() || field.section == section)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  if (section.empty() && reading.info == nullptr) keys.push_back("members");  // "auto" says that it has none
  if (section.empty() && reading.info != nullptr && reading.info->uses("terms")) keys.push_back("terms");
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

void parse_section(const std::string& pointer, const Json& json, const std::string& section, const Reading& reading,
                   Recipe& recipe) {
  if (!json.is_object()) wrong_type(pointer, "an object", json);
  for (const auto& [key, value] : json.items()) {
    const std::string here = child(pointer, key);
    if (section.empty() && (is_section(key) || key == "members" || key == "terms")) continue;
    const RecipeField* field = find_field(section, key);
    const auto keys = allowed_keys(section, reading);
    if (field == nullptr)
      throw ConfigError(here, fmt::format("unknown key{}; allowed: {}", did_you_mean(key, keys),
                                          keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
    const std::string why = inapplicable_reason(*field, reading.info, reading.part);
    if (!why.empty()) throw ConfigError(here, why);
    set_field(here, value, *field, recipe);
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

/// The array of recipes below `key`, which `needed` models must have and others must not.
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
  parse_section(pointer, json, "", reading, recipe);
  for (const auto& [key, value] : json.items())
    if (is_section(key)) parse_section(child(pointer, key), value, key, reading, recipe);
  const auto parse_part = [&](const char* key, std::size_t i, RecipePart part, Recipe& into) {
    parse_into(child(child(pointer, key), std::to_string(i)), json[key][i], {reading.models, part}, into);
  };
  for (std::size_t i = 0; i < members; ++i) {
    Recipe member = silent_member(recipe);
    parse_part("members", i, RecipePart::member, member);
    recipe.members.push_back(std::move(member));
  }
  for (std::size_t i = 0; i < terms; ++i) parse_part("terms", i, RecipePart::term, recipe.terms.emplace_back());
}

Json write(Recipe recipe, const Reading& reading) {
  Json json = Json::object();
  for (const RecipeField& field : recipe_fields()) {
    if (!inapplicable_reason(field, reading.info, reading.part).empty()) continue;
    (field.section.empty() ? json : json[field.section])[field.key] = field_value(field, recipe);
  }
  const auto add = [&](const char* key, const Recipe& part, RecipePart kind) {
    json[key].push_back(write(part, {reading.models, kind, find_model_info(reading.models, part.model)}));
  };
  for (const Recipe& member : recipe.members) add("members", member, RecipePart::member);
  for (const Recipe& term : recipe.terms) add("terms", term, RecipePart::term);
  return json;
}

}  // namespace

Recipe silent_member(const Recipe& mixture) {
  Recipe member;
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
    const std::string place = (error.pointer().empty() ? std::string("(root)") : error.pointer()) + ": ";
    throw ConfigError(error.pointer(), std::string(error.what()).substr(place.size()) + " [in " + path + "]");
  }
}

Json to_json(const Recipe& recipe, const std::vector<ModelInfo>& models) {
  return write(recipe, {models, RecipePart::whole, find_model_info(models, recipe.model)});
}

}  // namespace alacarte
