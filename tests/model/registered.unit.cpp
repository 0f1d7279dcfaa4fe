#include "alacarte/model/registered.hpp"

#include <gtest/gtest.h>

#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "support/card_recipe.hpp"

namespace alacarte {
namespace {

TEST(ModelCards, SayEverything) {
  std::set<std::string> names;
  for (const ModelCard& card : model_cards()) {
    SCOPED_TRACE(card.name);
    EXPECT_TRUE(names.insert(card.name).second);
    for (const std::string* text : {&card.description, &card.formula, &card.cost, &card.reference, &card.accuracy})
      EXPECT_FALSE(text->empty());
    EXPECT_EQ(card.description.back(), '.');
    EXPECT_EQ(card.exact, find_kernel(card.name) != nullptr);
    EXPECT_EQ(!card.exact, find_feature_map(card.name) != nullptr);
  }
}

// A key of a card is one that a recipe of the model may give, and every key of those sections is on the card.
TEST(ModelCards, KeysAreThoseOfTheirRecipes) {
  for (const ModelCard& card : model_cards()) {
    SCOPED_TRACE(card.name);
    const Recipe recipe = parse_recipe(parse_json(card.recipe, "recipe"), model_cards());
    EXPECT_EQ(recipe.model, card.name);
    const nlohmann::json written = to_json(recipe, model_cards());
    std::set<std::string> keys;
    for (const char* section : {"features", "kernel"})
      if (written.contains(section))
        for (const auto& [key, value] : written[section].items()) keys.insert(std::string(section) + "." + key);
    if (written.contains("terms")) keys.insert("terms");
    EXPECT_EQ(keys, std::set<std::string>(card.keys.begin(), card.keys.end()));
  }
}

TEST(ModelCards, MakeAndLoadGoByName) {
  Recipe recipe;
  recipe.model = "no such model";
  EXPECT_THROW(make_function(recipe, 2, RandomStreams(1), {}), ConfigError);
  EXPECT_THROW(load_function(recipe, 2, {}, ""), IoError);
  recipe.model = "mixture";
  EXPECT_THROW(make_function(recipe, 2, RandomStreams(1), {}), ConfigError);
  EXPECT_NE(make_function(card_recipe("exact-ard", 8), 2, RandomStreams(1), {}).kernel, nullptr);
  EXPECT_NE(make_function(card_recipe("ard", 8), 2, RandomStreams(1), {}).map, nullptr);
  EXPECT_NE(load_function(card_recipe("linear", 8), 2, {}, "").map, nullptr);
}

}  // namespace
}  // namespace alacarte
