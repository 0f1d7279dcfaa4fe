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
  Matrix psi(700, fitted.members.front().map->feature_count());
  const auto prepared = fitted.members.front().map->prepare(fitted.members.front().theta);
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
  RunningProgram program(ALACARTE_PROGRAM, {"transform", recipe, "--data", data, "--out", folder_ / "f.csv", "--set",
                                            "/features/frequencies=512", "--quiet"});
  // Its temporary file is there once the rows are converted and the first features wait to be written.
  for (int i = 0; i < 20000 && folder_.entries() == before; ++i) ::usleep(1000);
  EXPECT_NE(folder_.entries(), before);
  program.send(SIGINT);
  const RunResult result = program.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(folder_.entries(), before);
}

}  // namespace
}  // namespace alacarte::test
