#include "optimise/fit_context.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "io/documents.hpp"
#include "optimise/gradient_checker.hpp"

namespace alacarte {
namespace {

using Function = std::function<double(ConstVec, VecRef)>;

/// An objective given by an analytic function; the second of `size` entries is fixed if `fixed_second`.
class Analytic : public Objective {
 public:
  Analytic(Index size, Function function, bool fixed_second = false) : function_(std::move(function)) {
    layout_.add({"a.log_first", 0, 1});
    layout_.add({"b.second", 0, 1, !fixed_second});
    if (size > 2) layout_.add({"c.rest", 0, size - 2});
  }
  const ParameterLayout& parameters() const override { return layout_; }
  double evaluate(ConstVec theta, VecRef gradient) override {
    gradient.setZero();
    return function_(theta, gradient);
  }
  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    const double value = evaluate(theta, gradient);
    if (value <= ceiling) return value;
    ++rejected;
    gradient.setConstant(std::nan(""));
    return 0.5 * (value + ceiling);  // any bound above the ceiling will do
  }
  double jitter() const override { return 0; }
  double noise_sd(ConstVec) const override { return 0.1; }
  EvaluationPlan plan() const override {
    EvaluationPlan plan;
    plan.flops = 1;
    return plan;
  }

  static inline std::atomic<int> rejected{0};  ///< trials without a gradient, over all objectives

 private:
  ParameterLayout layout_;
  Function function_;
};

double rosenbrock(ConstVec x, VecRef g) {
  double value = 0;
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    value += a * a + 100 * b * b;
    g[i] += -2 * a - 400 * x[i] * b;
    g[i + 1] += 200 * b;
  }
  return value;
}

struct Rig {
  Function function = rosenbrock;
  Index size = 4;
  bool fixed_second = false;
  TrainingConfig config;
  int threads = 1;
  FitContext context;
  std::atomic<int> calls{0};

  Rig() {
    config.starts = 1;
    config.iterations = 300;
    config.gradient_tolerance = 1e-8;
    config.objective_tolerance = 0;
    context.fit = "test";
  }
  FitResult run(const std::vector<Vector>& starts, const FitState* resume = nullptr) {
    const auto make = [this](int) -> std::unique_ptr<Objective> {
      const auto counted = [this](ConstVec x, VecRef g) {
        ++calls;
        return function(x, g);
      };
      return std::make_unique<Analytic>(size, counted, fixed_second);
    };
    return minimise(*make(threads), make, starts, config, false, threads, context, resume);
  }
  Vector start(double value) const { return Vector::Constant(size, value); }
};

TEST(Trainer, FindsTheMinimumAndCounts) {
  Rig rig;
  const FitResult result = rig.run({rig.start(-1)});
  EXPECT_LT((result.theta - rig.start(1)).norm(), 1e-5);
  EXPECT_EQ(result.summary.stop, Stop::gradient);
  EXPECT_LT(result.summary.gradient_norm, 1e-8);
  EXPECT_EQ(result.summary.evaluations, rig.calls);
  EXPECT_EQ(result.summary.iterations, static_cast<Index>(result.summary.trace.size()));
  EXPECT_EQ(result.summary.failed_evaluations, 0);
  EXPECT_TRUE(std::is_sorted(result.summary.trace.rbegin(), result.summary.trace.rend()));
  EXPECT_LE(result.summary.evaluations, 2 * result.summary.iterations);
}

// A trial above its start has no gradient, and the search does not need it.
TEST(Trainer, RejectedTrialsNeedNoGradient) {
  Rig rig;
  const int before = Analytic::rejected;
  const FitResult result = rig.run({rig.start(-2)});
  EXPECT_LT((result.theta - rig.start(1)).norm(), 1e-5);
  EXPECT_GT(Analytic::rejected, before);
  EXPECT_EQ(result.summary.failed_evaluations, 0);
}

