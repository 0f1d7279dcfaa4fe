#include "alacarte/io/recipe_io.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/model/registered.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

// The shipped models, and one with terms.
const std::vector<ModelInfo> kModels = [] {
  std::vector<ModelInfo> infos = model_infos();
  ModelInfo sum;
  sum.name = "sum-under-test";
  sum.keys = {"terms"};
  infos.push_back(sum);
  return infos;
}();

Recipe parse(const std::string& text) { return parse_recipe(parse_json(text, "recipe"), kModels); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RecipeIo, EmptyDocumentIsTheDefault) { EXPECT_EQ(parse("{}"), Recipe{}); }

// A schema has an object per input; a hundred times the inputs must not cost ten thousand times as much.
TEST(Json, TimeIsLinearInTheObjectsOfAList) {
  const auto seconds = [](int count) {
    std::string text = "[{\"a\": 1}";
    for (int i = 1; i < count; ++i) text += ",{\"a\": 1}";
    const std::clock_t began = std::clock();
    EXPECT_EQ(parse_json(text + "]", "list").size(), static_cast<std::size_t>(count));
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(100000), 40 * (seconds(10000) + 0.001));
}

TEST(RecipeIo, ReadsEveryKind) {
  const Recipe r = parse(R"({"model": "pwl", "data": {"target": -1, "inputs": ["a", 2]}, "scale": {"inputs": "range"},
      "mean": "zero", "priors": false, "evidence": "dual", "precision": "mixed", "features": {"frequencies": 64, "knots": 5},
      "noise": {"floor": 0.01}, "training": {"starts": 2, "seconds": 1.5}, "copies": 3, "flops": 1e12})");
  EXPECT_EQ(r.data.target, "-1");
  EXPECT_EQ(r.data.inputs, (std::vector<std::string>{"a", "2"}));
  EXPECT_EQ(r.scale_inputs, Scaling::range);
  EXPECT_EQ(r.scale_target, TargetScaling::zscore);
  EXPECT_EQ(r.mean, MeanKind::zero);
  EXPECT_FALSE(r.priors);
  EXPECT_EQ(r.evidence, EvidenceForm::dual);
  EXPECT_EQ(r.precision, Precision::mixed);
  EXPECT_EQ(r.features.frequencies, 64);
  EXPECT_EQ(r.features.knots, 5);
  EXPECT_EQ(r.noise.floor, 0.01);
  EXPECT_EQ(r.training.starts, 2);
  EXPECT_EQ(r.copies, 3);
  EXPECT_EQ(r.flops, 1e12);
  EXPECT_EQ(parse_recipe(to_json(r, kModels), kModels), r);
}

TEST(RecipeIo, MembersInheritWhatTheMixtureSays) {
  const Recipe r = parse(R"({"model": "mixture", "priors": false, "training": {"starts": 2, "seconds": 9},
      "members": [{"model": "ard", "copies": 2}, {"model": "exact-ard", "training": {"starts": 7}}]})");
  ASSERT_EQ(r.members.size(), 2u);
  EXPECT_FALSE(r.members[0].priors);
  EXPECT_EQ(r.members[0].training.starts, 2);
  EXPECT_EQ(r.members[0].copies, 2);
  EXPECT_EQ(r.members[1].training.starts, 7);
  EXPECT_EQ(r.members[1].training.seconds, 9);
  EXPECT_EQ(parse_recipe(to_json(r, kModels), kModels), r);
}

TEST(RecipeIo, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error_of(R"({"features": {"frequences": 3}})"),
            "/features/frequences: unknown key (did you mean 'frequencies'?); allowed: draws, phase, normalized, "
            "frequencies");
  EXPECT_EQ(error_of(R"({"kernel": {"nu": 1.5}})"), "/kernel/nu: means nothing for model 'ard'");
  EXPECT_EQ(error_of(R"({"model": "rbf", "features": {"components": 3}})"),
            "/features/components: means nothing for model 'rbf'");
  EXPECT_EQ(error_of(R"({"model": "gm", "features": {"knots": 3}})"), "/features/knots: means nothing for model 'gm'");
  EXPECT_EQ(error_of(R"({"model": "linear", "features": {"frequencies": 8}})"),
            "/features/frequencies: means nothing for model 'linear'");
  EXPECT_EQ(error_of(R"({"model": "exact-rbf", "kernel": {"nu": 1.5}})"),
            "/kernel/nu: means nothing for model 'exact-rbf'");
  EXPECT_EQ(error_of(R"({"model": "exact-rbf", "evidence": "dual"})"),
            "/evidence: means nothing for model 'exact-rbf'");
  EXPECT_EQ(error_of(R"({"model": "exact-matern", "kernel": {"nu": 2}})"),
            "no error");  // exact kernels report the supported nu themselves
  EXPECT_EQ(error_of(R"({"priors": 1})"), "/priors: must be true or false, not number");
  EXPECT_EQ(error_of(R"({"training": {"starts": 2.0}})"), "/training/starts: must be an integer, not number");
  EXPECT_EQ(error_of(R"({"training": {"starts": 0}})"), "/training/starts: must be from 1 to 10000, not 0");
  EXPECT_EQ(error_of(R"({"training": {"starts": 18446744073709551615}})"),
            "/training/starts: must be from 1 to 10000, not 18446744073709551615");
  EXPECT_EQ(error_of(R"({"noise": {"floor": "small"}})"), "/noise/floor: must be a number, not string");
  EXPECT_EQ(error_of(R"({"mean": "constnat"})"),
            "/mean: must be one of zero, constant, not 'constnat' (did you mean 'constant'?)");
  EXPECT_EQ(error_of(R"({"data": {"inputs": ["a", null]}})"), "/data/inputs/1: must be a string, not null");
  EXPECT_EQ(error_of(R"({"data": {"inputs": "a"}})"), "/data/inputs: must be an array of strings, not string");
  EXPECT_EQ(error_of(R"({"data": []})"), "/data: must be an object, not array");
  EXPECT_EQ(error_of("[1]"), "(root): must be an object, not array");
  EXPECT_EQ(error_of(R"({"a/b~c": 1})").substr(0, 23), "/a~1b~0c: unknown key; ");
}

