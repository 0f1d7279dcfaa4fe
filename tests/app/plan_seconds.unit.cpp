// Seconds of a plan, from its evaluations and the machine.
#include "app/plan_seconds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/pair_loops.hpp"

namespace alacarte {
namespace {

constexpr MachineRates kRates{50e9, 1e-9, 0.25e-9};

TrainingPlan plan_of(std::vector<TrainingPlan::Fit> fits) {
  TrainingPlan plan;
  plan.fits = std::move(fits);
  return plan;
}

double seconds_of(const TrainingPlan::Fit& fit, const MachineRates& rates = kRates) {
  return plan_seconds(plan_of({fit}), 1, rates);
}

TrainingPlan::Fit exact_fit(Index rows, Index inputs) {
  TrainingPlan::Fit fit;
  fit.evaluation.form = EvaluationForm::exact;
  fit.evaluation.rows = rows;
  fit.evaluation.inputs = inputs;
  const auto n = static_cast<double>(rows);
  fit.evaluation.pair_flops = 0.5 * n * n * pair_flops(static_cast<double>(inputs));
  fit.evaluation.flops = n * n * n + fit.evaluation.pair_flops;
  fit.planned_evaluations = 100;
  return fit;
}

TrainingPlan::Fit feature_fit(Index rows, Index features) {
  TrainingPlan::Fit fit;
  fit.evaluation.form = rows < features ? EvaluationForm::dual : EvaluationForm::primal;
  fit.evaluation.rows = rows;
  fit.evaluation.inputs = 8;
  fit.evaluation.features = features;
  fit.evaluation.flops = 3.0 * static_cast<double>(rows) * static_cast<double>(features * features);
  fit.planned_evaluations = 100;
  return fit;
}

/// `exact-ard` on energy and skillcraft, single-threaded with products at 53 GFLOP/s: milliseconds per evaluation.
TEST(PlanSeconds, OfAnExactKernelAreThoseMeasured) {
  const MachineRates rates{53e9, 1e-9, 0.24e-9};
  EXPECT_NEAR(10 * seconds_of(exact_fit(692, 8), rates), 12.0, 1.2);
  EXPECT_NEAR(10 * seconds_of(exact_fit(3005, 19), rates), 725, 73);
}

TEST(PlanSeconds, AreOfTheMachine) {
  for (const TrainingPlan::Fit& fit : {exact_fit(1000, 8), feature_fit(5000, 512), feature_fit(500, 1024)}) {
    const double slow = seconds_of(fit, {kRates.products / 2, 2 * kRates.pair_seconds, 2 * kRates.input_seconds});
    EXPECT_NEAR(slow / seconds_of(fit), 2, 0.1) << word(fit.evaluation.form);
  }
}

TEST(PlanSeconds, OfPairsGrowWithTheInputs) {
  const double few = seconds_of(exact_fit(500, 8)), many = seconds_of(exact_fit(500, 800));
  EXPECT_GT(many, 4 * few);
}

TEST(PlanSeconds, HaveTheFitOfTheNoisePriorInThem) {
  const TrainingPlan::Fit fit = exact_fit(900, 8);
  TrainingPlan plan = plan_of({fit});
  plan.noise_prior = fit;
  EXPECT_GT(plan_seconds(plan, 1, kRates), 2 * seconds_of(fit));
}

TEST(PlanSeconds, OfMinibatchesAreMoreThanTheirOperationsTell) {
  TrainingPlan::Fit fit = feature_fit(5000, 64);
  const double plain = seconds_of(fit);
  fit.minibatches = 100;
  EXPECT_GT(seconds_of(fit), 3 * plain);
}

TEST(PlanSeconds, HaveTheSubsamplesInThem) {
  TrainingPlan::Fit fit = exact_fit(4000, 8);
  fit.planned_evaluations = 1;
  const double plain = seconds_of(fit);
  fit.subsamples = {{2000, 16}};
  EXPECT_NEAR(seconds_of(fit) - plain, seconds_of(exact_fit(2000, 8)) * 0.16, 0.1 * plain);
}

TEST(PlanSeconds, OfSmallWorkAreThoseOfOneThread) {
  const TrainingPlan small = plan_of({exact_fit(400, 10)}), large = plan_of({exact_fit(4000, 10)});
  EXPECT_GT(plan_seconds(small, 2, kRates), 0.97 * plan_seconds(small, 1, kRates));
  EXPECT_LT(plan_seconds(large, 2, kRates), 0.6 * plan_seconds(large, 1, kRates));
}

TEST(PlanSeconds, OfFitsSideBySideAreThoseOfTheLongest) {
  TrainingPlan plan = plan_of({exact_fit(500, 8), exact_fit(1500, 8), exact_fit(500, 8)});
  plan.concurrent_fits = 2;
  EXPECT_NEAR(plan_seconds(plan, 2, kRates), seconds_of(exact_fit(1500, 8)), 1e-9);
}

TEST(PlanSeconds, AreNoMoreThanTheClockGives) {
  TrainingPlan plan = plan_of({exact_fit(4000, 8)});
  plan.seconds = 3;
  EXPECT_EQ(plan_seconds(plan, 1, kRates), 3);
}

TEST(PlanSeconds, MachineHasRates) {
  const MachineRates rates = measure_machine();
  EXPECT_GT(rates.products, 1e8);
  EXPECT_LT(rates.products, 1e13);
  EXPECT_GT(rates.pair_seconds + 8 * rates.input_seconds, 1e-11);
  EXPECT_LT(rates.pair_seconds + 8 * rates.input_seconds, 1e-5);
}

}  // namespace
}  // namespace alacarte
