// The evidence of Laplace's approximation for exact kernels: gradients against central differences.
#include <gtest/gtest.h>

#include "inference/inference.hpp"
#include "optimise/gradient_checker.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"
#include "support/test_name.hpp"

namespace alacarte {
namespace {

struct Setting {
  std::string likelihood, kernel;
  bool bound = false;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const char* kernel : {"exact-ard", "exact-rbf", "exact-matern"}) {
    for (const char* likelihood : {"logit", "softmax", "poisson"}) all.push_back({likelihood, kernel});
    all.push_back({"softmax", kernel, true});
  }
  all.push_back({"logit", "exact-linear"});
  return all;
}

class ExactLaplaceGradients : public ::testing::TestWithParam<Setting> {};

TEST_P(ExactLaplaceGradients, EqualCentralDifferences) {
  const LikelihoodEntry& entry = *find_likelihood(GetParam().likelihood);
  for (const Index n : {9, 70}) {  // large n keeps features between passes
    Matrix x = normal_matrix(n, 3, 71);
    x.row(1).setZero();  // the linear kernel is zero there, so its Gram matrix needs jitter
    const Vector y = class_target(entry, x, 72);
    RandomStream stream(7);
    TrainingStatistics statistics = training_statistics(x, y, stream);
    statistics.target_sd = entry.likelihood.start_sd(1);
    const std::shared_ptr<const Kernel> kernel =
        find_kernel(GetParam().kernel)->make(example_recipe(GetParam().kernel, 1), 3);
    InferenceOptions options;
    options.likelihood = entry.likelihood;
    options.classes = entry.likelihood.target() == TargetKind::classes ? class_count_of(entry) : 0;
    options.mean = n == 9 ? MeanKind::zero : MeanKind::constant;
    options.chunk_rows = 16;
    if (GetParam().bound) options.max_joint_features = 1;
    const auto inference = make_inference(kernel, x, y, options);
    EXPECT_EQ(inference->plan().form, GetParam().bound ? EvaluationForm::laplace_bound : EvaluationForm::laplace);
    EXPECT_EQ(inference->plan().features, 0);
    Vector theta(inference->parameters().size());
    theta.head(kernel->parameters().size()) = kernel->start(statistics, 1, stream);
    if (options.mean == MeanKind::constant) theta[kernel->parameters().size()] = 0.4;
    for (const ParameterSlot& slot : inference->parameters().slots())
      if (slot.name.starts_with("noise.")) theta[slot.offset] = slot.prior.mean[0];
    for (const Index at : inference->parameters().trainable_entries()) theta[at] += 0.05 * stream.normal();
    const GradientCheck check = check_gradient(*inference, theta, 24);
    ASSERT_FALSE(check.entries.empty());
    const auto& worst = check.entries.front();
    EXPECT_LT(check.worst(), 1e-6) << worst.name << " analytic " << worst.analytic << " numeric " << worst.numeric
                                   << ", n " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ExactLaplaceGradients, ::testing::ValuesIn(settings()), [](const auto& info) {
  return test_name(info.param.likelihood + "_" + info.param.kernel.substr(6) + (info.param.bound ? "_bound" : ""));
});

}  // namespace
}  // namespace alacarte
