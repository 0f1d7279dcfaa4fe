#include "minibatches.hpp"

#include <fmt/format.h>

#include "alacarte/core/threads.hpp"
#include "data/minibatch_rows.hpp"
#include "held_out_amplitude.hpp"
#include "inference/held_out.hpp"
#include "level_effects.hpp"
#include "minibatch_step.hpp"
#include "posterior_budget.hpp"

namespace alacarte {
namespace {

constexpr Index kRoundRows = Index{1} << 15;  // rows between evaluations of the held-out rows
constexpr Index kMinBatches = 8;              // batches in a pass
constexpr double kWarmUp = 100;               // steps
// Cost after training, in held-out fits: one such fit, an evaluation of the evidence and the posterior. Then its
// largest share of the time left, and its share before it can be measured.
constexpr double kReservedPasses = 4, kMaxReserved = 0.5, kReservedUnmeasured = 0.25;
constexpr Index kFewRows = 64, kMoreRows = 64 * kFewRows;
// Number of rounds that are replanned one by one, and divisor of the remaining rounds for the interval thereafter.
constexpr Index kFirstPlans = 8, kPlans = 20;
constexpr double kNoLimit = 1e18;
constexpr Index kStepsBetweenChecks = 8;  // steps between checks of other ranks' clocks and signals

double as_count(Index value) { return static_cast<double>(value); }

/// Schedule of the whole training, as far as rounds have gone.
struct Schedule {
  Index rounds = 0;     ///< at most
  double progress = 0;  ///< 0 .. 1 of the cosine
  Index left = 0;       ///< rounds planned, this one included
};

class MinibatchRun {
 public:
  MinibatchRun(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout, const Vector& start,
               int threads, double max_bytes, const FitContext& context)
      : job_(job),
        config_(job.recipe.network),
        likelihood_(likelihood_of(job.recipe)),
        all_(rows),
        layout_(layout),
        threads_(threads),
        context_(context),
        budget_(job, rows, threads, context),
        start_(start),
        batch_(std::clamp<Index>(rows.source->rows() / kMinBatches, 1, config_.batch)),
        rows_(*rows.source, *rows.held_out, batch_, max_bytes, likelihood_.is_conjugate(),
              job.streams.stream("minibatches")),
        steps_(*job.prior.map(), target(), start.head(job.prior.parameters().size()), config_.decay, batch_, threads,
               rows.source->is_distributed()) {}

  MinibatchResult run() {
    if (context_.is_timed()) reserve();
    began_ = context_.now();
    Schedule schedule;
    schedule.rounds = static_cast<Index>(std::ceil(as_count(config_.epochs * pass_rows()) / as_count(round_rows())));
    for (Index round = 0; round < schedule.rounds && stop_ == Stop::none; ++round) {
      plan_round(round, schedule);
      if (schedule.left < 1) break;
      run_round(schedule);
      judge_round();
    }
    context_.record("minibatches", done_);
    return result();
  }

 private:
  // ---- rows

  MinibatchSteps::Target target() const {
    const double mean = likelihood_.is_conjugate() ? 0 : likelihood_.start(rows_.whole_mean()) - rows_.log_exposure();
    return {likelihood_, likelihood_.outputs(static_cast<Index>(all_.classes.size())), mean};
  }

  Index pass_rows() const { return rows_.kept(); }
  Index round_rows() const { return std::min(pass_rows(), std::max(kRoundRows, batch_)); }
  Index round_steps() const { return round_rows() / batch_; }

  // ---- clock and record

  /// Returns the seconds of a held-out fit of this rank's first `count` rows, without the others.
  double held_out_seconds(Index count) const {
    const double before = context_.now();
    RowScratch scratch;
    const RowBlock first = all_.source->read(all_.source->own_first(), count, scratch);
    const auto rows = std::make_shared<const MemoryRows>(Matrix(first.x.dense()), Vector(first.y));
    held_out_fit(steps_.theta(), rows, gather_rows(*all_.held_out, {0}));
    return context_.now() - before;
  }

  /// Returns the minimum of two timings; the first may be disturbed.
  double least_held_out_seconds(Index count) const {
    return std::min(held_out_seconds(count), held_out_seconds(count));
  }

  /// Reserves time for the held-out fit, an evaluation of the evidence and the posterior, timed at two numbers of rows.
  void reserve() { deadline_ = context_.deadline - FitContext::largest(reserved_seconds()); }

