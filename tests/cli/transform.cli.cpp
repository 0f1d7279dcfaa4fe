#include <signal.h>
#include <unistd.h>

#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

class Transform : public ProgramTest {
 protected:
  Matrix read(const std::string& name) const { return read_all(*open_table(folder_ / name, {})).numbers; }
};

TEST_F(Transform, FeaturesOfAModelAreThoseOfItsMap) {
  const std::string model = quick_model(), data = friedman(700, 2, "new.csv");
  must({"transform", model, "--data", data, "--out", folder_ / "f.npy", "--quiet"});
  must({"transform", model, "--data", data, "--out", folder_ / "f.csv", "--quiet", "--threads", "1"});
  must({"transform", model, "--data", data, "--out", folder_ / "f.libsvm", "--quiet"});
  const Matrix features = read("f.npy");
  EXPECT_EQ(read("f.csv"), features);
  EXPECT_EQ(read("f.libsvm"), features);

  const FittedModel fitted = FittedModel::load(read_bundle(model));
  DatasetStream stream(data, fitted.schema, true);
  Dataset rows;
  ASSERT_TRUE(stream.next(rows, 1000));
  Matrix psi(700, fitted.members.front().prior.map()->feature_count());
  const auto prepared = fitted.members.front().prior.map()->prepare(fitted.members.front().theta);
  prepared->forward(fitted.standardizer.inputs(rows.inputs), psi);
  ASSERT_EQ(features.cols(), psi.cols() + 1);
  EXPECT_LT((features.leftCols(psi.cols()) - psi).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(features.rightCols(1), rows.target);
}

TEST_F(Transform, ARecipeIsDrawnByTheSeed) {
  const std::string data = friedman(300, 2, "d.csv"), recipe = quick_recipe();
  const auto make = [&](const std::string& name, const std::string& seed) {
    must({"transform", recipe, "--data", data, "--out", folder_ / name, "--seed", seed, "--quiet"});
    return read(name);
  };
  const Matrix a = make("a.npy", "1");
  EXPECT_EQ(make("b.npy", "1"), a);
  EXPECT_NE(make("c.npy", "2"), a);
  EXPECT_EQ(a.cols(), 65);
  must({"transform", recipe, "--data", data, "--out", folder_ / "d.npy", "--seed", "1", "--features-only", "--quiet"});
  EXPECT_EQ(read("d.npy"), a.leftCols(64));
  expect_no_leftovers();
}

// Rows of a table become dense; the same rows as LIBSVM stay sparse from the file to the features.
TEST_F(Transform, SparseRowsOfARecipeGiveTheFeaturesOfDenseOnes) {
  std::string table, sparse;
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 12; ++j) {
      const bool there = (i * 7 + j * 5) % 4 == 0;
      const int value = (i * j) % 9 + 1;
      table += (there ? std::to_string(value) : "0") + ",";
      if (there)
        sparse += (sparse.empty() || sparse.back() == '\n' ? std::to_string(1 + i % 3) : "") + " " +
                  std::to_string(j + 1) + ":" + std::to_string(value);
    }
    table += std::to_string(1 + i % 3) + "\n";
    if (!sparse.empty() && sparse.back() != '\n') sparse += "\n";
  }
  sparse += "3 12:1\n";
  table += "0,0,0,0,0,0,0,0,0,0,0,1,3\n";
  const std::string dense_path = folder_.write("d.csv", table), sparse_path = folder_.write("d.libsvm", sparse);
  const std::vector<std::pair<std::string, std::string>> recipes = {
      {"linear", R"("linear")"},
      {"gcws", R"("gcws", "features": {"samples": 16, "bits": 4})"},
      {"sketch", R"("tensor-sketch", "features": {"sketch": 32, "learn_lengthscale": false})"}};
  for (const auto& [name, model] : recipes)
    for (const auto& [learner, rows] : {std::pair<std::string, std::string>{"gp", "unit_rows"},
                                        {"svm", "unit_rows"},
                                        {"gp", "roots"},
                                        {"svm", "roots"}}) {
      const std::string recipe =
          folder_.write("r.json", R"({"model": )" + model + R"(, "learner": {"kind": ")" + learner +
                                      R"("}, "scale": {"inputs": "none", ")" + rows + R"(": true}})");
      const auto features = [&](const std::string& data, const std::string& out, const std::string& threads) {
        must({"transform", recipe, "--data", data, "--out", folder_ / out, "--quiet", "--threads", threads});
        return read(out);
      };
      const Matrix expected = features(dense_path, "a.npy", "1");
      const Matrix found = features(sparse_path, "b.npy", "1");
      ASSERT_EQ(found.rows(), expected.rows()) << name;
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12) << name << learner << rows;
      EXPECT_EQ(features(sparse_path, "c.npy", "3"), found) << name;
    }
}

