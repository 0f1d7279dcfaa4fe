// Classes and counts through the program: text labels from the table to the predictions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/random.hpp"
#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using nlohmann::json;

class Classes : public ProgramTest {
 protected:
  std::string recipe(const std::string& likelihood, const std::string& extra = "") const {
    return folder_.write("classes.json", fmt::format(R"({{"model": "ard", "features": {{"frequencies": 32}},
      "training": {{"starts": 2, "probe_iterations": 3, "iterations": 15}}, "likelihood": "{}"{}}})",
                                                     likelihood, extra));
  }

  /// Writes three clouds of points; `labels` names them, `only` of them appear.
  std::string clouds(const std::string& name, int rows, std::uint64_t seed,
                     const std::vector<std::string>& labels) const {
    RandomStream stream(seed);
    std::string text = "a,b,kind\n";
    for (int i = 0; i < rows; ++i) {
      const auto k = static_cast<std::size_t>(stream.below(static_cast<std::int64_t>(labels.size())));
      const double angle = 2 * static_cast<double>(k);
      text += fmt::format("{:.4f},{:.4f},{}\n", 2 * std::cos(angle) + 0.8 * stream.normal(),
                          2 * std::sin(angle) + 0.8 * stream.normal(), labels[k]);
    }
    return folder_.write(name, text);
  }

  std::string train(const std::string& likelihood, const std::string& data,
                    const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{
        "train", recipe(likelihood), "--data", data, "--model", folder_ / "model.ala", "--threads", "1", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return folder_ / "model.ala";
  }
};

const std::vector<std::string> kThree = {"\"red dark\"", "blue", "4th"};

TEST_F(Classes, AreTrainedPredictedScoredAndShown) {
  const std::string model = train("softmax", clouds("t.csv", 200, 1, kThree));
  const std::string test = clouds("n.csv", 150, 2, kThree), out = folder_ / "p.csv";
  must({"predict", model, "--data", test, "--out", out});
  const auto table = cells_of(read_file(out));
  ASSERT_EQ(table.size(), 151u);
  EXPECT_EQ(table[0], (std::vector<std::string>{"label", "p(4th)", "p(blue)", "p(red dark)", "share_outside"}));
  for (std::size_t i = 1; i < table.size(); ++i) {
    const double p[] = {std::stod(table[i][1]), std::stod(table[i][2]), std::stod(table[i][3])};
    EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-12);
    const std::size_t best = static_cast<std::size_t>(std::max_element(p, p + 3) - p);
    EXPECT_EQ(fmt::format("p({})", table[i][0]), table[0][1 + best]);
  }
  const json scores = json::parse(must({"evaluate", model, "--data", test}).out);
  EXPECT_EQ(scores["n"], 150);
  EXPECT_GT(scores["accuracy"].get<double>(), 0.85);
  EXPECT_LT(scores["log_loss"].get<double>(), 0.45);
  EXPECT_LT(scores["ece"].get<double>(), 0.15);
  EXPECT_EQ(scores["classes"], (json{"4th", "blue", "red dark"}));
  int sum = 0;
  for (const json& row : scores["confusion"])
    for (const json& count : row) sum += count.get<int>();
  EXPECT_EQ(sum, 150);
  const std::string text = must({"inspect", model}).out;
  EXPECT_NE(text.find("[4th blue red dark]"), std::string::npos) << text;
  EXPECT_EQ(text.find("noise sd"), std::string::npos) << text;
  const json all = json::parse(must({"inspect", model, "--json"}).out);
  EXPECT_EQ(all["classes"], scores["classes"]);
  EXPECT_EQ(all["training"]["classes"]["blue"].get<int>() + all["training"]["classes"]["4th"].get<int>() +
                all["training"]["classes"]["red dark"].get<int>(),
            200);
  must({"inspect", model, "--html", folder_ / "m.html"});
}

TEST_F(Classes, OfTwoTakeLogitOrProbit) {
  const std::string data = clouds("t.csv", 160, 3, {"no", "yes"});
  for (const char* likelihood : {"logit", "probit", "softmax"}) {
    const std::string model = train(likelihood, data, {"--holdout", "0.3"});
    const json scores = json::parse(must({"evaluate", model, "--data", data, "--held-out"}).out);
    EXPECT_EQ(scores["n"], 48);
    EXPECT_GT(scores["accuracy"].get<double>(), 0.85) << likelihood;
  }
  expect_failure(
      run({"train", recipe("logit"), "--data", clouds("k.csv", 90, 1, kThree), "--model", folder_ / "x", "--quiet"}), 2,
      {"/likelihood", "3", "softmax"});
}

