// The seconds of a plan: what its evaluations count for.
#include "alacarte/app/training_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace alacarte {
namespace {

double seconds_of(const TrainingPlan::Fit& fit, const TrainingPlan::Fit& noise_prior = {}) {
  TrainingPlan plan;
  plan.fits = {fit};
  plan.noise_prior = noise_prior;
  plan.total_flops = fit.evaluation.flops * static_cast<double>(fit.planned_evaluations);
  return plan_json(plan, 1)["seconds"];
}

TrainingPlan::Fit exact_fit(Index inputs, double flops, double pair_flops) {
  TrainingPlan::Fit fit;
  fit.evaluation.form = "exact";
  fit.evaluation.inputs = inputs;
  fit.evaluation.flops = flops;
  fit.evaluation.pair_flops = pair_flops;
  fit.planned_evaluations = 10;
  return fit;
}

TEST(PlanSeconds, OfPairsAreMoreThanOfFactorsAndFewerOfManyInputs) {
  const double factor = seconds_of(exact_fit(8, 1e10, 0)), pairs = seconds_of(exact_fit(8, 1e10, 1e10));
  EXPECT_GT(pairs, 5 * factor);
  const double wide = seconds_of(exact_fit(2000, 1e10, 1e10));
  EXPECT_LT(wide, pairs / 2);
  EXPECT_GT(wide, factor);
}

TEST(PlanSeconds, HaveTheFitOfTheNoisePriorInThem) {
  const TrainingPlan::Fit fit = exact_fit(8, 1e10, 1e9);
  EXPECT_DOUBLE_EQ(seconds_of(fit, fit), 2 * seconds_of(fit));
}

TEST(PlanSeconds, OfMinibatchesAreMoreThanTheirOperationsTell) {
  TrainingPlan::Fit fit = exact_fit(8, 1e10, 0);
  fit.evaluation.form = "primal";
  const double plain = seconds_of(fit);
  fit.minibatches = 10;
  EXPECT_GT(seconds_of(fit), 2 * plain);
}

}  // namespace
}  // namespace alacarte
