#include "fit_run.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr double kReportEvery = 1.0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double FitRun::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

void FitRun::check_shapes() const {
  const Index size = objective_.parameters().size();
  for (const Vector& start : starts_) require(start.size() == size, "a start has one entry for each parameter");
  const auto fits = [&](const Vector& theta) { return theta.size() == 0 || theta.size() == size; };
  const DescentState& descent = state_.descent;
  const auto trained = static_cast<Index>(objective_.parameters().trainable_entries().size());
  const auto is_point = [&](const Vector& point) { return point.size() == trained; };
  const bool running = descent.points.size() > 1 && descent.gradients.size() == descent.points.size() &&
                       descent.best.theta.size() == size && is_point(descent.best_gradient) &&
                       std::all_of(descent.points.begin(), descent.points.end(), is_point) &&
                       std::all_of(descent.gradients.begin(), descent.gradients.end(), is_point);
  if (!fits(state_.best_theta) || !std::all_of(state_.probe_theta.begin(), state_.probe_theta.end(), fits) ||
      state_.probe_theta.size() > starts_.size() || (state_.finished && state_.best_theta.size() == 0) ||
      !(running || descent.points.empty()))
    throw IoError("checkpoint", "the state of fit '" + context_.name() + "' does not fit this model");
}

Index FitRun::best_probe() const {
  Index best = -1;
  for (std::size_t k = 0; k < state_.probe_objective.size(); ++k)
    if (state_.probe_theta[k].size() > 0 && std::isfinite(state_.probe_objective[k]) &&
        (best < 0 || state_.probe_objective[k] < state_.probe_objective[static_cast<std::size_t>(best)]))
      best = static_cast<Index>(k);
  return best;
}

double FitRun::probe_value(Index k) const { return state_.probe_objective[static_cast<std::size_t>(k)]; }

void FitRun::report(Objective& objective, const std::string& stage, const DescentResult& result, bool improved) {
  const std::lock_guard lock(mutex_);
  ++evaluations_now_;
  if (context_.observer == nullptr) return;
  if (result.jitter > 0 && !std::exchange(jitter_reported_, true))
    context_.message(context_.name() + ": a factorisation needed jitter " + std::to_string(result.jitter));
  const double now = context_.now();
  if (result.theta.size() == 0 || (!improved && now - last_report_ < kReportEvery)) return;
  last_report_ = now;
  Progress progress{context_.name(), stage};
  progress.iteration = static_cast<Index>(result.trace.size());
  progress.evaluation = evaluations_before_ + evaluations_now_;
  progress.objective = result.objective;
  progress.gradient_norm = result.gradient_norm;
  progress.noise_sd = objective.noise_sd(result.theta);
  progress.seconds = now;
  progress.rank_speeds = speeds_;
  const auto left = static_cast<double>(std::max<Index>(0, planned_evaluations(config_) - progress.evaluation));
  if (evaluations_now_ > 2) progress.seconds_left = seconds() / static_cast<double>(evaluations_now_) * left;
  context_.report(progress);
}

void FitRun::add_counts(const DescentResult& from, TrainingSummary& to) {
  to.evaluations += from.evaluations;
  to.failed_evaluations += from.failed_evaluations;
  to.restarts += from.restarts;
  to.jitter = std::max(to.jitter, from.jitter);
}

void FitRun::save_state() {
  if (!context_.save) return;
  state_.summary.seconds = resumed_seconds_ + seconds();
  context_.save(state_);
}

FitResult FitRun::conclude() {
  FitResult result;
  if (state_.finished) {
    objective_.set_warm_start(state_.descent.warm_start);
    return {state_.best_theta, state_.summary};
  }
  const DescentResult* winner = final_ ? &*final_ : nullptr;
  DescentResult from_probe;
  Index best = best_probe();
  if (winner == nullptr || winner->theta.size() == 0 || (best >= 0 && probe_value(best) < winner->objective)) {
    from_probe = best_of_probes(best);
    winner = &from_probe;
  }
  if (winner->theta.size() == 0)
    throw NumericalError("training of '" + context_.name() + "'", "no starting point could be evaluated");
  fill_summary(*winner, best, result.summary);
  result.theta = winner->theta;
  finish_state(result);
  return result;
}

DescentResult FitRun::best_of_probes(Index& best) const {
  DescentResult winner;
  if (best >= 0) {
    winner.theta = state_.probe_theta[static_cast<std::size_t>(best)];
    winner.objective = probe_value(best);
    winner.trace = state_.probe_trace[static_cast<std::size_t>(best)];
  }
  for (std::size_t k = state_.probe_theta.size(); k < probes_.size(); ++k)
    if (probes_[k] && probes_[k]->objective < winner.objective) {
      winner = *probes_[k];
      best = static_cast<Index>(k);
    }
  return winner;
}

void FitRun::fill_summary(const DescentResult& winner, Index best, TrainingSummary& summary) {
  summary = state_.summary;
  if (final_) add_counts(*final_, summary);
  for (std::size_t k = state_.probe_theta.size(); k < probes_.size(); ++k)
    if (probes_[k]) add_counts(*probes_[k], summary);
  summary.stop = stop_;
  summary.objective = winner.objective;
  summary.best_start = std::max<Index>(0, best);
  summary.start_objectives = state_.probe_objective;
  for (std::size_t k = state_.probe_theta.size(); k < probes_.size(); ++k)
    summary.start_objectives.push_back(probes_[k] ? probes_[k]->objective : kInfinity);
  const bool probed = best >= 0 && best < static_cast<Index>(state_.probe_trace.size());
  summary.trace = probed ? state_.probe_trace[static_cast<std::size_t>(best)] : winner.trace;
  if (final_ && probed) summary.trace.insert(summary.trace.end(), final_->trace.begin(), final_->trace.end());
  summary.iterations = static_cast<Index>(summary.trace.size());
  Vector gradient = Vector::Zero(winner.theta.size());
  const ParameterLayout& layout = objective_.parameters();
  summary.log_evidence = layout.penalty(winner.theta, with_priors_, gradient) - winner.objective;
  summary.gradient_norm = winner.gradient_norm;
  summary.at_bound = layout.at_bound(winner.theta);
  summary.seconds = resumed_seconds_ + seconds();
}

void FitRun::finish_state(const FitResult& result) {
  if (!final_) return;
  if (!is_cut_short(stop_)) {
    state_.finished = true;
    state_.best_theta = result.theta;
    state_.summary = result.summary;
    state_.descent = {};
    state_.descent.warm_start = objective_.warm_start();
  }
  save_state();
}

}  // namespace alacarte