  double reserved_seconds() {
    const double left = context_.seconds_left();
    // The mode is harder to find before the first steps than after them.
    if (!likelihood_.is_conjugate()) return done_ == 0 ? kReservedUnmeasured * left : budget_.measure(theta_now());
    const Index own = all_.source->own_rows(), few = kFewRows, more = std::min(kMoreRows, own);
    if (own < few) return 0;  // other ranks have rows to measure
    const double least = least_held_out_seconds(few), most = least_held_out_seconds(more);
    const double each = std::max(0.0, most - least) / as_count(std::max<Index>(1, more - few));
    return std::min(kReservedPasses * each * as_count(all_.source->largest_share() + all_.held_out->rows()) + 3 * least,
                    kMaxReserved * left);
  }

  /// Returns the objective's theta, with the features and the size of their weights as they are.
  Vector theta_now() const {
    Vector theta = start_;
    theta.head(steps_.theta().size()) = steps_.theta();
    scale_amplitudes(layout_, steps_.weight_size(), theta);
    clamp_scales(layout_, theta);
    return theta;
  }

  /// Plans how many rounds are left: as the recipe asks, or as the earlier rounds' time allows; records the number
  /// unless it is one less than a round ago.
  void plan_round(Index round, Schedule& schedule) {
    const std::string name = "round " + std::to_string(round);
    const Index expected = round == 0 ? schedule.rounds : schedule.left - 1;
    schedule.left = expected;
    if (context_.repeats()) {
      if (const Index recorded = context_.recorded(name); recorded > 0) schedule.left = recorded;
      if (done_ >= context_.recorded("minibatches")) schedule.left = 0;
    } else if (context_.is_timed() && round >= next_plan_) {
      if (!likelihood_.is_conjugate() && round > 0) measure_posteriors();
      const double each = (context_.now() - began_ - measuring_) / as_count(std::max<Index>(1, round));
      const double own = round == 0 ? kNoLimit : std::floor((deadline_ - context_.now()) / std::max(each, 1e-9));
      const double fits = FitContext::of_first(own);
      schedule.left = static_cast<Index>(std::clamp(fits, 0.0, as_count(schedule.rounds - round)));
      next_plan_ = round + (round < kFirstPlans ? 1 : std::max<Index>(1, schedule.left / kPlans));
    }
    limited_ = limited_ || schedule.left < schedule.rounds - round;
    if (schedule.left != expected && schedule.left > 0) context_.record(name, schedule.left);
  }

  /// Measures posteriors after the first steps, and again from half of the time on.
  void measure_posteriors() {
    const double own =
        measured_ == 0 || (measured_ == 1 && context_.now() - began_ > 0.5 * (deadline_ - began_)) ? 1 : 0;
    if (FitContext::of_first(own) == 0) return;
    const double before = context_.now();
    reserve();
    measuring_ += context_.now() - before;
    ++measured_;
  }

  Stop own_stop() const {
    if (context_.is_interrupted()) return Stop::interrupted;
    if (context_.is_timed() && context_.now() >= deadline_) return Stop::clock;
    return Stop::none;
  }
  Stop must_stop() const {
    if (context_.repeats() && done_ >= context_.recorded("minibatches")) return Stop::clock;
    const bool checks = FitContext::is_alone() || done_ % kStepsBetweenChecks == 0;
    return checks ? FitContext::agreed_stop(own_stop()) : Stop::none;
  }

  // ---- passes

  void run_round(Schedule& schedule) {
    const Index count = round_steps();
    const double advance = (1 - schedule.progress) / as_count(schedule.left);
    for (Index step = 0; step < count; ++step) {
      if (done_ > 0 && (stop_ = must_stop()) != Stop::none) return;
      const double at = schedule.progress + advance * (as_count(step) + 0.5) / as_count(count);
      const double warm = std::min(1.0, as_count(done_ + 1) / kWarmUp);
      steps_.step(rows_.next(), config_.step * warm * 0.5 * (1 + std::cos(0.5 * kTwoPi * at)));
      ++done_;
    }
    schedule.progress += advance;
  }

  void judge_round() {
    // Different machines compute different last digits; all must choose the same best round.
    const double loss = FitContext::of_first(steps_.mean_loss(rows_.held()));
    if (std::isfinite(loss) && loss < best_loss_) {
      best_loss_ = loss;
      weight_size_ = steps_.weight_size();
      best_theta_ = steps_.theta();
      best_step_ = done_;
    }
    if (context_.now() - last_report_ < 1) return;
    last_report_ = context_.now();
    Progress progress{context_.name(), "minibatches"};
    progress.has_evidence = false;
    progress.seconds = context_.now();
    context_.report(progress);
  }

