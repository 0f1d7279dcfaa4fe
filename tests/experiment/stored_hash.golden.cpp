// Shipped results of earlier programs must keep their hashes although recipes have gained keys.
#include <gtest/gtest.h>

#include <fstream>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "experiment/experiment.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Run run_of(const Json& stored, const Json& shared) {
  const auto at = [&](const char* what) { return shared.at(what).at(stored.at(what).get<std::size_t>()); };
  Run run;
  run.data_sha256 = at("data").at("data_sha256");
  run.mask_sha256 = at("data").at("mask_sha256");
  run.fold = stored.at("unit").at("fold");
  run.seed = stored.at("unit").at("seed");
  run.threads = at("machine").at("threads");
  run.recipe = to_json(parse_recipe(at("recipe"), model_infos()), model_infos());
  return run;
}

TEST(StoredResults, RecipesReadAndWrittenAgainKeepTheirHashes) {
  for (const std::string name : {"paper", "defaults"}) {
    std::ifstream file(ALACARTE_SOURCE_DIR "/experiments/table1-small/" + name + ".results.json");
    const Json document = Json::parse(file);
    int checked = 0;
    for (const Json& stored : document.at("units")) {
      if (stored.at("status") != "done" || !stored.at("recipe").is_number() ||
          document.at("shared").at("recipe").at(stored.at("recipe").get<std::size_t>()).is_null())
        continue;
      const std::string trainer = stored.value("trainer", "1");
      EXPECT_EQ(run_of(stored, document.at("shared")).hash(trainer), stored.at("hash")) << stored.at("unit");
      ++checked;
    }
    EXPECT_GT(checked, 300) << name;
  }
}

}  // namespace
}  // namespace alacarte
