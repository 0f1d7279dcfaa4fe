// Predictions and scores of tables in parts, by one process and by several.
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

TEST_F(Parts, OneFileOrStandardOutputIsRefused) {
  const std::string out = folder_ / "p.csv";
  expect_one_line(ranks(2, {"predict", model_, "--data", table_, "--out", out}), 1, {"pattern"});
  expect_one_line(run({"predict", model_, "--data", folder_ / "t-*.rows", "--out", "-"}), 2, {"--out"});
  expect_one_line(run({"predict", model_, "--data", folder_ / "t-*.rows", "--out", out, "--draws", "2", "--draws-out",
                       folder_ / "d.npy"}),
                  2, {"--draws"});
}

}  // namespace
}  // namespace alacarte::test
