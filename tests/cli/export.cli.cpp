// alacarte export: the C file, compiled by the system's compiler, compared with alacarte predict.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

#include "cli/program_test.hpp"
#include "trees/boosting.hpp"

namespace alacarte::test {
namespace {

// Reads rows of numbers and prints the mean of each.
constexpr const char* kMain = R"(#include <stdio.h>
#include <string.h>
double m_mean(const double *x);
extern const int m_input_count;
extern const char *const m_input_names[];
int main(int argc, char **argv) {
  double x[1000];
  int j;
  if (argc > 1) {
    for (j = 0; j < m_input_count; ++j) puts(m_input_names[j]);
    return argv[1][0] == 0;
  }
  for (;;) {
    for (j = 0; j < m_input_count; ++j) if (scanf("%lf", &x[j]) != 1) return 0;
    printf("%.17g\n", m_mean(x));
  }
}
)";

class Export : public ProgramTest {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/cc", X_OK) != 0) GTEST_SKIP() << "needs a C compiler";
    folder_.write("main.c", kMain);
  }

  /// Builds the exported program; expects success of every step.
  std::string exported(const std::string& model) const {
    must({"export", model, "--c", folder_ / "mean.c", "--name", "m", "--quiet"});
    const RunResult compiled =
        run_program("/usr/bin/cc", {"-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-o",
                                    folder_ / "mean", folder_ / "mean.c", folder_ / "main.c", "-lm"});
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    return folder_ / "mean";
  }

  /// Returns the largest difference between the program's means of `rows` (encoded: numbers only) and predict's of
  /// `table`, relative to the mean, or absolute below 1.
  double difference(const std::string& model, const std::string& table, const std::string& rows) const {
    const std::string program = exported(model);
    RunOptions input;
    input.input = rows;
    const auto lines = lines_of(run_program(program, {}, input).out);
    const auto predicted = cells_of(must({"predict", model, "--data", table, "--out", "-", "--quiet"}).out);
    EXPECT_EQ(lines.size() + 1, predicted.size());
    double worst = 0;
    for (std::size_t i = 0; i < std::min(lines.size(), predicted.size() - 1); ++i) {
      const double mean = std::stod(predicted[i + 1][0]);
      const double gap = std::abs(std::stod(lines[i]) - mean) / std::max(std::abs(mean), 1.0);
      worst = std::isfinite(gap) ? std::max(worst, gap) : std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  std::string trained(const std::string& recipe, const std::vector<std::string>& more = {}) const {
    const std::string model = folder_ / "m.model";
    std::vector<std::string> arguments = {
        "train", folder_.write("r.json", recipe), "--data", train_, "--model", model, "--quiet", "--threads", "1"};
    if (!has(recipe, "\"auto\"")) arguments.insert(arguments.end(), {"--set", "/training/iterations=4"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return model;
  }

  std::string train_ = friedman(80, 1, "train.csv");
};

TEST_F(Export, OfEveryKindOfMap) {
  // Adds a far row, whose phases lose all precision, to those of the problem.
  std::string table = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n", rows;
  const auto cells = cells_of(read_file(friedman(20, 2, "test.csv")));
  table = "";
  for (std::size_t j = 0; j < 10; ++j) table += cells[0][j] + (j < 9 ? "," : "\n");
  for (std::size_t i = 1; i < cells.size(); ++i)
    for (std::size_t j = 0; j < 10; ++j) {
      const std::string& cell = i == 3 && j == 2 ? "1e30" : cells[i][j];
      table += cell + (j < 9 ? "," : "\n");
      rows += cell + " ";
    }
  const std::string path = folder_.write("rows.csv", table);
  for (
      const char* recipe :
      {R"({"model": "linear"})",
       R"({"model": "ssgpr", "features": {"frequencies": 24}, "copies": 2})",
       R"({"model": "rbf", "features": {"frequencies": 24, "phase": "offset"}})",
       R"({"model": "ard", "features": {"frequencies": 40}, "scale": {"roots": true, "unit_rows": true}})",
       R"({"model": "ard", "features": {"frequencies": 24, "draws": "orthogonal"}, "mean": "zero"})",
       R"({"model": "matern", "features": {"frequencies": 32, "draws": "sobol"}})",
       R"({"model": "rq", "features": {"frequencies": 32}})",
       R"({"model": "gm", "features": {"frequencies": 16}})",
       R"({"model": "fsard", "features": {"frequencies": 32}})",
       R"({"model": "fsgbard", "features": {"frequencies": 32}})",
       R"({"model": "sum", "terms": [{"model": "linear"}, {"model": "ssgpr", "features": {"frequencies": 16}}]})",
       R"({"model": "deep", "network": {"widths": [8, 4], "epochs": 3}, "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})",
       R"({"model": "deep", "network": {"widths": [6, 6, 4], "residual": true, "epochs": 3}, "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})",
       R"({"model": "deep", "network": {"widths": [], "epochs": 3}, "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})",
       R"({"model": "deep", "network": {"widths": [6], "epochs": 3, "activation": "tanh", "skip": false}, "terms": [{"model": "linear"}]})",
       R"({"model": "exact-rbf"})",
       R"({"model": "exact-ard", "scale": {"target": "none"}})",
       R"({"model": "exact-matern", "kernel": {"nu": 0.5}})",
       R"({"model": "exact-matern", "kernel": {"nu": 2.5}})",
       R"({"model": "exact-rq"})",
       R"({"model": "exact-sum", "terms": [{"model": "exact-ard"}, {"model": "exact-matern"}, {"model": "exact-rq"}]})",
       R"({"model": "auto"})",
       R"({"model": "exact-ard", "scale": {"inputs": "normal-scores"}})",
       R"({"model": "deep", "scale": {"inputs": "asinh"}, "network": {"widths": [6], "epochs": 3}, "terms": [{"model": "linear"}]})",
       R"({"model": "mixture", "members": [{"model": "exact-rq", "scale": {"inputs": "clip"}}, {"model": "linear"}]})",
       R"({"model": "mixture", "weights": "leave-one-out", "members": [{"model": "exact-matern"}, {"model": "gm", "features": {"frequencies": 8}}]})"})
    EXPECT_LT(difference(trained(recipe), path, rows), 1e-9) << recipe;
}