TEST(Trainer, LeavesUntrainedEntriesAlone) {
  Rig rig;
  rig.fixed_second = true;
  const FitResult result = rig.run({rig.start(0.5)});
  EXPECT_EQ(result.theta[1], 0.5);
  EXPECT_EQ(result.summary.stop, Stop::gradient);
}

TEST(Trainer, IterationAndEvaluationLimits) {
  Rig rig;
  rig.config.iterations = 7;
  FitResult result = rig.run({rig.start(-1)});
  EXPECT_EQ(result.summary.stop, Stop::iterations);
  EXPECT_EQ(result.summary.iterations, 7);
  rig.config.iterations = 0;
  EXPECT_EQ(rig.run({rig.start(-1)}).theta, rig.start(-1));
  rig.config.iterations = 300;
  rig.config.evaluations = 12;
  rig.calls = 0;
  result = rig.run({rig.start(-1)});
  EXPECT_EQ(result.summary.stop, Stop::evaluations);
  EXPECT_EQ(rig.calls, 12);
}

// The first iteration after which the objective has changed by at most that share over five iterations is the last one.
TEST(Trainer, ObjectiveTolerance) {
  for (const double level : {0.0, 1e4}) {
    Index longer = 300;
    for (const double tolerance : {1e-10, 1e-6, 1e-3}) {
      SCOPED_TRACE(testing::Message() << "level " << level << ", tolerance " << tolerance);
      Rig rig;
      rig.function = [level](ConstVec x, VecRef g) { return level + rosenbrock(x, g); };
      rig.config.gradient_tolerance = 0;
      rig.config.objective_tolerance = tolerance;
      const TrainingSummary summary = rig.run({rig.start(-1)}).summary;
      EXPECT_EQ(summary.stop, Stop::objective);
      ASSERT_EQ(summary.iterations, static_cast<Index>(summary.trace.size()));
      for (std::size_t i = 5; i < summary.trace.size(); ++i) {
        const double change = summary.trace[i - 5] - summary.trace[i];
        EXPECT_EQ(change <= tolerance * std::max(1.0, summary.trace[i]), i + 1 == summary.trace.size()) << i;
      }
      EXPECT_LT(summary.iterations, longer) << "a larger tolerance is reached earlier";
      longer = summary.iterations;
    }
  }
}

TEST(Trainer, SurvivesRegionsThatThrowOrGiveNan) {
  for (const bool throws : {true, false}) {
    Rig rig;
    rig.function = [throws](ConstVec x, VecRef g) {
      if (x[0] > 1.05 || x[1] < -1.2) {
        if (throws) throw NumericalError("Cholesky", "not positive definite");
        return std::numeric_limits<double>::quiet_NaN();
      }
      return rosenbrock(x, g);
    };
    const FitResult result = rig.run({rig.start(-1)});
    EXPECT_LT((result.theta - rig.start(1)).norm(), 1e-4);
    EXPECT_GT(result.summary.failed_evaluations, 0);
  }
}

TEST(Trainer, OtherStartsReplaceOneThatFails) {
  Rig rig;
  rig.config.starts = 3;
  rig.function = [](ConstVec x, VecRef g) {
    if (x[0] < -5) throw NumericalError("Cholesky", "not positive definite");
    return rosenbrock(x, g);
  };
  const FitResult result = rig.run({rig.start(-9), rig.start(0.3), rig.start(-2)});
  EXPECT_LT((result.theta - rig.start(1)).norm(), 1e-4);
  EXPECT_TRUE(std::isinf(result.summary.start_objectives[0]));
  EXPECT_THROW(rig.run({rig.start(-9), rig.start(-8), rig.start(-7)}), NumericalError);
  EXPECT_THROW(rig.run({rig.start(-9)}), NumericalError);
}

// An exception other than a numerical failure of one start ends the fit, from any thread.
TEST(Trainer, WantOfMemoryInAProbeReachesTheCaller) {
  Rig rig;
  rig.config.starts = 3;
  rig.function = [](ConstVec x, VecRef g) {
    if (x[0] < -5) throw std::bad_alloc();
    return rosenbrock(x, g);
  };
  for (const int threads : {1, 3}) {
    rig.threads = threads;
    EXPECT_THROW(rig.run({rig.start(0.3), rig.start(-9), rig.start(-2)}), std::bad_alloc) << threads;
  }
}

