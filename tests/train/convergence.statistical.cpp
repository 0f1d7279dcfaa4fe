#include <gtest/gtest.h>

#include <cmath>

#include "inference/inference.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

// Differences between an exact process and its features, as root mean squares over seeds.
struct Errors {
  double value = 0, mean = 0, variance = 0;
};

class Convergence : public ::testing::TestWithParam<std::string> {
 protected:
  Errors errors(Index frequencies) const {
    const std::shared_ptr<const Kernel> kernel = find_kernel("exact-ard")->make({}, 3);
    Vector exact(5), gradient(5), mean(10), variance(10), other_mean(10), other_variance(10);
    exact << 0.5, 0.7, 0.6, 0.1, -1.0;
    const auto process = make_inference(kernel, x_, y_, {});
    const double value = process->evaluate(exact, gradient);
    function_of(*process->posterior(exact)).predict(test_, mean, variance);

    Errors sums;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      Recipe recipe;
      recipe.features.draws = from_word<DirectionSource>(GetParam()).value();
      recipe.features.frequencies = frequencies;
      const std::shared_ptr<const FeatureMap> map = find_feature_map("ard")->make(recipe, 3, RandomStreams(seed), {});
      Vector theta = Vector::Zero(map->parameters().size() + 1), unused(theta.size());
      theta.segment(map->parameters().find("ard.log_lengthscale").offset, 3) = exact.head(3);
      theta[map->parameters().find("ard.log_amplitude").offset] = exact[3];
      theta[theta.size() - 1] = exact[4];
      const auto features = make_inference(map, x_, y_, {});
      sums.value += std::pow(features->evaluate(theta, unused) - value, 2);
      function_of(*features->posterior(theta)).predict(test_, other_mean, other_variance);
      sums.mean += (other_mean - mean).squaredNorm() / 10;
      sums.variance += (other_variance - variance).squaredNorm() / 10;
    }
    return {std::sqrt(sums.value / kSeeds), std::sqrt(sums.mean / kSeeds), std::sqrt(sums.variance / kSeeds)};
  }

  static constexpr std::uint64_t kSeeds = 8;
  Matrix x_ = normal_matrix(60, 3, 81), test_ = normal_matrix(10, 3, 82);
  Vector y_ = smooth_target(x_, 83);
};

// Sixteen times the features give a quarter of the error, for every law of the frequencies' lengths. Each root mean
// square of 8 seeds is known to about 25 % (one standard deviation), their ratio to 35 %: in logarithms the bounds are
// three of these away from 4.
TEST_P(Convergence, FeaturesReachTheExactProcessAsOneOverRootM) {
  const Errors few = errors(512), many = errors(8192);
  for (const auto& [coarse, fine] :
       {std::pair{few.value, many.value}, std::pair{few.mean, many.mean}, std::pair{few.variance, many.variance}}) {
    EXPECT_GT(coarse / fine, 1.4);
    EXPECT_LT(coarse / fine, 12);
  }
  EXPECT_LT(many.mean, 0.05);
  EXPECT_LT(many.variance, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Draws, Convergence, ::testing::Values("fastfood", "gaussian", "orthogonal", "hashed"));

}  // namespace
}  // namespace alacarte
