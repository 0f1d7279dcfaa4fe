// Several targets: train, predict, evaluate, inspect, update, and refusals.
#include "program_test.hpp"

#include <cmath>
#include <random>

namespace alacarte::test {
namespace {

class Targets : public ProgramTest {
 protected:
  /// Writes two functions of two inputs; the second has more noise.
  std::string table(int rows, unsigned seed, const std::string& name, bool gaps = false) const {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    std::string text = "x,z,price,rent\n";
    for (int i = 0; i < rows; ++i) {
      const double x = normal(generator), z = normal(generator);
      const double price = 100 + 20 * std::sin(x) + normal(generator),
                   rent = 5 + std::cos(x) + z * z + normal(generator);
      text += std::to_string(x) + "," + std::to_string(z) + "," + (gaps && i == 3 ? "" : std::to_string(price)) + "," +
              (gaps && i == 5 ? "" : std::to_string(rent)) + "\n";
    }
    return folder_.write(name, text);
  }
  std::string trained(const std::vector<std::string>& more = {}, const std::string& name = "both.ala") const {
    std::vector<std::string> arguments{"train",     quick_recipe(),
                                       "--data",    table(150, 1, "train.csv"),
                                       "--target",  "price,rent",
                                       "--model",   folder_ / name,
                                       "--threads", "1",
                                       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return folder_ / name;
  }
};

TEST_F(Targets, ShareAKernelAndHaveANoiseEach) {
  const std::string model = trained(), test = table(100, 2, "test.csv");
  must({"predict", model, "--data", test, "--out", folder_ / "p.csv", "--quantiles", "0.5", "--quiet"});
  const auto cells = cells_of(read_file(folder_ / "p.csv"));
  EXPECT_EQ(cells.front(),
            (std::vector<std::string>{"price.mean", "price.sd_observation", "price.lower_observation",
                                      "price.upper_observation", "price.quantile_observation(0.5)", "rent.mean",
                                      "rent.sd_observation", "rent.lower_observation", "rent.upper_observation",
                                      "rent.quantile_observation(0.5)", "share_outside"}));
  EXPECT_EQ(cells.size(), 101u);
  const auto scores = nlohmann::json::parse(must({"evaluate", model, "--data", test, "--threads", "1"}).out);
  const double price = scores["targets"]["price"]["r2"], rent = scores["targets"]["rent"]["r2"];
  EXPECT_GT(price, 0.9);
  EXPECT_GT(rent, 0.3);
  EXPECT_NEAR(scores["mean"]["r2"], (price + rent) / 2, 1e-12);
  EXPECT_TRUE(scores["mean"]["standardised"].contains("nlpd"));
  const auto inspected = nlohmann::json::parse(must({"inspect", model, "--json"}).out);
  ASSERT_EQ(inspected["targets"].size(), 2u);
  const auto &first = inspected["targets"][0]["fits"][0], &second = inspected["targets"][1]["fits"][0];
  EXPECT_EQ(first["parameters"], second["parameters"]);
  EXPECT_LT(first["noise_sd"], 3);
  EXPECT_NEAR(second["noise_sd"], 1, 0.3);
  EXPECT_GT(second["noise_sd_standardised"], 2 * first["noise_sd_standardised"].get<double>());
  EXPECT_TRUE(has(must({"inspect", model}).out, "rent"));
  must({"update", model, "--data", test, "--out", folder_ / "more.ala", "--quiet"});
  const auto after = nlohmann::json::parse(must({"evaluate", folder_ / "more.ala", "--data", test}).out);
  EXPECT_GT(after["mean"]["r2"], scores["mean"]["r2"]);
}

TEST_F(Targets, IndependentOnesAreThoseOfEach) {
  const std::string model = trained({"--set", "/targets=independent"});
  must({"train", quick_recipe(R"({"ignore": ["price"]})"), "--data", folder_ / "train.csv", "--target", "rent",
        "--model", folder_ / "rent.ala", "--threads", "1", "--quiet"});
  const std::string test = table(40, 2, "test.csv");
  for (const char* name : {"both.ala", "rent.ala"})
    must({"predict", folder_ / name, "--data", test, "--out", folder_ / (std::string(name) + ".csv"), "--quiet"});
  const auto both = cells_of(read_file(folder_ / "both.ala.csv")), one = cells_of(read_file(folder_ / "rent.ala.csv"));
  for (std::size_t i = 1; i < one.size(); ++i) EXPECT_EQ(both[i][4], one[i][0]);
}

TEST_F(Targets, DropsRowsThatLackOne) {
  const std::string gaps = table(60, 3, "gaps.csv", true), model = folder_ / "gaps.ala";
  const std::vector<std::string> train{"train",      quick_recipe(), "--data", gaps,     "--target",
                                       "price,rent", "--model",      model,    "--quiet"};
  auto strict = train;
  strict.emplace_back("--strict");
  expect_failure(run(strict), 3, {"gaps.csv", "missing"});
  auto dropping = train;
  dropping.insert(dropping.end(), {"--missing", "drop"});
  must(dropping);
  const auto inspected = nlohmann::json::parse(must({"inspect", model, "--json"}).out);
  for (const auto& target : inspected["targets"]) EXPECT_EQ(target["training"]["rows"], 58);
}

// The text of a table does not bound the width of its rows: 900 categories become as many inputs.
TEST_F(Targets, CategoriesCountIntoTheMemoryLimit) {
  std::string text = "x,group,price,rent\n";
  for (int i = 0; i < 4000; ++i) {
    const std::string x = std::to_string(i % 97);
    text += x + ",k" + std::to_string(i % 900) + "," + x + "," + x + "\n";
  }
  const std::string data = folder_.write("wide.csv", text);
  const auto train = [&](const std::string& limit) {
    return run({"train", quick_recipe(), "--data", data, "--categorical", "group", "--target", "price,rent", "--model",
                folder_ / "m.ala", "--memory-limit", limit, "--quiet"});
  };
  expect_failure(train("60MB"), 2, {"--memory-limit", "60 MB are too little"});
  EXPECT_EQ(train("400MB").code, 0);
}

TEST_F(Targets, RefusesInOneLine) {
  const std::string data = table(40, 1, "train.csv"), model = folder_ / "m.ala";
  const auto train = [&](const std::string& target, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"train",   quick_recipe(), "--data",  data,        "--target", target,
                                       "--model", model,          "--quiet", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  expect_failure(train("price,price"), 2, {"'price' is named twice"});
  expect_failure(train("price,"), 2, {"/data/target"});
  expect_failure(train("price,rint"), 2, {"rint", "rent"});
  expect_failure(train("price", {"--set", "/targets=independent"}), 2, {"/targets", "several targets"});
  expect_failure(run({"train", "counts", "--data", data, "--target", "price,rent", "--model", model, "--quiet"}), 2,
                 {"/likelihood", "independent"});
  expect_failure(train("price,rent", {"--set", "/targets=independent", "--checkpoint", folder_ / "c"}), 2,
                 {"--checkpoint"});
  const std::string both = trained();
  expect_failure(run({"inspect", both, "--html", folder_ / "p.html", "--quiet"}), 2, {"--html", "price, rent"});
  expect_failure(
      run({"predict", both, "--data", data, "--out", folder_ / "p.csv", "--covariance", folder_ / "c.npy", "--quiet"}),
      2, {"several targets"});
  expect_failure(run({"train", "--from", both, "--data", data, "--model", model, "--quiet"}), 2,
                 {"this takes one", "several targets"});
}

}  // namespace
}  // namespace alacarte::test