TEST(Trainer, InconsistentGradientStallsAtTheBestPoint) {
  Rig rig;
  double best = std::numeric_limits<double>::infinity();
  rig.function = [&best](ConstVec x, VecRef g) {
    const double value = rosenbrock(x, g);
    if (value < 1) g = -g;  // uphill from here on
    best = std::min(best, value);
    return value;
  };
  const FitResult result = rig.run({rig.start(-1)});
  EXPECT_EQ(result.summary.stop, Stop::stalled);
  EXPECT_EQ(result.summary.objective, best);
}

TEST(Trainer, KinksCauseRestarts) {
  Rig rig;
  rig.size = 6;
  rig.function = [](ConstVec x, VecRef g) {  // nonsmooth: line searches fail at the kink
    for (Index i = 0; i < x.size(); ++i) g[i] = (x[i] > 0.25 ? 1.0 : -1.0) * static_cast<double>(i + 1);
    return (Vector::LinSpaced(x.size(), 1, static_cast<double>(x.size())).array() * (x.array() - 0.25).abs()).sum();
  };
  const FitResult result = rig.run({Vector::LinSpaced(6, -2, 3)});
  EXPECT_LT(result.summary.objective, 3.0);  // from 30.25
  EXPECT_GT(result.summary.restarts, 0);
}

TEST(Trainer, BestProbeIsContinuedAndThreadsDoNotMatter) {
  Rig rig;
  rig.config.starts = 3;
  rig.config.probe_iterations = 5;
  const std::vector<Vector> starts = {rig.start(-2), rig.start(0.8), rig.start(-1)};
  const FitResult one = rig.run(starts);
  rig.threads = 3;
  const FitResult three = rig.run(starts);
  EXPECT_EQ(one.theta, three.theta);
  EXPECT_EQ(one.summary.evaluations, three.summary.evaluations);
  EXPECT_EQ(one.summary.trace, three.summary.trace);
  ASSERT_EQ(one.summary.start_objectives.size(), 3u);
  const auto& values = one.summary.start_objectives;
  EXPECT_EQ(one.summary.best_start, std::min_element(values.begin(), values.end()) - values.begin());
}

TEST(Trainer, InterruptGivesTheBestSoFar) {
  for (const int at : {0, 1, 5, 30, 40}) {
    for (const std::size_t count : {1u, 3u}) {
      Rig rig;
      rig.config.starts = static_cast<Index>(count);
      std::atomic<bool> flag{at == 0};
      double best = std::numeric_limits<double>::infinity();
      rig.function = [&](ConstVec x, VecRef g) {
        const double value = rosenbrock(x, g);
        best = std::min(best, value);
        if (rig.calls >= at) flag = true;
        return value;
      };
      rig.context.interrupt = &flag;
      const FitResult result = rig.run(std::vector<Vector>(count, rig.start(-1)));
      EXPECT_EQ(result.summary.stop, Stop::interrupted);
      EXPECT_EQ(result.summary.objective, best);
      EXPECT_EQ(rig.calls, std::max(at, 1));
      Vector gradient(4);
      gradient.setZero();
      EXPECT_EQ(rosenbrock(result.theta, gradient), best);
    }
  }
}

TEST(Trainer, DeadlineIsObeyed) {
  Rig rig;
  double clock = 0;
  rig.context.clock = [&clock] { return clock; };
  rig.context.deadline = 10;
  rig.function = [&clock](ConstVec x, VecRef g) {
    clock += 1;
    return rosenbrock(x, g);
  };
  const FitResult result = rig.run({rig.start(-1)});
  EXPECT_EQ(result.summary.stop, Stop::clock);
  EXPECT_EQ(rig.calls, 10);
}

