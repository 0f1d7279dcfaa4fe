// Inference of several targets equals that of each alone at the same hyperparameters; its gradient equals differences.
#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/model/registered.hpp"
#include "data/generators.hpp"
#include "inference/inference.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

constexpr Index kTargets = 3;

struct TargetsProblem {
  Prior prior;
  std::shared_ptr<RowSource> rows;
  std::vector<std::shared_ptr<RowSource>> alone;  // rows with one target each
  Vector theta;
};

/// Returns targets of different noise on `count` rows, some weighted.
TargetsProblem targets_problem(const std::string& model, Index count, bool weighted) {
  RandomStream stream(11);
  Dataset data;
  Matrix x;
  Vector y;
  find_problem("friedman1")->generate(count, stream, x, y);
  data.inputs = x.leftCols(3);
  data.target = (y.array() - y.mean()) / 5;
  data.more_targets.resize(count, kTargets - 1);
  for (Index i = 0; i < count; ++i) {
    data.more_targets(i, 0) = std::sin(3 * x(i, 0)) + 0.4 * stream.normal();
    data.more_targets(i, 1) = 1 + x(i, 1) * x(i, 2) + 0.1 * stream.normal();
  }
  if (weighted) {
    data.weights.resize(count);
    for (double& weight : data.weights) weight = 0.3 + 2 * stream.uniform();
  }
  TargetsProblem problem;
  const RandomStreams streams(3);
  RandomStream start = streams.stream("start");
  const TrainingStatistics statistics = training_statistics(data.inputs, data.target, start);
  problem.prior = make_prior(example_recipe(model, 6), 3, streams, statistics);
  const Vector own = problem.prior.start(statistics, 0, start);
  problem.theta.resize(own.size() + kTargets);
  problem.theta << own, std::log(0.1), std::log(0.4), std::log(0.2);
  for (Index t = 0; t < kTargets; ++t) {
    Dataset one = data;
    if (t > 0) one.target = data.more_targets.col(t - 1);
    one.more_targets.resize(0, 0);
    problem.alone.push_back(std::move(one));
  }
  problem.rows = std::move(data);
  return problem;
}

std::unique_ptr<Inference> inference_of_rows(const Prior& prior, const std::shared_ptr<RowSource>& rows) {
  InferenceOptions options;
  options.threads = 2;
  return make_inference(prior, rows, options);
}

class SharedTargets : public ::testing::TestWithParam<std::tuple<std::string, Index, bool>> {};

TEST_P(SharedTargets, AreTheSumOfEach) {
  const auto& [model, count, weighted] = GetParam();
  const TargetsProblem problem = targets_problem(model, count, weighted);
  const auto together = inference_of_rows(problem.prior, problem.rows);
  const Index kernel = problem.theta.size() - kTargets;
  ASSERT_EQ(together->parameters().size(), problem.theta.size());
  EXPECT_EQ(together->parameters().find("noise.log_sd").size, kTargets);
  Vector gradient(problem.theta.size());
  const double value = together->evaluate(problem.theta, gradient);
  EXPECT_NEAR(together->value(problem.theta), value, 1e-12 * (1 + std::abs(value)));
  const Solution solution = together->solve(problem.theta, {});
  ASSERT_EQ(solution.more.size(), kTargets - 1u);

  double sum = 0;
  Vector expected = Vector::Zero(problem.theta.size());
  const Matrix x = problem.alone.front()->read(0, 5, *std::make_unique<RowScratch>()).x.dense();
  for (Index t = 0; t < kTargets; ++t) {
    const auto alone = inference_of_rows(problem.prior, problem.alone[static_cast<std::size_t>(t)]);
    Vector theta(kernel + 1), slope(kernel + 1);
    theta << problem.theta.head(kernel), problem.theta[kernel + t];
    sum += alone->evaluate(theta, slope);
    expected.head(kernel) += slope.head(kernel);
    expected[kernel + t] = slope[kernel];
    const Solution own = alone->solve(theta, {});
    const Solution& same = t == 0 ? solution : solution.more[static_cast<std::size_t>(t - 1)];
    Vector means[2] = {Vector(x.rows()), Vector(x.rows())}, variances[2] = {Vector(x.rows()), Vector(x.rows())};
    function_of(*own.posterior).predict(x, means[0], variances[0]);
    function_of(*same.posterior).predict(x, means[1], variances[1]);
    EXPECT_LT((means[0] - means[1]).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((variances[0] - variances[1]).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((own.leave_one_out.mean - same.leave_one_out.mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((own.leave_one_out.variance - same.leave_one_out.variance).cwiseAbs().maxCoeff(), 1e-8);
  }
  EXPECT_NEAR(value, sum, 1e-8 * std::abs(sum));
  EXPECT_LT((gradient - expected).cwiseAbs().maxCoeff(), 1e-7 * (1 + expected.cwiseAbs().maxCoeff()));

  // A trial rejected early.
  EXPECT_GT(together->evaluate_below(sum - 10, problem.theta, gradient), sum - 10);
}

INSTANTIATE_TEST_SUITE_P(Forms, SharedTargets,
                         ::testing::Combine(::testing::Values("ard", "gm", "exact-ard"), ::testing::Values(9, 80),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param)) +
                                              (std::get<2>(info.param) ? "_weighted" : "");
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace alacarte
