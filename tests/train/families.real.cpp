// Concrete slump and servo, fold 0 of the paper: scores of each family of kernels from 93 and 150 rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "alacarte/data/dataset.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "alacarte/train/fit.hpp"
#include "data/splits.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

struct RealFold {
  Schema schema;
  Dataset train, test;
};

RealFold real_fold(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(std::getenv("ALACARTE_DATA_DIR")) / "uci" / name;
  DataConfig config;
  config.strict = true;
  const auto reader = open_table((folder / "data.csv.gz").string(), config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  const Schema schema = Schema::learn(*reader, table, config, {});
  const Dataset data = schema.encode(*reader, table, true);
  const std::vector<bool> is_test = read_mask((folder / "test_mask.csv.gz").string(), 0, data.rows());
  std::vector<Index> training_rows, test_rows;
  for (Index i = 0; i < data.rows(); ++i)
    (is_test[static_cast<std::size_t>(i)] ? test_rows : training_rows).push_back(i);
  return {schema, data.select_rows(training_rows), data.select_rows(test_rows)};
}

struct Accuracy {
  double rmse = 0, nlpd = 0;
};

Accuracy learned(const std::string& family, const RealFold& fold) {
  Recipe recipe = example_recipe(family, 64);
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 5;
  recipe.training.iterations = 30;
  const Metrics scores =
      score(fit(recipe, fold.schema, fold.train, {}).predict(fold.test.inputs).distribution(), fold.test.target);
  return {scores.rmse, scores.nlpd};
}

struct OnBothSets {
  Accuracy slump, servo;
};

// Measured test RMSE and NLPD (x86-64, g++ 12, version 0.2). A straight line has 0.62 on servo, where every other
// family is below 0.43. Min-max kernels miss the sums that determine the slump of concrete.
const std::map<std::string, OnBothSets> kMeasured = {
    {"rbf", {{4.16, 2.93}, {0.390, 0.60}}},
    {"ard", {{3.52, 2.79}, {0.319, 0.32}}},
    {"fsard", {{3.58, 2.84}, {0.319, 0.33}}},
    {"fsgbard", {{3.53, 2.81}, {0.307, 0.29}}},
    {"gm", {{2.14, 2.20}, {0.319, 0.35}}},
    {"pwl", {{1.99, 2.07}, {0.301, 0.27}}},
    {"ssgpr", {{1.82, 2.11}, {0.320, 0.36}}},
    {"matern", {{1.81, 2.04}, {0.376, 0.51}}},
    {"rq", {{3.80, 2.89}, {0.343, 0.42}}},
    {"laplace", {{2.12, 2.09}, {0.269, 0.12}}},
    {"ball", {{2.70, 2.46}, {0.380, 0.53}}},
    {"radial", {{2.87, 2.48}, {0.310, 0.30}}},
    {"linear", {{3.77, 3.01}, {0.627, 0.98}}},
    {"polynomial", {{2.36, 2.34}, {0.404, 0.62}}},
    {"dot-product", {{3.88, 2.98}, {0.343, 0.42}}},
    {"moments", {{1.88, 2.10}, {0.357, 0.47}}},
    {"local", {{3.19, 2.62}, {0.340, 0.39}}},
    {"positive", {{2.97, 2.55}, {0.415, 0.66}}},
    {"periodic", {{2.07, 2.19}, {0.313, 0.30}}},
    {"nystrom", {{2.40, 2.36}, {0.311, 0.31}}},
    {"tensor-sketch", {{2.51, 2.43}, {0.420, 0.63}}},
    {"gcws", {{33.74, 4.80}, {0.309, 0.28}}},
    {"deep", {{8.62, 3.53}, {0.367, 1.51}}},
    {"sum", {{2.24, 2.13}, {0.322, 0.36}}},
    {"exact-rbf", {{2.73, 2.50}, {0.351, 0.48}}},
    {"exact-ard", {{1.96, 2.17}, {0.312, 0.32}}},
    {"exact-matern", {{1.88, 2.02}, {0.301, 0.27}}},
    {"exact-rq", {{1.82, 2.12}, {0.302, 0.28}}},
    {"exact-periodic", {{1.47, 1.95}, {0.292, 0.22}}},
    {"exact-linear", {{3.79, 3.01}, {0.624, 0.97}}},
    {"exact-polynomial", {{2.10, 2.19}, {0.368, 0.52}}},
    {"exact-minmax", {{19.44, 4.49}, {0.284, 0.22}}},
    {"exact-sum", {{1.66, 1.95}, {0.309, 0.31}}},
    {"exact-product", {{2.35, 2.25}, {0.283, 0.19}}},
};
constexpr double kWorse = 1.2, kNats = 0.2;  // tolerances for another processor or compiler after 30 iterations

void expect_as_good(const Accuracy& now, const Accuracy& measured) {
  EXPECT_LT(now.rmse, kWorse * measured.rmse);
  EXPECT_LT(now.nlpd, kNats + measured.nlpd);
}

TEST(FamiliesOnRealData, LearnAsWellAsTheyDid) {
  if (std::getenv("ALACARTE_DATA_DIR") == nullptr) GTEST_SKIP() << "ALACARTE_DATA_DIR is not set";
  const RealFold slump = real_fold("concreteslump"), servo = real_fold("servo");
  std::vector<std::string> families;
  for (const FeatureMapEntry& entry : feature_maps()) families.push_back(entry.name);
  for (const KernelEntry& entry : kernels()) families.push_back(entry.name);
  for (const std::string& family : families) {
    SCOPED_TRACE(family);
    const auto measured = kMeasured.find(family);
    ASSERT_NE(measured, kMeasured.end()) << "a new family needs a line in kMeasured";
    expect_as_good(learned(family, slump), measured->second.slump);
    expect_as_good(learned(family, servo), measured->second.servo);
  }
}

}  // namespace
}  // namespace alacarte