// Expects every state of a checkpoint, through JSON, to give the bits of the uninterrupted run.
void expect_same_bits_from_any_state(Rig& rig, const std::vector<Vector>& starts) {
  std::vector<std::string> states;
  rig.context.save = [&](const FitState& state) { states.push_back(to_json(state).dump()); };
  const FitResult whole = rig.run(starts);
  ASSERT_GT(states.size(), 20u);
  rig.context.save = nullptr;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const FitState state = fit_state_from_json(nlohmann::json::parse(states[i]));
    const FitResult resumed = rig.run(starts, &state);
    EXPECT_EQ(resumed.theta, whole.theta) << i;
    nlohmann::json ours = to_json(resumed.summary), theirs = to_json(whole.summary);
    ours.erase("seconds");
    theirs.erase("seconds");
    EXPECT_EQ(ours, theirs) << i;
  }
  const FitState last = fit_state_from_json(nlohmann::json::parse(states.back()));
  EXPECT_TRUE(last.finished);
  rig.calls = 0;
  EXPECT_EQ(rig.run(starts, &last).theta, whole.theta);
  EXPECT_EQ(rig.calls, 0);
}

TEST(Trainer, ResumesToTheSameBitsFromAnyState) {
  Rig rig;
  rig.config.starts = 3;
  rig.config.probe_iterations = 5;
  rig.config.history = 4;  // fewer than the iterations: the oldest pairs are dropped
  expect_same_bits_from_any_state(rig, {rig.start(-2), rig.start(0.8), rig.start(-1)});
}

TEST(Trainer, ResumesToTheSameBitsAfterRestartsAndFailures) {
  Rig rig;
  rig.config.iterations = 60;
  rig.config.gradient_tolerance = 0;
  int failures = 0;
  // Rounded to floats, values stall the line search; beyond the wall they do not exist.
  rig.function = [&](ConstVec x, VecRef g) {
    if (x[0] > 1.05) ++failures;
    return x[0] > 1.05 ? std::nan("") : static_cast<double>(static_cast<float>(rosenbrock(x, g)));
  };
  expect_same_bits_from_any_state(rig, {rig.start(-2)});
  EXPECT_GT(failures, 0);
}

/// Evaluates a bowl a thousand times as steep in one direction as in another.
double long_bowl(ConstVec x, VecRef g) {
  const Vector weights = Vector::LinSpaced(x.size(), 0, 3).unaryExpr([](double power) { return std::pow(10, power); });
  g = (weights.array() * (x.array() - 1) + (x.array() - 1).cube()).matrix();
  return 0.5 * (weights.array() * (x.array() - 1).square()).sum() + 0.25 * (x.array() - 1).pow(4).sum();
}

// A search that starts with the curvature of another, here of half the function, continues as if uninterrupted.
TEST(Trainer, CurvatureIsCarriedOver) {
  Rig half;
  half.size = 8;
  half.function = [](ConstVec x, VecRef g) {
    const double value = long_bowl(x, g);
    g *= 0.5;
    return 0.5 * value;
  };
  half.config.iterations = 12;
  Curvature curvature;
  half.context.curvature = &curvature;
  const FitResult before = half.run({half.start(-1)});
  ASSERT_GT(curvature.moves.size(), 2U);
  ASSERT_EQ(curvature.changes.size(), curvature.moves.size());
  for (std::size_t i = 0; i < curvature.moves.size(); ++i)
    EXPECT_GT(curvature.moves[i].dot(curvature.changes[i]), 0) << i;
  curvature.scale(2);
  Rig rig;
  rig.size = 8;
  rig.function = long_bowl;
  rig.config.iterations = 5;
  const double forgotten = rig.run({before.theta}).summary.objective;
  const Curvature carried = curvature;
  rig.context.curvature = &curvature;
  const double remembered = rig.run({before.theta}).summary.objective;
  EXPECT_LT(remembered, 0.5 * forgotten);
  rig.config.iterations = 17;
  rig.context.curvature = nullptr;
  EXPECT_NEAR(remembered, rig.run({rig.start(-1)}).summary.objective, 1e-6 * remembered);
  rig.context.curvature = &curvature;

  rig.size = 6;  // other entries: not used
  curvature = carried;
  const double of_fewer = rig.run({rig.start(-1)}).summary.objective;
  rig.context.curvature = nullptr;
  EXPECT_EQ(of_fewer, rig.run({rig.start(-1)}).summary.objective);
}