TEST(RecipeIo, MixtureErrors) {
  EXPECT_EQ(error_of(R"({"model": "mixture"})"), "/members: model 'mixture' needs members");
  EXPECT_EQ(error_of(R"({"model": "mixture", "members": []})"), "/members: must be an array of at least one recipe");
  EXPECT_EQ(error_of(R"({"model": "gm", "members": [{}]})"), "/members: model 'gm' has no members");
  EXPECT_EQ(error_of(R"({"model": "mixture", "members": [{"copies": 2}]})"), "/members/0: a member needs a \"model\"");
  EXPECT_EQ(error_of(R"({"model": "mixture", "members": [{"model": "gm", "data": {"key": "a"}}]})"),
            "/members/0/data/key: belongs to the whole recipe, not to a member");
  EXPECT_EQ(error_of(R"({"model": "mixture", "members": [{"model": "gm", "flops": 1}]})"),
            "/members/0/flops: belongs to the whole recipe, not to a member");
  EXPECT_EQ(error_of(R"({"model": "mixture", "features": {"frequencies": 1}, "members": [{"model": "gm"}]})"),
            "/features/frequencies: belongs to the members of a mixture, not to the mixture");
  EXPECT_EQ(error_of(R"({"model": "mixture", "members": [{"model": "mixture", "members": []}]})").substr(0, 35),
            "/members/0/model: must be one of rb");
}

TEST(RecipeIo, TermsAreRecipesOfAFunctionAlone) {
  const Recipe r = parse(R"({"model": "sum-under-test", "terms": [{"model": "linear"},
      {"model": "gm", "features": {"components": 2}},
      {"model": "sum-under-test", "terms": [{"model": "exact-matern", "kernel": {"nu": 0.5}}]}]})");
  ASSERT_EQ(r.terms.size(), 3U);
  EXPECT_EQ(r.terms[1].features.components, 2);
  EXPECT_EQ(r.terms[2].terms.at(0).kernel.nu, 0.5);
  EXPECT_EQ(parse_recipe(to_json(r, kModels), kModels), r);
  EXPECT_EQ(error_of(R"({"terms": [{"model": "linear"}]})"), "/terms: model 'ard' has no terms");
  EXPECT_EQ(error_of(R"({"model": "sum-under-test"})"), "/terms: model 'sum-under-test' needs terms");
  EXPECT_EQ(error_of(R"({"model": "sum-under-test", "terms": []})"), "/terms: must be an array of at least one recipe");
  EXPECT_EQ(error_of(R"({"model": "sum-under-test", "terms": [{}]})"), "/terms/0: a term needs a \"model\"");
  EXPECT_EQ(error_of(R"({"model": "sum-under-test", "terms": [{"model": "linear", "priors": true}]})"),
            "/terms/0/priors: belongs to the whole recipe, not to a term");
  EXPECT_EQ(error_of(R"({"model": "sum-under-test", "terms": [{"model": "rbf", "features": {"knots": 2}}]})"),
            "/terms/0/features/knots: means nothing for model 'rbf'");
  EXPECT_EQ(error_of(R"({"model": "mixture", "members": [{"model": "gm"}], "terms": []})"),
            "/terms: model 'mixture' has no terms");
}