  // ---- result

  MinibatchResult result() {
    if (best_theta_.size() == 0) {
      if (done_ > 0) throw NumericalError("training of '" + context_.name() + "'", "the minibatches diverged");
      best_theta_ = steps_.theta();
    }
    MinibatchResult result;
    result.theta = start_;
    result.theta.head(best_theta_.size()) = best_theta_;
    result.held_out.rows = all_.held_out->rows();
    if (likelihood_.is_conjugate()) {
      set_noise_and_amplitude(result);
    } else {
      const double search_began = context_.now();
      const HeldOutAmplitude fit =
          fit_held_out_amplitude(job_, all_, result.theta, weight_size_, budget_.amplitude_rows(), threads_,
                                 [&](Index trials) { return budget_.tries_amplitude(trials, search_began); });
      scale_amplitudes(layout_, fit.factor, result.theta);
      result.held_out.log_density = fit.log_density;
      result.posterior_rows = budget_.posterior_rows(stop_ == Stop::interrupted);
    }
    clamp_scales(layout_, result.theta);  // a target without noise, or constant, would have neither
    result.passes = as_count(done_ * batch_) / as_count(pass_rows());
    result.best_step = best_step_;
    result.stop = stop_ != Stop::none ? stop_ : limited_ ? Stop::clock : Stop::epochs;
    report(result);
    return result;
  }

  HeldOutFit held_out_fit(ConstVec theta, std::shared_ptr<const RowSource> kept,
                          std::shared_ptr<const RowSource> held) const {
    const HeldOutRows rows{std::move(kept), std::move(held), rows_.mean(), rows_.sd()};
    return fit_held_out(*job_.prior.map()->prepare(theta), job_.prior.map()->feature_count(), rows, threads_);
  }

  void set_noise_and_amplitude(MinibatchResult& result) const {
    const HeldOutFit fit = held_out_fit(best_theta_, all_.source, all_.held_out);
    scale_amplitudes(layout_, fit.amplitude * rows_.sd(), result.theta);
    result.theta[layout_.find("noise.log_sd").offset] = 0.5 * std::log(fit.noise_variance * rows_.sd() * rows_.sd());
    fit_level_effects(job_, all_, threads_, result.theta);
    result.held_out.rmse = fit.rmse;
    result.held_out.log_density = fit.log_density;
  }

  void report(const MinibatchResult& result) const {
    const HeldOutScores& held = result.held_out;
    const std::string score =
        likelihood_.is_conjugate()
            ? fmt::format("error of {} rows held out {:.4g} standard deviations", held.rows, held.rmse)
            : fmt::format("log loss of {} rows held out {:.4g}", held.rows, -held.log_density);
    context_.message(fmt::format("{}: {:.3g} passes over {} rows{} in minibatches took {:.3g} s; {}", context_.name(),
                                 result.passes, pass_rows(), rows_.in_memory() ? "" : ", read in each,",
                                 context_.now() - began_, score));
  }

  const FitJob& job_;
  const NetworkConfig& config_;
  const Likelihood& likelihood_;
  const TrainingRows& all_;
  const ParameterLayout& layout_;
  const int threads_;
  const FitContext& context_;
  PosteriorBudget budget_;
  const Vector& start_;
  const Index batch_;
  MinibatchRows rows_;
  MinibatchSteps steps_;
  Index done_ = 0, next_plan_ = 0;
  int measured_ = 0;  // number of timings, and their seconds
  double measuring_ = 0;
  double deadline_ = 0, began_ = 0, last_report_ = -std::numeric_limits<double>::infinity();
  bool limited_ = false;  // rounds were left out for lack of time
  Stop stop_ = Stop::none;
  double best_loss_ = std::numeric_limits<double>::infinity(), weight_size_ = 1;
  Vector best_theta_;
  Index best_step_ = 0;
};

}  // namespace

MinibatchResult train_on_minibatches(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                     const Vector& start, int threads, double max_bytes, const FitContext& context) {
  const BlasThreads one(1);
  return MinibatchRun(job, rows, layout, start, std::max(1, threads), max_bytes, context).run();
}

}  // namespace alacarte
