#include "alacarte/model/registered.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "core/text_file.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

TEST(ModelInfos, SayEverything) {
  std::set<std::string> names;
  for (const ModelInfo& info : model_infos()) {
    SCOPED_TRACE(info.name);
    EXPECT_TRUE(names.insert(info.name).second);
    for (const std::string* text : {&info.description, &info.formula, &info.cost, &info.reference, &info.accuracy})
      EXPECT_FALSE(text->empty());
    EXPECT_EQ(info.description.back(), '.');
    EXPECT_EQ(info.exact, find_kernel(info.name) != nullptr);
    EXPECT_EQ(!info.exact, find_feature_map(info.name) != nullptr);
  }
}

// ModelInfo::keys lists exactly the model's keys in these sections, besides those of all models.
TEST(ModelInfos, KeysAreThoseOfTheirRecipes) {
  for (const ModelInfo& info : model_infos()) {
    SCOPED_TRACE(info.name);
    const Recipe recipe = parse_recipe(parse_json(info.recipe, "recipe"), model_infos());
    EXPECT_EQ(recipe.model, info.name);
    const nlohmann::json written = to_json(recipe, model_infos());
    std::set<std::string> keys;
    for (const char* section : {"features", "kernel", "network"})
      if (written.contains(section))
        for (const auto& [key, value] : written[section].items()) keys.insert(std::string(section) + "." + key);
    if (written.contains("terms")) keys.insert("terms");
    for (const char* of_all : {"kernel.lengthscale", "kernel.trained"}) keys.erase(of_all);
    EXPECT_EQ(keys, std::set<std::string>(info.keys.begin(), info.keys.end()));
  }
}

// The override that README gives for every feature map: --set '/likelihood="softmax"'.
TEST(ShippedRecipes, OfFeatureMapsLearnClassesWithOneKey) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ALACARTE_SOURCE_DIR "/configs/recipes")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const std::string path = entry.path().string();
    nlohmann::json document = parse_json(read_text_file(path), path);
    const Recipe recipe = parse_registered_recipe(document);
    if (find_kernel(recipe.model) != nullptr || recipe.learner.kind != LearnerKind::gp) continue;
    document["likelihood"] = "softmax";
    EXPECT_TRUE(parse_registered_recipe(document).data.labels);
    ++count;
  }
  EXPECT_GE(count, 20);
}

TEST(ModelInfos, MakeAndLoadGoByName) {
  Recipe recipe;
  recipe.model = "no such model";
  EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError);
  EXPECT_THROW(load_prior(recipe, 2, {}, {}, ""), IoError);
  recipe.model = "mixture";
  EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError);
  EXPECT_NE(make_prior(example_recipe("exact-ard", 8), 2, RandomStreams(1), {}).kernel(), nullptr);
  EXPECT_NE(make_prior(example_recipe("ard", 8), 2, RandomStreams(1), {}).map(), nullptr);
  EXPECT_NE(load_prior(example_recipe("linear", 8), 2, {}, {}, "").map(), nullptr);
}

}  // namespace
}  // namespace alacarte
