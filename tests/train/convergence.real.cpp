// Concrete, fold 0: Fastfood ARD against the exact process at the hyperparameters that the exact process learned.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "alacarte/data/dataset.hpp"
#include "data/splits.hpp"
#include "inference/inference.hpp"

namespace alacarte {
namespace {

struct Fold {
  Matrix x, test;
  Vector y;  ///< standardised
};

Fold concrete_fold(const std::filesystem::path& folder) {
  DataConfig config;
  config.strict = true;
  const auto reader = open_table((folder / "data.csv.gz").string(), config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  const Dataset data = Schema::learn(*reader, table, config, {}).encode(*reader, table, true);
  const std::vector<bool> is_test = read_mask((folder / "test_mask.csv.gz").string(), 0, data.rows());
  std::vector<Index> training_rows, test_rows;
  for (Index i = 0; i < data.rows(); ++i)
    (is_test[static_cast<std::size_t>(i)] ? test_rows : training_rows).push_back(i);
  Matrix x = data.inputs(training_rows, Eigen::all);
  Vector y = data.target(training_rows);
  const auto scale = Standardizer::learn(x, y, Scaling::none, TargetScaling::zscore);
  return {x, data.inputs(test_rows, Eigen::all), scale.target(y)};
}

/// Means over draws, in nats per row and in standard deviations of the noise.
struct Gaps {
  double evidence = 0, prediction = 0;
};

TEST(ConvergenceOnConcrete, FastfoodReachesTheExactProcess) {
  const char* const root = std::getenv("ALACARTE_DATA_DIR");
  if (root == nullptr) GTEST_SKIP() << "ALACARTE_DATA_DIR is not set";
  const Fold fold = concrete_fold(std::filesystem::path(root) / "uci/concrete");
  const Index n = fold.x.rows(), d = fold.x.cols();
  // Log length-scales in raw units, log amplitude, log noise: `alacarte train paper/exact-ard --fold 0`, inspected.
  Vector exact(10), unused(10), mean(fold.test.rows()), variance(mean.size()), other(mean.size());
  exact << 5.8772, 5.8242, 5.0051, 3.1219, 2.8020, 5.8521, 5.6993, 3.9202, 0.46469, -1.42832;
  const auto process = make_inference(std::shared_ptr<const Kernel>(find_kernel("exact-ard")->make({}, d)), fold.x,
                                      fold.y, InferenceOptions{});
  const double value = process->evaluate(exact, unused);
  function_of(*process->posterior(exact)).predict(fold.test, mean, variance);

  const auto gaps = [&](Index frequencies) {
    constexpr std::uint64_t kDraws = 5;
    Gaps sums;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      Recipe recipe;
      recipe.features.frequencies = frequencies;
      const std::shared_ptr<const FeatureMap> map = find_feature_map("ard")->make(recipe, d, RandomStreams(seed), {});
      const auto features = make_inference(map, fold.x, fold.y, InferenceOptions{});
      Vector theta = exact, gradient(theta.size());  // equal slots in equal order
      const double evidence_gap = std::abs(features->evaluate(theta, gradient) - value) / static_cast<double>(n);
      function_of(*features->posterior(theta)).predict(fold.test, other, variance);
      const double prediction_gap = std::sqrt((other - mean).array().square().mean()) / features->noise_sd(theta);
      std::printf("m %5td draw %d: evidence gap a row %.4f, prediction gap %.3f noise sd\n", frequencies,
                  static_cast<int>(seed), evidence_gap, prediction_gap);
      sums.evidence += evidence_gap / kDraws;
      sums.prediction += prediction_gap / kDraws;
    }
    std::printf("m %5td mean:   evidence gap a row %.4f, prediction gap %.3f noise sd\n", frequencies, sums.evidence,
                sums.prediction);
    return sums;
  };
  const Gaps few = gaps(256), more = gaps(1024), many = gaps(4096);
  EXPECT_LT(more.evidence, few.evidence);
  EXPECT_LT(many.evidence, more.evidence);
  EXPECT_LT(more.prediction, few.prediction);
  EXPECT_LT(many.prediction, more.prediction);
  EXPECT_LT(many.evidence, 0.02);
  EXPECT_LT(many.prediction, 0.15);
}

}  // namespace
}  // namespace alacarte