TEST(RecipeIo, KeysThatAModelDoesNotUseAreRefusedWithoutAParserToo) {
  const auto why = [](const Recipe& recipe) -> std::string {
    try {
      refuse_unused_keys(recipe, kModels);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  Recipe recipe;
  EXPECT_EQ(why(recipe), "");
  recipe.features.frequencies = 7;
  EXPECT_EQ(why(recipe), "");
  recipe.features.knots = 7;
  EXPECT_EQ(why(recipe), "/features/knots: means nothing for model 'ard'");
  recipe = {};
  recipe.model = "arf";
  EXPECT_EQ(why(recipe), "/model: there is no model 'arf'");
  recipe.model = "sum-under-test";
  recipe.terms.emplace_back().kernel.quantiles = {1, 2};
  EXPECT_EQ(why(recipe), "/terms/0/kernel/quantiles: means nothing for model 'ard'");
  recipe.model = "gm";
  EXPECT_EQ(why(recipe), "/terms: means nothing for model 'gm'");
}

TEST(RecipeIo, ListsOfNumbers) {
  ModelInfo listed;
  listed.name = "listed";
  listed.keys = {"kernel.quantiles"};
  const auto read = [&](const char* text) { return parse_recipe(parse_json(text, "recipe"), {listed}); };
  const Recipe r = read(R"({"model": "listed", "kernel": {"quantiles": [0, 1.5, 2]}})");
  EXPECT_EQ(r.kernel.quantiles, (std::vector<double>{0, 1.5, 2}));
  EXPECT_EQ(parse_recipe(to_json(r, {listed}), {listed}), r);
  EXPECT_THROW(read(R"({"model": "listed", "kernel": {"quantiles": 1}})"), ConfigError);
  EXPECT_THROW(read(R"({"model": "listed", "kernel": {"quantiles": [1, "2"]}})"), ConfigError);
  EXPECT_THROW(read(R"({"model": "listed", "kernel": {"quantiles": [-1]}})"), ConfigError);
}

TEST(RecipeIo, SyntaxErrors) {
  EXPECT_EQ(error_of("{\n  \"model\": ard\n}").substr(0, 39), "recipe: line 2, column 12: syntax error");
  EXPECT_EQ(error_of("").substr(0, 38), "recipe: line 1, column 1: syntax error");
  EXPECT_EQ(error_of(R"({"priors": true, "priors": false})"), "recipe: /priors: the key is given twice");
  EXPECT_EQ(error_of(R"({"members": [{}, {"noise": {"floor": 1, "floor": 1}}]})"),
            "recipe: /members/1/noise/floor: the key is given twice");
  EXPECT_EQ(error_of("{\n \"flops\": 1e999}"),
            "recipe: line 2, column 11: the number 1e999 is beyond the range of a double");
  EXPECT_NE(error_of("{\"flops\": NaN}").find("syntax error"), std::string::npos);
  EXPECT_NE(error_of("{\"model\": \"\xff\"}").find("invalid string"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '[')).find("nested deeper than 64 levels"), std::string::npos);
}

TEST(RecipeIo, FilesNameThemselves) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "recipe.json";
  std::ofstream(path) << R"({"model": "arf"})";
  std::vector<std::string> names;
  for (const ModelInfo& info : kModels) names.push_back(info.name);
  try {
    read_recipe(path.string(), kModels);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.pointer(), "/model");
    EXPECT_EQ(std::string(error.what()),
              fmt::format("/model: must be one of {}, auto, mixture, not 'arf' (did you mean 'ard'?) [in {}]",
                          fmt::join(names, ", "), path.string()));
  }
  std::ofstream(path).close();
  EXPECT_THROW(read_recipe(path.string(), kModels), ConfigError);
  std::filesystem::remove(path);
  EXPECT_THROW(read_recipe(path.string(), kModels), IoError);
  EXPECT_THROW(read_recipe(path.parent_path().string(), kModels), IoError);
}

TEST(RecipeIo, EveryShippedRecipeIsGood) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ALACARTE_SOURCE_DIR "/configs/recipes")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const Recipe recipe = read_recipe(entry.path().string(), kModels);
    EXPECT_FALSE(recipe.description.empty());
    EXPECT_EQ(parse_recipe(to_json(recipe, kModels), kModels), recipe);
    const std::string stem = entry.path().stem().string();
    const bool sum = stem == "linear-gm" || stem == "periodic-pwl";
    const bool other =
        recipe.likelihood != "gaussian" || recipe.learner.kind != LearnerKind::gp || recipe.trees == TreeInputs::alone;
    EXPECT_EQ(recipe.model, stem == "ard-pwl-gm" ? "mixture" : sum ? "sum" : other ? recipe.model : stem);
    ++count;
  }
  EXPECT_GE(count, 26);
}

TEST(RecipeIo, ReferenceNamesEveryKey) {
  const std::string text = recipe_reference(kModels);
  for (const std::string model : {"ard", "gm", "pwl", "ssgpr", "exact-matern"}) {
    Recipe recipe;
    recipe.model = model;
    const nlohmann::json flat = to_json(recipe, kModels).flatten();
    for (const auto& [pointer, value] : flat.items()) {
      std::string key = pointer.substr(1);
      std::replace(key.begin(), key.end(), '/', '.');
      EXPECT_NE(text.find(key + ": "), std::string::npos) << key;
    }
  }
}

}  // namespace
}  // namespace alacarte