TEST_F(Classes, AreRecognisedWhereNoRecipeIsNamed) {
  const std::string model = folder_ / "auto.ala";
  const std::string rows = clouds("t.csv", 90, 3, {"no", "yes"});
  const std::vector<std::string> ends{"--data", rows, "--model", model, "--seconds", "2", "--threads", "1"};
  for (const std::vector<std::string>& begins : {std::vector<std::string>{"train"}, {"train", "auto"}}) {
    std::vector<std::string> arguments = begins;
    arguments.insert(arguments.end(), ends.begin(), ends.end());
    const RunResult result = must(arguments);
    EXPECT_NE(result.err.find("taken for a class"), std::string::npos) << result.err;
  }
  const json scores = json::parse(must({"evaluate", model, "--data", clouds("n.csv", 120, 4, {"no", "yes"})}).out);
  EXPECT_GT(scores["accuracy"], 0.8);
}

TEST_F(Classes, MayHaveExactKernels) {
  const std::string model = folder_ / "exact.ala", two = clouds("t.csv", 90, 3, {"no", "yes"});
  const auto train = [&](const std::string& likelihood, const std::string& data) {
    return std::vector<std::string>{"train",   "exact-ard",
                                    "--set",   fmt::format("/likelihood=\"{}\"", likelihood),
                                    "--set",   "/training/starts=1",
                                    "--set",   "/training/iterations=10",
                                    "--data",  data,
                                    "--model", model,
                                    "--quiet"};
  };
  must(train("logit", two));
  const json scores = json::parse(must({"evaluate", model, "--data", clouds("n.csv", 120, 4, {"no", "yes"})}).out);
  EXPECT_GT(scores["accuracy"].get<double>(), 0.85);
  EXPECT_LT(scores["log_loss"].get<double>(), 0.4);
  const auto table = cells_of(must({"predict", model, "--data", two, "--out", "-", "--quiet"}).out);
  EXPECT_EQ(table[0], (std::vector<std::string>{"label", "p(no)", "p(yes)", "share_outside"}));
  const json shown = json::parse(must({"inspect", model, "--json"}).out);
  EXPECT_GT(shown["training"]["leave_one_out"]["accuracy"].get<double>(), 0.85);
  must(train("softmax", clouds("k.csv", 90, 1, kThree)));
  const json three = json::parse(must({"evaluate", model, "--data", clouds("o.csv", 120, 2, kThree)}).out);
  EXPECT_GT(three["accuracy"].get<double>(), 0.85);
  // The plan counts n^2 numbers before any work is done.
  auto limited = train("logit", clouds("l.csv", 2500, 3, {"no", "yes"}));
  limited.insert(limited.end(), {"--memory-limit", "100MB"});
  expect_failure(run(limited), 2, {"--memory-limit", "100 MB are too little"});
}

TEST_F(Classes, UnseenLabelsAreErrorsThatNameThem) {
  const std::string model = train("logit", clouds("t.csv", 120, 3, {"no", "yes"}));
  const std::string rows = folder_.write("n.csv", "a,b,kind\n1,2,yes\n0,0,maybe\n");
  expect_failure(run({"evaluate", model, "--data", rows}), 3, {"'maybe'", "row 3"});
  const auto table = cells_of(must({"predict", model, "--data", rows, "--out", "-", "--quiet"}).out);
  EXPECT_EQ(table.size(), 3u);  // predictions ignore labels
}

TEST_F(Classes, OneClassOrAsManyAsRowsAreErrors) {
  const auto train = [&](const std::string& rows) {
    return run({"train", recipe("logit"), "--data", folder_.write("d.csv", rows), "--model", folder_ / "m", "--quiet"});
  };
  expect_failure(train("x,y\n1,a\n2,a\n3,a\n"), 3, {"one class only", "'a'"});
  expect_failure(train("x,y\n1,0.1\n2,0.2\n3,0.3\n"), 3, {"another label in every row", "gaussian"});
}

TEST_F(Classes, RowsFilesKeepTheLabels) {
  const std::string table = clouds("t.csv", 160, 3, {"no", "yes"}), rows = folder_ / "t.rows";
  must({"convert", table, "--recipe", recipe("logit"), "--out", rows, "--quiet"});
  const std::string model = train("logit", rows);
  const json by_rows = json::parse(must({"evaluate", model, "--data", rows}).out);
  const json by_table = json::parse(must({"evaluate", model, "--data", table}).out);
  EXPECT_EQ(by_rows["log_loss"], by_table["log_loss"]);
  EXPECT_EQ(by_rows["classes"], (json{"no", "yes"}));
  const std::string numbers = folder_.write("n.csv", "a,b,kind\n1,2,0\n2,1,1\n3,5,1\n"), plain = folder_ / "n.rows";
  must({"convert", numbers, "--out", plain, "--quiet"});
  expect_failure(run({"train", recipe("logit"), "--data", plain, "--model", folder_ / "x", "--quiet"}), 3,
                 {"made without labels", "--recipe"});
}

