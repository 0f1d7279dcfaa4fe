// The evidence of Laplace's approximation: gradients of every likelihood over maps of every kind.
#include <gtest/gtest.h>

#include <cmath>

#include "inference/inference.hpp"
#include "optimise/gradient_checker.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"
#include "support/test_name.hpp"

namespace alacarte {
namespace {

struct Setting {
  std::string likelihood, map;
  bool bound = false;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const auto& entry : likelihoods()) {
    if (entry.likelihood.is_conjugate()) continue;
    for (const char* map : {"ard", "gm", "fsgbard", "polynomial", "nystrom"}) {
      all.push_back({entry.name, map});
      if (is_of_classes(entry) && entry.likelihood.max_classes() == 0) all.push_back({entry.name, map, true});
    }
  }
  return all;
}

class LaplaceGradients : public ::testing::TestWithParam<Setting> {};

TEST_P(LaplaceGradients, EqualCentralDifferences) {
  const LikelihoodEntry& entry = *find_likelihood(GetParam().likelihood);
  for (const Index n : {9, 50}) {
    const Matrix x = normal_matrix(n, 3, 71);
    const Vector y = class_target(entry, x, 72);
    RandomStream stream(7);
    TrainingStatistics statistics = training_statistics(x, y, stream);
    statistics.target_sd = entry.likelihood.start_sd(statistics.target_sd);
    const auto map = std::shared_ptr<const FeatureMap>(
        find_feature_map(GetParam().map)->make(example_recipe(GetParam().map, 8), 3, RandomStreams(5), statistics));
    InferenceOptions options;
    options.likelihood = entry.likelihood;
    options.classes = is_of_classes(entry) ? class_count_of(entry) : 0;
    options.mean = n == 9 ? MeanKind::zero : MeanKind::constant;
    options.chunk_rows = 16;
    if (GetParam().bound) options.max_joint_features = 1;
    if (n == 50 && is_of_classes(entry)) options.class_weights = Vector::LinSpaced(options.classes, 0.4, 1.9);
    const auto objective = make_inference(map, x, y, options);
    EXPECT_EQ(objective->plan().form, GetParam().bound ? EvaluationForm::laplace_bound : EvaluationForm::laplace);
    Vector theta(objective->parameters().size());
    theta.head(map->parameters().size()) = map->start(statistics, 1, stream);
    if (options.mean == MeanKind::constant) theta[map->parameters().size()] = 0.4;
    for (const ParameterSlot& slot : objective->parameters().slots())
      if (slot.name.starts_with("noise.")) theta[slot.offset] = slot.prior.mean[0];
    for (const Index at : objective->parameters().trainable_entries()) theta[at] += 0.05 * stream.normal();
    Vector gradient(theta.size());
    const double value = make_inference(map, x, y, options)->evaluate(theta, gradient);
    EXPECT_NEAR(make_inference(map, x, y, options)->value(theta), value, 1e-12 * (1 + std::abs(value)));
    const GradientCheck check = check_gradient(*objective, theta, 24);
    ASSERT_FALSE(check.entries.empty());
    const auto& worst = check.entries.front();
    EXPECT_LT(check.worst(), 1e-6) << worst.name << " analytic " << worst.analytic << " numeric " << worst.numeric
                                   << ", n " << n;
    EXPECT_EQ(objective->parameters().contains("constant.log_sd"), options.mean == MeanKind::constant);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, LaplaceGradients, ::testing::ValuesIn(settings()), [](const auto& info) {
  return test_name(info.param.likelihood + "_" + info.param.map + (info.param.bound ? "_bound" : ""));
});

}  // namespace
}  // namespace alacarte
