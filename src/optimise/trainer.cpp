#include "trainer.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/workers.hpp"
#include "fit_run.hpp"

namespace alacarte {
namespace {

// Number of operations below which an evaluation is too short to share among threads.
constexpr double kSmallEvaluation = 2e9;
// Memory limit for concurrent probes in bytes: fixed, since results must not vary with the machine's free memory.
constexpr double kMemoryOfProbes = 4e9;
constexpr double kExtraTrials = 1.1;
// Number of evaluations to fit before a deadline when another is begun: that one, and the posterior with its scores.
constexpr double kReservedEvaluations = 2.5;
constexpr const char* kFinalStage = "final";
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

void Curvature::scale(double rows) {
  for (Vector& change : changes) change *= rows;
}

FitResult FitRun::run() {
  check_shapes();
  if (!state_.finished) {
    if (starts_.size() > 1 && !state_.in_final) run_probes();
    if (context_.repeats() ? context_.runs(kFinalStage) : !is_cut_short(stop_)) run_final();
    if (!final_ && context_.repeats()) stop_ = Stop::clock;  // as in the training that is repeated
  }
  return conclude();
}

DescentResult FitRun::run_stage(Objective& objective, const std::string& stage, const Vector& start,
                                DescentLimits limits, bool alone, Curvature* curvature) {
  const bool resumes = alone && !state_.descent.points.empty();
  if (context_.repeats()) limits.evaluations = context_.recorded(stage);
  DescentResult result = descend(objective, with_priors_, start, limits, watch(objective, stage, alone),
                                 resumes ? &state_.descent : nullptr, curvature);
  context_.record(stage, result.evaluations);
  return result;
}

Stop FitRun::own_stop() const {
  if (context_.is_interrupted()) return Stop::interrupted;
  if (context_.deadline > 0) {
    const auto evaluations = static_cast<double>(std::max<Index>(1, evaluations_now_));
    const double each = seconds() * abreast_ / evaluations;
    if (context_.now() + kReservedEvaluations * each >= context_.deadline) return Stop::clock;
  }
  return Stop::none;
}

Stop FitRun::must_stop() const {
  const Stop own = own_stop();
  if (!FitContext::is_alone()) speeds_ = FitContext::speeds();
  return FitContext::agreed_stop(own);
}

int probe_workers(const EvaluationPlan& plan, Index starts, int threads, double memory_bytes) {
  const auto workers = static_cast<int>(std::min<Index>(threads, starts));
  const bool fits = plan.memory_bytes * workers <= kMemoryOfProbes &&
                    (memory_bytes <= 0 || plan.memory_bytes * (workers + 1) <= memory_bytes);
  // Ranks exchange sums on one thread alone.
  return FitContext::is_alone() && workers > 1 && fits && (plan.flops < kSmallEvaluation || starts >= threads) ? workers
                                                                                                               : 1;
}

DescentLimits FitRun::limits(Index iterations, Index evaluations) const {
  return {iterations, evaluations, config_.gradient_tolerance, config_.objective_tolerance, config_.history};
}

Index FitRun::probe_evaluations() const {
  const auto count = static_cast<Index>(starts_.size());
  return config_.evaluations == 0 ? 0 : std::max<Index>(1, config_.evaluations / (2 * count));
}

void FitRun::run_probes() {
  const int count =
      probe_workers(objective_.plan(), static_cast<Index>(starts_.size()), threads_, context_.memory_bytes);
  if (count > 1) state_.descent = {};  // the state does not record which of several probes it belongs to
  probes_.resize(starts_.size());
  next_probe_ = state_.probe_theta.size();
  if (count == 1) {
    work(objective_, true);
  } else {
    const BlasThreads one(1);
    abreast_ = count;
    run_workers(count, [&](int) { work(*make_(1), false); });
    abreast_ = 1;
  }
}

void FitRun::work(Objective& objective, bool alone) {
  for (;;) {
    std::size_t k;
    {
      const std::lock_guard lock(mutex_);
      if (next_probe_ >= starts_.size() || (is_cut_short(stop_) && any_point_)) return;
      k = next_probe_++;
    }
    const std::string stage = "probe " + std::to_string(k + 1) + "/" + std::to_string(starts_.size());
    if (!context_.runs(stage)) continue;
    finish_probe(k,
                 run_stage(objective, stage, starts_[k], limits(config_.probe_iterations, probe_evaluations()), alone));
  }
}

void FitRun::finish_probe(std::size_t k, DescentResult result) {
  const std::lock_guard lock(mutex_);
  any_point_ = any_point_ || result.theta.size() > 0;
  const Stop stop = std::max(result.stop, must_stop());
  if (is_cut_short(stop)) stop_ = stop;
  probes_[k] = std::move(result);
  if (is_cut_short(stop)) return;
  while (state_.probe_theta.size() < probes_.size() && probes_[state_.probe_theta.size()])
    record_probe(*probes_[state_.probe_theta.size()]);
  state_.descent = {};
  save_state();
}

void FitRun::record_probe(const DescentResult& probe) {
  state_.probe_theta.push_back(probe.theta);
  state_.probe_objective.push_back(probe.objective);
  state_.probe_trace.push_back(probe.trace);
  add_counts(probe, state_.summary);
}

void FitRun::run_final() {
  const Index best = best_probe();
  if (starts_.size() > 1 && best < 0) return;
  if (!state_.in_final) state_.descent = {};
  state_.in_final = true;
  const Vector& start = best >= 0 ? state_.probe_theta[static_cast<std::size_t>(best)] : starts_.front();
  const Index cap = config_.evaluations == 0 ? 0 : std::max<Index>(1, config_.evaluations - state_.summary.evaluations);
  final_ = run_stage(objective_, kFinalStage, start, limits(config_.iterations, cap), true, context_.curvature);
  stop_ = final_->stop;
}

DescentWatch FitRun::watch(Objective& objective, const std::string& stage, bool alone) {
  DescentWatch watch;
  watch.must_stop = [this] { return must_stop(); };
  watch.evaluated = [this, &objective, stage, best = kUnbounded](const DescentResult& result) mutable {
    report(objective, stage, result, result.objective < best);
    best = result.objective;
  };
  if (alone && context_.save)
    watch.accepted = [this](const DescentState& descent) {
      const std::lock_guard lock(mutex_);
      state_.descent = descent;
      save_state();
    };
  return watch;
}

Index planned_evaluations(const TrainingConfig& config) {
  const auto stage = [](Index iterations) {
    return static_cast<Index>(std::ceil(1 + kExtraTrials * static_cast<double>(iterations)));
  };
  // Starts were compared on few rows, at negligible cost.
  const bool probed_before = config.subsample > 0 || config.drawn_rows > 0 || config.start == StartPoint::labels;
  const Index probes = config.starts > 1 && !probed_before ? config.starts * stage(config.probe_iterations) : 0;
  const Index all = probes + stage(config.iterations);
  return config.evaluations > 0 ? std::min(config.evaluations, all) : all;
}

FitResult minimise(Objective& objective, const ObjectiveFactory& make, const std::vector<Vector>& starts,
                   const TrainingConfig& config, bool with_priors, int threads, const FitContext& context,
                   const FitState* resume) {
  require(!starts.empty(), "training needs at least one start");
  return FitRun(objective, make, starts, config, with_priors, threads, context, resume).run();
}

}  // namespace alacarte