TEST(Trainer, ResumesToTheSameBitsWithCurvatureCarriedOver) {
  Rig rig;
  rig.config.iterations = 12;
  Curvature curvature;
  rig.context.curvature = &curvature;
  const FitResult before = rig.run({rig.start(-1)});
  const Curvature carried = curvature;
  rig.config.iterations = 60;
  std::vector<FitState> states;
  rig.context.save = [&](const FitState& state) { states.push_back(state); };
  const FitResult whole = rig.run({before.theta});
  rig.context.save = nullptr;
  ASSERT_GT(states.size(), 10U);
  for (const FitState& state : states) {
    curvature = carried;  // a resumed run has it in its state
    EXPECT_EQ(rig.run({before.theta}, &state).theta, whole.theta);
  }
}

TEST(Trainer, ResumeKeepsTheIterationBudget) {
  Rig rig;
  rig.config.iterations = 20;
  std::vector<FitState> states;
  rig.context.save = [&](const FitState& state) { states.push_back(state); };
  rig.run({rig.start(-1)});
  const FitState middle = states.at(8);
  const FitResult resumed = rig.run({rig.start(-1)}, &middle);
  EXPECT_EQ(resumed.summary.iterations, 20);
  EXPECT_EQ(resumed.summary.stop, Stop::iterations);
}

TEST(Trainer, MalformedStatesAreRefused) {
  EXPECT_THROW(fit_state_from_json(nlohmann::json::object()), IoError);
  FitState state;
  nlohmann::json unknown = to_json(state);
  EXPECT_EQ(unknown.at("summary").at("stop"), "");
  unknown["summary"]["stop"] = "never";
  EXPECT_THROW(fit_state_from_json(unknown), IoError);
  state.best_theta = Vector::Zero(3);
  Rig rig;
  EXPECT_THROW(rig.run({rig.start(0)}, &state), IoError);
  EXPECT_THROW(rig.run({}), std::invalid_argument);
}

TEST(Trainer, ReportsProgress) {
  class Observer : public TrainingObserver {
   public:
    void on_progress(const Progress& progress) override { seen.push_back(progress); }
    std::vector<Progress> seen;
  } observer;
  Rig rig;
  rig.config.starts = 2;
  rig.context.observer = &observer;
  rig.run({rig.start(-1), rig.start(2)});
  ASSERT_GT(observer.seen.size(), 10u);
  EXPECT_EQ(observer.seen.front().stage, "probe 1/2");
  EXPECT_EQ(observer.seen.back().stage, "final");
  EXPECT_EQ(observer.seen.back().fit, "test");
  EXPECT_EQ(observer.seen.back().noise_sd, 0.1);
}

TEST(GradientChecker, AgreesAndCatchesAWrongGradient) {
  Analytic right(5, rosenbrock);
  const Vector theta = Vector::LinSpaced(5, -0.7, 1.3);
  EXPECT_LT(check_gradient(right, theta).worst(), 1e-8);
  EXPECT_EQ(check_gradient(right, theta).entries.size(), 5u);
  EXPECT_EQ(check_gradient(right, theta, 3).entries.size(), 3u);
  Analytic wrong(5, [](ConstVec x, VecRef g) {
    const double value = rosenbrock(x, g);
    g[3] *= 1.00001;
    return value;
  });
  const GradientCheck check = check_gradient(wrong, theta);
  EXPECT_NEAR(check.worst(), 1e-5, 1e-6);
  EXPECT_EQ(check.entries.front().name, "c.rest[1]");
}

}  // namespace
}  // namespace alacarte
