#include <algorithm>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Json = nlohmann::json;
class Bench : public ProgramTest {
 protected:
  Bench() : ProgramTest(ALACARTE_BENCH_PROGRAM) {}
};

void expect_race(const Json& race) {
  ASSERT_FALSE(race.at("contestants").empty()) << race;
  for (const Json& contestant : race.at("contestants")) {
    const double minimum = contestant.at("seconds").at("minimum"), median = contestant.at("seconds").at("median");
    EXPECT_GT(minimum, 0) << race;
    EXPECT_GE(median, minimum) << race;
    EXPECT_EQ(contestant.at("rounds"), 3);
  }
  for (const Json& ratio : race.at("ratios")) {
    const double lower = ratio.at("lower"), median = ratio.at("median"), upper = ratio.at("upper");
    EXPECT_GT(lower, 0) << race;
    EXPECT_LE(lower, median) << race;
    EXPECT_LE(median, upper) << race;
    const auto is = [&](const char* key) {
      return std::any_of(race.at("contestants").begin(), race.at("contestants").end(),
                         [&](const Json& contestant) { return contestant.at("name") == ratio.at(key); });
    };
    EXPECT_TRUE(is("slower") && is("faster")) << race;
  }
}

TEST_F(Bench, QuickRunWritesEveryMeasurement) {
  const std::string file = folder_ / "bench.json";
  const RunResult result = must({"--quick", "--json", file, "--threads", "2", "--quiet"});
  EXPECT_EQ(result.err, "");
  const Json document = Json::parse(read_file(file));
  EXPECT_EQ(document.at("format"), "alacarte bench 1");
  for (const char* key : {"isa", "processors", "caches"}) EXPECT_TRUE(document.at("machine").contains(key)) << key;
  for (const char* key : {"commit", "compiler", "flags", "blas"})
    EXPECT_TRUE(document.at("build").contains(key)) << key;
  for (const Json& race : document.at("races")) {
    expect_race(race);
    EXPECT_NE(result.out.find(race.at("name").get<std::string>() + ":"), std::string::npos);
  }
  for (const char* name : {"hadamard f64", "hadamard f32", "sincos f64", "features", "one vector", "evaluation ard",
                           "evaluation gm", "exact evidence"}) {
    EXPECT_TRUE(std::any_of(document.at("races").begin(), document.at("races").end(), [&](const Json& race) {
      return race.at("name").get<std::string>().rfind(name, 0) == 0;
    })) << name;
  }
  const auto is_map = [](const Json& slope) { return slope.at("name").get<std::string>().rfind("map ", 0) == 0; };
  const Json& slopes = document.at("slopes");
  const auto maps = std::count_if(slopes.begin(), slopes.end(), is_map);
  EXPECT_EQ(slopes.size(), 3u + static_cast<std::size_t>(maps));
  EXPECT_GT(maps, 3 * 20) << "n, d and m for each";
  for (const Json& slope : slopes) EXPECT_GT(slope.at("seconds").front(), 0) << slope;
  ASSERT_EQ(document.at("fits").size(), 1u);
  EXPECT_GT(document.at("fits")[0].at("seconds"), 0);
  EXPECT_TRUE(document.at("memory").size() == 4 || !document.at("skipped").empty());
  EXPECT_EQ(document.at("precision").size(), 2u);
}

TEST_F(Bench, OnlyChoosesByName) {
  const std::string file = folder_ / "bench.json";
  must({"--suite", "kernels", "--only", "sincos f64", "--quick", "--json", file, "--quiet"});
  const Json document = Json::parse(read_file(file));
  ASSERT_EQ(document.at("races").size(), 1u);
  EXPECT_EQ(document.at("races")[0].at("name"), "sincos f64");
  EXPECT_TRUE(document.at("fits").empty());
}

TEST_F(Bench, SaysWhatItIs) {
  const std::string help = must({"--help"}).out, version = must({"--version"}).out;
  for (const char* part : {"--suite", "--only", "--quick", "--json", "--threads", "Example:\n  alacarte-bench"})
    EXPECT_NE(help.find(part), std::string::npos) << help;
  EXPECT_EQ(version.rfind("alacarte-bench ", 0), 0u) << version;
}

TEST_F(Bench, WrongUsageIsOneLine) {
  expect_failure(run({"--suite", "kernel"}), 1, {"--suite"});
  expect_failure(run({"--quick", "--only", "nothing is called so"}), 1, {"--only", "nothing is called so"});
  expect_failure(run({"--quick", "--json", folder_ / "no/such/folder.json"}), 4, {"no/such"});
  expect_failure(run({"--quik"}), 1, {"alacarte-bench: error:", "did you mean '--quick'", "alacarte-bench --help"});
}

}  // namespace
}  // namespace alacarte::test
