// Predictions and scores of tables in parts, on one process and on several.
#include <fstream>

#include "mpi/ranks_test.hpp"

namespace alacarte::test {
namespace {

class Parts : public RanksTest {
 protected:
  void SetUp() override {
    RanksTest::SetUp();
    if (IsSkipped()) return;
    model_ = quick_model();
    table_ = friedman(1000, 2, "t.csv");
    must({"convert", table_, "--parts", "5", "--out", folder_ / "t-*.rows", "--quiet"});
  }
  std::string model_, table_;
};

TEST_F(Parts, PredictionsAreOneFileInOrder) {
  const std::string out = folder_ / "p.csv";
  must({"convert", table_, "--out", folder_ / "whole", "--quiet"});
  must({"predict", model_, "--data", folder_ / "whole", "--out", out, "--quiet"});
  const std::string expected = read_file(out);
  for (const int count : {0, 2, 3}) {
    std::filesystem::remove(out);
    const std::vector<std::string> arguments{"predict", model_, "--data", folder_ / "t-*.rows",
                                             "--out",   out,    "--quiet"};
    const RunResult result = count == 0 ? run(arguments) : ranks(count, arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(read_file(out), expected) << count;
    for (const std::string& name : folder_.entries()) EXPECT_FALSE(name.ends_with(".part")) << name;
  }
}

// A shared folder may show a new file on one machine earlier than on another.
TEST_F(Parts, AreThoseThatTheFirstRankFinds) {
  std::filesystem::create_directory(folder_ / "early");
  std::filesystem::create_directory(folder_ / "late");
  for (const int part : {1, 2, 3, 4, 5}) {
    const std::string name = "t-" + std::to_string(part) + ".rows";
    if (part != 3) std::filesystem::create_symlink(folder_ / name, folder_ / ("early/" + name));
    std::filesystem::create_symlink(folder_ / name, folder_ / ("late/" + name));
  }
  std::vector<std::string> words;
  for (const char* place : {"early", "late"}) {
    const std::vector<std::string> rank{"-np",      "1",    "-wdir",  folder_ / place, program_path(),
                                        "evaluate", model_, "--data", "t-*.rows",      "--quiet"};
    if (!words.empty()) words.emplace_back(":");
    words.insert(words.end(), rank.begin(), rank.end());
  }
  const RunResult result = run_program(kLauncher, words, as_root());
  ASSERT_EQ(result.code, 0) << result.err;
  auto json = nlohmann::json::parse(result.out);
  auto expected =
      nlohmann::json::parse(must({"evaluate", model_, "--data", folder_ / "early/t-*.rows", "--quiet"}).out);
  json.erase("seconds");
  expected.erase("seconds");
  EXPECT_LT(difference(expected, json), 1e-12);
}

TEST_F(Parts, PredictionsAreAFileAPart) {
  const RunResult result =
      ranks(2, {"predict", model_, "--data", folder_ / "t-*.rows", "--out", folder_ / "p-*.csv", "--quiet"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::size_t rows = 0;
  for (int part = 1; part <= 5; ++part)
    rows += lines_of(read_file(folder_ / ("p-" + std::to_string(part) + ".csv"))).size() - 1;
  EXPECT_EQ(rows, 1000u);
}

TEST_F(Parts, ScoresAreThoseOfTheWholeTable) {
  const auto scores = [&](const RunResult& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    auto json = nlohmann::json::parse(result.out);
    json.erase("seconds");
    return json;
  };
  const auto whole = scores(run({"evaluate", model_, "--data", table_, "--quiet"}));
  const std::vector<std::string> parts{"evaluate", model_, "--data", folder_ / "t-*.rows", "--quiet"};
  EXPECT_LT(difference(whole, scores(run(parts))), 1e-12);
  for (const int count : {2, 4}) EXPECT_LT(difference(whole, scores(ranks(count, parts))), 1e-12) << count;
  std::vector<std::string> some = parts;
  some.insert(some.end(), {"--holdout", "0.3", "--seed", "5"});
  const auto held = scores(run({"evaluate", model_, "--data", table_, "--quiet", "--holdout", "0.3", "--seed", "5"}));
  EXPECT_LT(difference(held, scores(ranks(3, some))), 1e-12);
}

// Each part lacks a category and a label of others; ranks learn from their own files only.
TEST_F(Parts, TablesAreConvertedSideBySideWithOneSchema) {
  const std::vector<std::string> rows = {"0.5,red,no\n0.25,,yes\n", "0.125,blue,yes\n0.75,green,yes\n",
                                         "1,red,perhaps\n,blue,no\n"};
  std::string all = "x,colour,answer\n";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    folder_.write("c-" + std::to_string(k) + ".csv", "x,colour,answer\n" + rows[k]);
    all += rows[k];
  }
  const std::string recipe =
      folder_.write("c.json", R"({"model": "linear", "likelihood": "softmax", "data": {"missing": "mean"}})");
  const auto convert = [&](const std::string& table, const std::string& out) {
    return std::vector<std::string>{"convert", table, "--recipe", recipe, "--out", folder_ / out, "--quiet"};
  };
  must(convert(folder_.write("all.csv", all), "all.rows"));
  const std::string model = folder_ / "classes";
  must({"train", recipe, "--data", folder_ / "all.rows", "--model", model, "--quiet"});
  const auto expected = predictions(model, folder_ / "all.rows");
  for (const int count : {0, 2, 4}) {
    const auto arguments = convert(folder_ / "c-*.csv", "c-*.rows");
    const RunResult result = count == 0 ? run(arguments) : ranks(count, arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string own = folder_ / "own";
    must({"train", recipe, "--data", folder_ / "c-*.rows", "--model", own, "--quiet"});
    EXPECT_LT(difference_of_predictions(expected, predictions(own, folder_ / "all.rows")), 1e-9) << count;
    for (int part = 1; part <= 3; ++part)
      EXPECT_TRUE(std::filesystem::remove(folder_ / ("c-" + std::to_string(part) + ".rows"))) << count;
  }
  folder_.write("c-2.csv", "x,color,answer\n1,red,no\n");
  expect_one_line(ranks(2, convert(folder_ / "c-*.csv", "c-*.rows")), 3, {"c-2.csv", "has other columns than"});
  expect_one_line(ranks(2, convert(folder_ / "all.csv", "o.rows")), 1, {"pattern"});
  expect_one_line(run(convert(folder_ / "c-*.csv", "o.rows")), 1, {"one star in --out"});
}

TEST_F(Parts, OneFileOrStandardOutputIsRefused) {
  const std::string out = folder_ / "p.csv";
  expect_one_line(ranks(2, {"predict", model_, "--data", table_, "--out", out}), 1, {"pattern"});
  expect_one_line(run({"predict", model_, "--data", folder_ / "t-*.rows", "--out", "-"}), 2, {"--out"});
  expect_one_line(run({"predict", model_, "--data", folder_ / "t-*.rows", "--out", folder_ / "t-*.rows"}), 1,
                  {"t-1.rows", "would be written over"});
  expect_one_line(run({"predict", model_, "--data", folder_ / "t-*.rows", "--out", out, "--draws", "2", "--draws-out",
                       folder_ / "d.npy"}),
                  2, {"--draws"});
}

}  // namespace
}  // namespace alacarte::test
