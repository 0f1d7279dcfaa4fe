#include "experiment/experiment.hpp"

#include "alacarte/model/registered.hpp"
#include "baselines.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Json described(Json schema, const char* meaning) {
  schema["description"] = meaning;
  return schema;
}

Json text(const char* meaning) { return described({{"type", "string"}, {"minLength", 1}}, meaning); }

Json integer(double minimum, double maximum, const char* meaning) {
  return described({{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}}, meaning);
}

Json limit(const char* meaning) {
  return described({{"type", {"number", "null"}}, {"minimum", 0}, {"maximum", 1e9}}, meaning);
}

Json numbers() {
  return {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", {{"type", "integer"}, {"minimum", 0}}}};
}

/// Returns the schema of an object whose keys are groups of data sets and names of the experiment's.
Json by_datasets(Json value) { return {{"type", "object"}, {"additionalProperties", std::move(value)}}; }

Json overrides(const char* meaning) {
  return described(by_datasets({{"type", "object"}, {"propertyNames", {{"pattern", "^/"}}}}), meaning);
}

Json object(Json properties, Json required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(properties)},
          {"required", std::move(required)}};
}

Json table_schema() {
  Json properties = {{"file", text("table: beside the experiment, or where --data would find it")},
                     {"name", text("what the report calls it; default: the file's name")},
                     {"folds", integer(2, 1e6, "size of the random partition; default: 10")},
                     {"mask", text("CSV of 0/1 in place of folds, a column for each fold")},
                     {"data", recipe_schema(model_infos())["properties"]["data"]}};
  Json schema = object(std::move(properties), {"file"});
  schema["not"] = {{"required", {"folds", "mask"}}};
  return schema;
}

Json method_schema() {
  Json schema = object({{"label", text("heading in the tables")},
                        {"recipe", text("a name, or a file beside the experiment")},
                        {"baseline", {{"enum", baseline_names()}}},
                        {"overrides", overrides("by group of data sets or name of one: JSON pointers into the recipe "
                                                "and their values")}},
                       Json::array());
  schema["oneOf"] = {{{"required", {"recipe"}}}, {{"required", {"baseline"}}}};
  return schema;
}

}  // namespace

Json experiment_schema() {
  const Json dataset = {{"anyOf", {text("a name of the catalogue"), table_schema()}}};
  Json schema = object(
      {{"name", text("of the experiment")},
       {"description", text("for the report")},
       {"paper", text("CSV with published numbers, beside the experiment")},
       {"datasets", {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", dataset}}},
       {"recipes", {{"type", "array"}, {"minItems", 1}, {"items", method_schema()}}},
       {"overrides", overrides("of every recipe, before its own")},
       {"folds", described({{"anyOf", {numbers(), by_datasets(numbers())}}},
                           "which folds, from 0, or by group of data sets or name of one; default: all")},
       {"seeds", described(numbers(), "of folds and fits; default: 0")},
       {"train_rows", integer(2, 9007199254740992.0, "most training rows of a fold; default: all")},
       {"class_numbers", described({{"type", "boolean"}}, "data sets of classes too, by the number of the class")},
       {"threads", integer(1, 1024, "of one run; default: 1")},
       {"seconds", limit("limit of one run")},
       {"memory_mb", limit("limit of one run")},
       {"trainers", described({{"type", "array"}, {"items", {{"type", "string"}}}},
                              "versions of other trainers whose results count")}},
      {"name", "datasets", "recipes"});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "Experiment of alacarte";
  return schema;
}

}  // namespace alacarte
