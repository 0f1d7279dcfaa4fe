#include "experiment/stored.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "experiment/result_document.hpp"
#include "experiment/results.hpp"
#include "experiment/runner.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::failed_document;
using test::result_document;

class Stored : public testing::Test {
 protected:
  void SetUp() override {
    for (int fold = 0; fold < 3; ++fold) {
      Json document = result_document("servo", "GM", fold, 0.123456789, 1.0 / 3);
      document["recipe"] = {{"model", "gm"}};
      write("servo.GM.f" + std::to_string(fold), document);
    }
    write("servo.GM.f3", failed_document("servo", "GM", 3, "too slow"));
    folder_.write("run/experiment.json", R"({"name": "toy", "datasets": ["servo"], "recipes": [{"recipe": "gm"}]})");
    std::ostringstream text;
    store_results(folder_ / "run", text);
    text_ = text.str();
    path_ = folder_.write("stored.json", text_);
  }

  void write(const std::string& name, const Json& document) const {
    folder_.write("run/results/" + name + ".json", document.dump());
  }

  std::string refusal(const std::string& pointer, const Json& value) const {
    Json json = Json::parse(text_);
    json[Json::json_pointer(pointer)] = value;
    try {
      read_stored(folder_.write("changed.json", json.dump()));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }

  test::TemporaryFolder folder_;
  std::string text_, path_;
};

TEST_F(Stored, ReportsTheSameNumbers) {
  const ResultSet folder = read_results(folder_ / "run"), stored = read_results(path_);
  EXPECT_EQ(stored.name, "toy");
  ASSERT_EQ(stored.runs.size(), 4u);
  EXPECT_TRUE(stored.broken.empty());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(stored.runs[i].values.at(Measure::rmse), folder.runs[i].values.at(Measure::rmse), 1e-6);
    EXPECT_EQ(stored.runs[i].coverage, folder.runs[i].coverage);
    EXPECT_EQ(stored.runs[i].hash, folder.runs[i].hash);
    EXPECT_EQ(stored.runs[i].program, folder.runs[i].program);
    EXPECT_EQ(stored.runs[i].rows, 167);
    // Fits are kept for the first fold only.
    EXPECT_EQ(stored.runs[i].fits.size(), i == 0 ? 1u : 0u);
    EXPECT_EQ(stored.runs[i].mean.size(), i == 0 ? 3u : 0u);
  }
  EXPECT_FALSE(stored.runs[3].done);
  EXPECT_EQ(stored.runs[3].reason, "too slow");
}

TEST_F(Stored, WhatRepeatsIsThereOnce) {
  const Json json = Json::parse(text_);
  EXPECT_EQ(json["shared"]["recipe"], Json::parse(R"([{"model": "gm"}])"));
  EXPECT_EQ(json["shared"]["program"].size(), 1u);
  EXPECT_EQ(json["units"][1]["recipe"], 0);
  EXPECT_EQ(read_stored(path_).runs[1]["recipe"]["model"], "gm");
  EXPECT_EQ(read_stored(path_).runs[1]["test"]["rmse"], 0.123457);
}

TEST_F(Stored, RefusesWhatItDidNotWrite) {
  EXPECT_NE(refusal("/format", 2).find("/format"), std::string::npos);
  EXPECT_NE(refusal("/unit", 2).find("unknown key"), std::string::npos);
  EXPECT_NE(refusal("/units/1/recipe", 7).find("/units/1/recipe: is no index into /shared/recipe"), std::string::npos);
  EXPECT_NE(refusal("/units/1", 7).find("/units/1: must be an object"), std::string::npos);
  EXPECT_NE(refusal("/shared", 7).find("/shared"), std::string::npos);
  std::ostringstream nothing;
  EXPECT_THROW(store_results(folder_ / "empty", nothing), IoError);
}

TEST_F(Stored, AMalformedUnitIsNamedBeforeAnythingIsTakenOver) {
  Json json = Json::parse(text_);
  json["units"][1]["test"]["rmse"] = "low";
  const std::string path = folder_.write("changed.json", json.dump());
  try {
    restore_results(path, {}, folder_ / "new");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).rfind(path + ", unit 1: /test/rmse", 0), 0u) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(Stored, AnotherTrainersResultsAreTakenOnlyWhereTheExperimentNamesIt) {
  std::vector<alacarte::Run> runs(2);
  Json json = Json::parse(text_);
  for (const std::size_t fold : {0, 1}) {
    runs[fold].dataset = "servo";
    runs[fold].label = "GM";
    runs[fold].recipe = {{"model", "gm"}};
    runs[fold].fold = static_cast<Index>(fold);
    runs[fold].id = "servo.GM.f" + std::to_string(fold);
    json["units"][fold]["hash"] = fold == 0 ? runs[fold].hash() : runs[fold].hash("another");
  }
  json["units"][1]["trainer"] = "another";
  const std::string path = folder_.write("trainers.json", json.dump()), out = folder_ / "out";
  using Counts = std::map<std::string, std::size_t>;
  EXPECT_EQ(find_results(path, runs, out).taken, std::set<std::string>{"servo.GM.f0"});
  EXPECT_FALSE(std::filesystem::exists(out));
  const RestoredResults strict = restore_results(path, runs, out);
  EXPECT_EQ(strict.taken, std::set<std::string>{"servo.GM.f0"});
  EXPECT_EQ(strict.by_other, Counts());
  EXPECT_EQ(strict.refused, (Counts{{"another", 1}}));
  EXPECT_EQ(result_status(out, runs[0]), "done");
  EXPECT_EQ(result_status(out, runs[1]), "");
  runs[1].other_trainers = {"another"};
  const RestoredResults lenient = restore_results(path, runs, out);
  EXPECT_EQ(lenient.taken, std::set<std::string>{"servo.GM.f1"}) << "the other is there";
  EXPECT_EQ(lenient.by_other, (Counts{{"another", 1}}));
  EXPECT_EQ(lenient.refused, Counts());
  EXPECT_EQ(result_status(out, runs[1]), "done");
  EXPECT_NE(read_results(path).runs[1].program.find("trainer another"), std::string::npos);
}