TEST_F(Transform, WideSparseRowsTakeTheMemoryOfTheirNonzeros) {
  std::string rows;
  for (int i = 0; i < 400; ++i)
    rows += "1 " + std::to_string(i + 1) + ":1 " + std::to_string(500000 + 97 * i) + ":2 1000000:0.5\n";
  // Dense rows would take 8 MB each; without a target only sparse rows are possible.
  const std::string data = folder_.write("wide.libsvm", rows + "17:3\n");
  const RunResult result = must({"transform", "gcws", "--data", data, "--out", folder_ / "f.libsvm", "--quiet", "--set",
                                 R"(/scale/inputs="none")", "--set", "/features/samples=8", "--features-only"});
  if (!program_has_sanitizers()) {  // sanitizers retain freed memory
    EXPECT_LT(result.peak_kilobytes, 200000);
  }
  EXPECT_EQ(lines_of(read_file(folder_ / "f.libsvm")).size(), 401U);
}

// Reports an impossible output before reading anything.
TEST_F(Transform, AnOutputThatCannotBeIsToldAtOnce) {
  const std::string recipe = quick_recipe(), broken = folder_.write("broken.csv", "a,b\n1,x\n");
  expect_failure(run({"transform", recipe, "--data", broken, "--out", folder_ / "f.txt", "--quiet"}), 2, {"--out"});
  expect_failure(run({"transform", recipe, "--data", broken, "--out", folder_ / "no/f.npy", "--quiet"}), 4, {"f.npy"});
  expect_failure(run({"transform", "exact-rbf", "--data", broken, "--out", folder_ / "f.npy", "--quiet"}), 2,
                 {"exact kernel"});
}

TEST_F(Transform, WhatCannotBeSaysSo) {
  const std::string data = friedman(60, 2, "d.csv"), model = quick_model();
  expect_failure(run({"transform", "exact-rbf", "--data", data, "--out", folder_ / "f.npy", "--quiet"}), 2,
                 {"/model", "exact kernel"});
  expect_failure(run({"transform", "auto", "--data", data, "--out", folder_ / "f.npy", "--quiet"}), 2,
                 {"/model", "mixture"});
  expect_failure(run({"transform", model, "--data", data, "--out", folder_ / "f.txt", "--quiet"}), 2,
                 {"--out", "does not end in"});
  expect_failure(run({"transform", model, "--data", data, "--out", folder_ / "f.npy", "--quiet", "--seed", "3"}), 1,
                 {"--seed"});
  expect_failure(run({"transform", model, "--data", data, "--out", folder_ / "no/f.npy", "--quiet"}), 4, {"f.npy"});
}

TEST_F(Transform, AnInterruptLeavesNoFile) {
  const std::string data = friedman(200000, 2, "d.csv"), recipe = quick_recipe();
  const auto before = folder_.entries();
  RunningProgram program(program_path(), {"transform", recipe, "--data", data, "--out", folder_ / "f.csv", "--set",
                                          "/features/frequencies=512", "--quiet"});
  // The temporary file exists once the rows are converted and the first features are about to be written. An earlier
  // short-lived file probes that the folder is writable.
  constexpr int kEnough = 30;
  int seen = 0;
  for (int i = 0; i < 20000 && seen < kEnough; ++i, ::usleep(1000)) seen = folder_.entries() == before ? 0 : seen + 1;
  EXPECT_EQ(seen, kEnough);
  program.send(SIGINT);
  const RunResult result = program.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(folder_.entries(), before);
}

}  // namespace
}  // namespace alacarte::test
