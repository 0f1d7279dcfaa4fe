#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alacarte/inference/inference.hpp"
#include "alacarte/optimise/gradient_checker.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

struct RegisteredSetting {
  std::string name;
  std::string draws = {};  ///< empty: those of the example recipe
  Index knots = 0;
  std::string phase = "pair";
  bool normalized = false;
};

std::vector<RegisteredSetting> registered_settings() {
  std::vector<RegisteredSetting> all;
  for (const auto& entry : feature_maps()) {
    all.push_back({entry.name});
    if (entry.name == "rbf") all.push_back({entry.name, "gaussian"});
    if (entry.name == "ard") {
      for (const char* draws : {"gaussian", "orthogonal", "sobol", "hashed", "fft"}) all.push_back({entry.name, draws});
      all.push_back({entry.name, "fastfood", 0, "offset"});
      all.push_back({entry.name, "fastfood", 0, "offset", true});
    }
    if (entry.name == "matern" || entry.name == "ball") all.push_back({entry.name, "hashed"});
    if (entry.name == "pwl") all.push_back({entry.name, "fastfood", 4});
  }
  return all;
}

class RegisteredMaps : public ::testing::TestWithParam<RegisteredSetting> {
 protected:
  std::shared_ptr<const FeatureMap> make(Index inputs, Index frequencies) const {
    Recipe recipe = example_recipe(GetParam().name, frequencies);
    if (!GetParam().draws.empty()) recipe.features.draws = GetParam().draws;
    recipe.features.phase = GetParam().phase;
    recipe.features.normalized = GetParam().normalized;
    recipe.features.knots = GetParam().knots;
    const Matrix x = normal_matrix(60, inputs, 70);
    RandomStream stream(7);
    const TrainingStatistics statistics = training_statistics(x, x.col(0), stream);
    return find_feature_map(GetParam().name)->make(recipe, inputs, RandomStreams(5), statistics);
  }
};

// A start of the map, moved a little so that no slot sits at a special value.
Vector point(const FeatureMap& map, const Matrix& x, const Vector& y) {
  RandomStream stream(8);
  const TrainingStatistics statistics = training_statistics(x, y, stream);
  Vector theta(map.parameters().size() + 1);
  theta << map.start(statistics, 1, stream), std::log(0.3);
  for (const Index entry : map.parameters().trainable_entries()) theta[entry] += 0.05 * stream.normal();
  return theta;
}

// Two algebras, one answer; the dual one of gm takes half the features.
TEST_P(RegisteredMaps, PrimalAndDualAgree) {
  const auto map = make(3, 8);
  const Matrix x = normal_matrix(40, 3, 73);
  const Vector y = smooth_target(x, 74), theta = point(*map, x, y);
  for (const int threads : {1, 3}) {
    InferenceOptions options;
    options.threads = threads;
    options.chunk_rows = 16;
    options.form = EvidenceForm::primal;
    Vector primal(theta.size()), dual(theta.size());
    const double value = make_inference(map, x, y, options)->evaluate(theta, primal);
    EXPECT_NEAR(make_inference(map, x, y, options)->value(theta), value, 1e-12 * (1 + std::abs(value)));
    options.form = EvidenceForm::dual;
    const auto objective = make_inference(map, x, y, options);
    EXPECT_NEAR(objective->evaluate(theta, dual), value, 1e-9 * (1 + std::abs(value)));
    EXPECT_NEAR(objective->value(theta), value, 1e-9 * (1 + std::abs(value)));
    EXPECT_LT((primal - dual).norm(), 1e-8 * primal.norm());
    options.form = EvidenceForm::primal;
    Vector mean(40), variance(40), other_mean(40), other_variance(40);
    objective->posterior(theta)->predict(x, mean, variance);
    make_inference(map, x, y, options)->posterior(theta)->predict(x, other_mean, other_variance);
    EXPECT_LT((mean - other_mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((variance - other_variance).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_P(RegisteredMaps, EvidenceGradientEqualsCentralDifferences) {
  for (const Index d : {1, 3, 8}) {
    const auto map = make(d, 8);
    for (const Index n : {7, 50}) {
      const Matrix x = normal_matrix(n, d, 71);
      const Vector y = smooth_target(x, 72);
      const Vector theta = point(*map, x, y);
      for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
        InferenceOptions options;
        options.form = form;
        options.mean = n == 7 ? MeanKind::zero : MeanKind::constant;
        const auto objective = make_inference(map, x, y, options);
        const GradientCheck check = check_gradient(*objective, theta, 40);
        ASSERT_FALSE(check.entries.empty());
        const auto& worst = check.entries.front();
        EXPECT_LT(check.worst(), 1e-6) << worst.name << " analytic " << worst.analytic << " numeric " << worst.numeric
                                       << ", d " << d << ", n " << n;
      }
    }
  }
}

TEST_P(RegisteredMaps, PrimalEqualsDualAndChunksEqualTheWhole) {
  const auto map = make(3, 8);
  const Matrix x = normal_matrix(90, 3, 73);
  const Vector y = smooth_target(x, 74);
  const Vector theta = point(*map, x, y);
  Vector whole(theta.size()), other(theta.size());
  InferenceOptions options;
  options.form = EvidenceForm::primal;
  options.chunk_rows = 90;
  const double value = make_inference(map, x, y, options)->evaluate(theta, whole);
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    options.form = form;
    options.chunk_rows = 13;
    options.threads = 2;
    EXPECT_NEAR(make_inference(map, x, y, options)->evaluate(theta, other), value, 1e-9 * (1 + std::abs(value)));
    EXPECT_LT((whole - other).norm(), 1e-9 * whole.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(All, RegisteredMaps, ::testing::ValuesIn(registered_settings()), [](const auto& info) {
  std::string name = info.param.name + "_" + info.param.draws + "_" + std::to_string(info.param.knots) + "_" +
                     info.param.phase + (info.param.normalized ? "_normalized" : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace alacarte