TEST_F(Export, OfBoostedTreesIsTheirPrediction) {
  if (!can_boost()) GTEST_SKIP() << "this build trains no trees";
  const auto cells = cells_of(read_file(friedman(30, 3, "test.csv")));
  std::string table, rows;
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (std::size_t j = 0; j < 10; ++j) {
      table += cells[i][j] + (j < 9 ? "," : "\n");
      if (i > 0) rows += cells[i][j] + " ";
    }
  const std::string path = folder_.write("rows.csv", table);
  for (
      const char* recipe :
      {R"({"model": "linear", "data": {"trees": "alone"}})", R"({"model": "exact-ard", "data": {"trees": true}})",
       R"({"model": "ssgpr", "features": {"frequencies": 16}, "data": {"trees": true}, "scale": {"inputs": "clip"}})",
       R"({"model": "deep", "data": {"trees": true}, "network": {"widths": [6], "epochs": 3}, "terms": [{"model": "linear"}]})",
       R"({"model": "mixture", "members": [{"model": "ard", "data": {"trees": true}}, {"model": "linear", "data": {"trees": "alone"}}]})"})
    EXPECT_LT(difference(trained(recipe), path, rows), 1e-9) << recipe;
}

TEST_F(Export, OfKernelsFarFromAllRowsIsTheirMean) {
  const std::string names = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n", rest = " 0 0 0 0 0 0 0 0 0\n";
  std::string table = names, rows;
  for (const std::string far : {"1e20", "-1e160", "1e200", "1e300"}) {
    table += far + ",0,0,0,0,0,0,0,0,0\n";
    rows += far + rest;
  }
  const std::string path = folder_.write("far.csv", table);
  for (const char* recipe : {R"({"model": "exact-matern", "kernel": {"nu": 0.5}})", R"({"model": "exact-rbf"})",
                             R"({"model": "exact-matern", "kernel": {"nu": 1.5}})", R"({"model": "exact-rq"})",
                             R"({"model": "exact-matern", "kernel": {"nu": 2.5}})"})
    EXPECT_LT(difference(trained(recipe), path, rows), 1e-9) << recipe;
}

TEST_F(Export, OfRowsWithoutNoiseAllowsForTheirLargeWeights) {
  std::string table = "a,b,y\n";
  for (int i = 0; i < 60; ++i) {
    const double a = std::fmod(0.37 * i, 1), b = std::fmod(0.61 * i, 1);
    table += fmt::format("{},{},{}\n", a, b, std::sin(6 * a) + b);
  }
  const std::string model = folder_ / "smooth.model";
  must({"train", "exact-matern", "--data", folder_.write("smooth.csv", table), "--model", model, "--quiet", "--set",
        "/noise/floor=1e-6", "--set", "/noise/sd=1e-5", "--set", "/noise/trained=false", "--set",
        "/kernel/lengthscale=[2]"});
  must({"export", model, "--c", folder_ / "smooth.c", "--quiet"});
}

