#include <gtest/gtest.h>

#include "alacarte/core/error.hpp"
#include "experiment/experiment.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

TEST(OwnTable, HasTheNameOfItsFileAndTenFolds) {
  const OwnTable table = parse_own_table(Json::parse(R"({"file": "data/houses.csv.gz"})"), "/datasets/0");
  EXPECT_EQ(table.name, "houses");
  EXPECT_EQ(table.folds, 10);
  EXPECT_EQ(table.data_section, nlohmann::json::object());
  EXPECT_TRUE(data_overrides(table.data_section).empty());
}

TEST(OwnTable, ItsDataSectionIsARecipes) {
  const OwnTable table = parse_own_table(
      Json::parse(R"({"name": "h", "file": "h.csv", "data": {"target": "y", "missing": "drop"}})"), "/datasets/0");
  EXPECT_EQ(data_config(table.data_section).target, "y");
  EXPECT_EQ(data_config(table.data_section).missing, MissingCells::drop);
  EXPECT_EQ(data_overrides(table.data_section),
            (std::vector<std::string>{"/data/missing=\"drop\"", "/data/target=\"y\""}));
  EXPECT_EQ(data_config(nullptr), DataConfig());
}

TEST(OwnTable, StandsAmongNamesOfTheCatalogue) {
  const Experiment e = parse_experiment(Json::parse(
      R"({"name": "t", "datasets": ["servo", {"file": "h.csv", "mask": "m.csv"}], "recipes": [{"recipe": "gm"}]})"));
  EXPECT_EQ(e.datasets, (std::vector<std::string>{"servo", "h"}));
  ASSERT_EQ(e.tables.size(), 1u);
  EXPECT_EQ(e.tables[0].mask, "m.csv");
}

TEST(OwnTable, RefusalsNameThePlace) {
  for (const auto& [text, place] : std::vector<std::pair<std::string, std::string>>{
           {R"({"name": "h"})", "/datasets/3"},
           {R"({"file": "h.csv", "fold": 3})", "/datasets/3/fold"},
           {R"({"file": "h.csv", "folds": 1})", "/datasets/3/folds"},
           {R"({"file": "h.csv", "folds": 5, "mask": "m"})", "/datasets/3/folds"},
           {R"({"file": "h.csv", "data": {"missing": "guess"}})", "/datasets/3/data/missing: "}})
    try {
      parse_own_table(Json::parse(text), "/datasets/3");
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(place, 0), 0u) << error.what();
    }
}

}  // namespace
}  // namespace alacarte