TEST_F(Classes, HaveNoIntervalsAndNoScale) {
  const std::string model = train("logit", clouds("t.csv", 120, 3, {"no", "yes"}));
  const std::string rows = clouds("n.csv", 5, 1, {"no", "yes"});
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--latent"},
                                               {"--interval", "0.9"},
                                               {"--quantiles", "0.9"},
                                               {"--probability-above", "1"},
                                               {"--draws", "2", "--draws-out", folder_ / "d.npy"}}) {
    std::vector<std::string> arguments{"predict", model, "--data", rows, "--out", folder_ / "p.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(run(arguments), 2, {"predicts classes"});
  }
  const auto refused = [&](const std::string& extra, const std::string& place, const char* likelihood = "logit") {
    expect_failure(run({"check", recipe(likelihood, extra)}), 2, {place});
  };
  refused(R"(, "scale": {"target": "zscore"})", "/scale/target");
  refused(R"(, "evidence": "dual")", "/evidence");
  refused(R"(, "evidence": "bound")", "/evidence");
  refused(R"(, "evidence": "bound")", "/evidence", "gaussian");
  refused(R"(, "precision": "mixed")", "/precision");
  refused(R"(, "learner": {"class_weights": "balanced"})", "/learner/class_weights", "poisson");
  refused(R"(, "learner": {"folds": 3})", "/learner/folds");
  refused(R"(, "noise": {"floor": 0.1})", "/noise");
  refused("", "did you mean", "logot");
}

TEST_F(Classes, CountsArePredictedWithIntervalsThatHoldThem) {
  RandomStream stream(9);
  const auto counts = [&](const std::string& name, int rows) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) {
      const double x = 3 * stream.uniform(), rate = std::exp(1.5 + std::sin(2 * x));
      int count = 0;
      for (double t = -std::log(1 - stream.uniform()); t < rate; t -= std::log(1 - stream.uniform())) ++count;
      text += fmt::format("{:.5f},{}\n", x, count);
    }
    return folder_.write(name, text);
  };
  const std::string model = train("poisson", counts("t.csv", 200)), test = counts("n.csv", 400);
  const json scores = json::parse(must({"evaluate", model, "--data", test}).out);
  EXPECT_EQ(scores["n"], 400);
  EXPECT_LT(scores["nlpd"].get<double>(), 2.4);
  const auto table = cells_of(must({"predict", model, "--data", test, "--out", "-", "--quiet"}).out);
  ASSERT_EQ(table[0][3], "upper_observation");
  const auto rows = cells_of(read_file(test));
  int inside = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const double y = std::stod(rows[i][1]);
    inside += std::stod(table[i][2]) <= y && y <= std::stod(table[i][3]);
  }
  EXPECT_GT(inside, 0.92 * 400);
  expect_failure(run({"train", recipe("poisson"), "--data", folder_.write("bad.csv", "x,y\n1,2\n2,-3\n3,1\n"),
                      "--model", folder_ / "x", "--quiet"}),
                 3, {"-3"});
}

TEST_F(Classes, GradientsAreChecked) {
  const std::string listed = must({"kernels", "list"}).out;
  for (const char* likelihood : {"logit", "probit", "softmax", "poisson"}) {
    EXPECT_NE(must({"check", recipe(likelihood)}).out.find("agree"), std::string::npos) << likelihood;
    EXPECT_NE(listed.find(likelihood), std::string::npos);
  }
  EXPECT_NE(must({"check", "linear-svm"}).out.find("none to check"), std::string::npos);
}

TEST_F(Classes, OfOneRowAreNeverHeldOut) {
  const std::string data = clouds("t.csv", 60, 1, kThree);
  const std::string with_one = folder_.write("one.csv", read_file(data) + "0,0,single\n");
  for (const char* seed : {"1", "2"}) {
    must({"train", "linear-svm", "--data", with_one, "--holdout", "0.3", "--seed", seed, "--model", folder_ / "m",
          "--quiet"});
    must({"evaluate", folder_ / "m", "--data", with_one, "--held-out", "--quiet"});
  }
}

// Reports the cost of a scaled LIBSVM file, and a cost grid that ends too early.
TEST_F(Classes, TrainingSaysWhatToTryNext) {
  std::string rows;
  for (int i = 0; i < 60; ++i) rows += fmt::format("{} {}:1 {}:0.5\n", i % 2, i % 2 == 0 ? 3 : 4, 10 + i);
  const std::string data = folder_.write("t.libsvm", rows + "0 50000:1\n");
  const auto said = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train", "linear-svm", "--data", data, "--model", folder_ / "m"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return must(arguments).err;
  };
  EXPECT_NE(said({}).find("the rows become dense"), std::string::npos);
  const std::string sparse = said({"--set", R"(/scale/inputs="none")"});
  EXPECT_EQ(sparse.find("the rows become dense"), std::string::npos) << sparse;
  EXPECT_NE(sparse.find("much larger ones"), std::string::npos) << sparse;
  const std::string larger = said({"--set", R"(/scale/inputs="none")", "--set", "/learner/costs=[1, 1e5, 1e6]"});
  EXPECT_EQ(larger.find("larger ones"), std::string::npos) << larger;
  const std::string edge = said({"--set", R"(/scale/inputs="none")", "--set", "/learner/costs=[1, 1e6]"});
  EXPECT_NE(edge.find("the best cost is the largest"), std::string::npos) << edge;
}

}  // namespace
}  // namespace alacarte::test