TEST_F(Export, OfInputsWithHeavyTails) {
  std::string train = "a,b,y\n", table = "a,b\n", rows;
  for (int i = 0; i < 90; ++i) {
    const double a = std::sinh(0.2 * ((17 * i) % 90 - 45)), b = 0.01 * ((29 * i) % 90);
    const std::string cells = std::to_string(a) + "," + std::to_string(b);
    train += cells + "," + std::to_string(std::asinh(a) * b) + "\n";
    if (i >= 20) continue;
    table += cells + "\n";
    rows += std::to_string(a) + " " + std::to_string(b) + "\n";
  }
  train_ = folder_.write("tails.csv", train);
  const std::string path = folder_.write("rows.csv", table);
  for (const char* widths : {"[8, 4]", "[]"}) {
    const std::string recipe =
        std::string(R"({"model": "deep", "network": {"inputs": "asinh", "epochs": 3, "widths": )") + widths +
        R"(}, "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})";
    const std::string model = trained(recipe);
    EXPECT_LT(difference(model, path, rows), 1e-9) << recipe;
    EXPECT_NE(read_file(folder_ / "mean.c").find("asinh"), std::string::npos);
  }
}

TEST_F(Export, TakesCategoriesAndDatesAsNumbers) {
  std::string train = "sold,colour,\"a \"\"?\"\"\",y\n", table = "sold,colour,\"a \"\"?\"\"\"\n", rows;
  for (int i = 0; i < 40; ++i) {
    const std::string date = "2024-01-" + std::string(i % 28 < 9 ? "0" : "") + std::to_string(i % 28 + 1);
    const std::string colour = i % 3 == 0 ? "red" : "blue", number = std::to_string((7 * i) % 11);
    train += date + "," + colour + "," + number + "," + std::to_string(i % 28 + 5 * (i % 3)) + "\n";
    if (i >= 5) continue;
    table += date + "," + colour + "," + number + "\n";
    rows += std::to_string(19723 + i % 28) + (i % 3 == 0 ? " 0 1 " : " 1 0 ") + number + "\n";
  }
  const std::string model = folder_ / "c.model";
  must({"train", "ssgpr", "--data", folder_.write("c.csv", train), "--model", model, "--quiet", "--threads", "1",
        "--strict", "--dates", "sold", "--set", "/features/frequencies=16", "--set", "/training/iterations=5"});
  EXPECT_LT(difference(model, folder_.write("rows.csv", table), rows), 1e-9);
  EXPECT_EQ(run_program(folder_ / "mean", {"names"}).out, "sold\ncolour=blue\ncolour=red\na \"?\"\n");
}

TEST_F(Export, RefusesInOneLine) {
  const auto refused = [&](const std::string& model, std::vector<std::string> more, int code,
                           const std::vector<std::string>& parts) {
    std::vector<std::string> arguments = {"export", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(run(arguments), code, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "no.c"));
  };
  const std::vector<std::string> out = {"--c", folder_ / "no.c"};
  refused(trained(R"({"model": "local"})"), out, 2, {"'local'", "neither sinusoids nor linear"});
  refused(trained(R"({"model": "exact-minmax", "scale": {"inputs": "range"}})"), out, 2, {"exact-minmax", "exact-ard"});
  refused(trained(R"({"model": "exact-ard", "likelihood": "student-t"})"), out, 2, {"exact-ard", "student-t"});
  std::string classes = "a,kind\n";
  for (int i = 0; i < 40; ++i) classes += std::to_string(i) + (i < 20 ? ",no\n" : ",yes\n");
  const std::string data = folder_.write("classes.csv", classes);
  must({"train", "classify-two", "--data", data, "--model", folder_ / "k.model", "--quiet", "--set",
        "/training/iterations=3", "--set", "/features/frequencies=8"});
  refused(folder_ / "k.model", out, 2, {"predicts classes"});
  const std::string model = trained(R"({"model": "linear"})");
  refused(model, {"--c", folder_ / "no.c", "--name", "2x"}, 2, {"--name", "2x"});
  refused(model, {"--c", model}, 1, {"m.model"});
  refused(folder_ / "none.model", out, 4, {"none.model"});
  refused(data, out, 4, {"classes.csv"});
}

}  // namespace
}  // namespace alacarte::test