TEST_F(Stored, TakesThePlaceOfAFailure) {
  alacarte::Run run;
  run.dataset = "servo";
  run.label = "GM";
  run.recipe = {{"model", "gm"}};
  run.id = "servo.GM.f0";
  Json json = Json::parse(text_);
  json["units"][0]["hash"] = run.hash();
  const std::string path = folder_.write("one.json", json.dump()), out = folder_ / "out";
  Json failure = failed_document("servo", "GM", 0, "too slow");
  failure["hash"] = run.hash();
  folder_.write("out/results/servo.GM.f0.json", failure.dump());
  EXPECT_EQ(result_status(out, run), "failed");
  EXPECT_EQ(restore_results(path, {run}, out).taken, std::set<std::string>{"servo.GM.f0"});
  EXPECT_EQ(result_status(out, run), "done");
  EXPECT_TRUE(restore_results(path, {run}, out).taken.empty());
}

TEST_F(Stored, ResultsOfOtherSettingsAreNotMixed) {
  using Time = std::filesystem::file_time_type;
  const auto at = [&](int fold, int seconds) {
    const std::string file = folder_ / ("run/results/servo.GM.f" + std::to_string(fold) + ".json");
    std::filesystem::last_write_time(file, Time::clock::now() + std::chrono::seconds(seconds));
  };
  Json changed = result_document("servo", "GM", 0, 9, 9);
  changed["recipe"] = {{"model", "gm"}, {"copies", 7}};
  write("servo.GM.f0", changed);
  for (int fold = 0; fold < 3; ++fold) at(fold, fold == 0 ? 10 : -10);
  ResultSet results = read_results(folder_ / "run");
  ASSERT_EQ(results.runs.size(), 2u) << "the newest, and the failure";
  EXPECT_EQ(results.runs[0].values.at(Measure::rmse), 9);
  ASSERT_EQ(results.broken.size(), 2u);
  EXPECT_EQ(results.broken[0].file, "servo.GM.f1.json");
  EXPECT_NE(results.broken[0].reason.find("servo.GM.f0.json, which is newer"), std::string::npos);
  std::ostringstream text;
  store_results(folder_ / "run", text);
  EXPECT_EQ(Json::parse(text.str())["units"].size(), 2u);
  at(0, -20);
  results = read_results(folder_ / "run");
  EXPECT_EQ(results.broken.size(), 1u);
  // A later key at its default does not change the recipe; nor does a description.
  changed["recipe"] = {{"model", "gm"}, {"description", "the same"}, {"precision", "double"}};
  write("servo.GM.f0", changed);
  EXPECT_TRUE(read_results(folder_ / "run").broken.empty());
  // The number of folds, which older results lack, counts if both have it.
  changed["data"]["folds"] = 3;
  write("servo.GM.f0", changed);
  at(0, 10);
  EXPECT_TRUE(read_results(folder_ / "run").broken.empty());
  Json other = result_document("servo", "GM", 1, 1, 1);
  other["recipe"] = {{"model", "gm"}};
  other["data"]["folds"] = 6;
  write("servo.GM.f1", other);
  at(1, -10);
  ASSERT_EQ(read_results(folder_ / "run").broken.size(), 1u);
  EXPECT_EQ(read_results(folder_ / "run").broken[0].file, "servo.GM.f1.json");
}

TEST_F(Stored, AFailureYieldsToAResultOfAnotherFolder) {
  ResultSet failed = read_results(path_), done = failed;
  failed.runs[0].done = false;
  failed.runs[0].values.clear();
  add_results(done, failed);
  EXPECT_TRUE(failed.runs[0].done);
  EXPECT_EQ(failed.runs.size(), 4u);
}

TEST_F(Stored, TwoExperimentsJoinAndCommonUnitsCountOnce) {
  ResultSet one = read_results(path_), other = one;
  other.labels = {"kNN"};
  other.runs.push_back(parse_result(result_document("servo", "kNN", 0, 0.5, 1)));
  add_results(other, one);
  EXPECT_EQ(one.runs.size(), 5u);
  EXPECT_EQ(one.labels.back(), "kNN");
  other.runs[0].hash = "another";
  EXPECT_THROW(add_results(other, one), ConfigError);
}

}  // namespace
}  // namespace alacarte
