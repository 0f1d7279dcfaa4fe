#include "one_fit.hpp"

#include <fmt/format.h>
#include <iterator>

#include "model/behind_inputs.hpp"
#include "train/search/classifier_search.hpp"
#include "train/search/drawn_rows.hpp"
#include "train/search/label_start.hpp"
#include "train/search/row_starts.hpp"

namespace alacarte {
namespace {

bool is_classifier_job(const FitJob& job) { return job.is_classifier(); }
bool is_by_minibatches(const FitJob& job) { return uses_minibatches(job.recipe); }
bool by_evidence(const FitJob& job) { return !job.is_classifier(); }
bool starts_from_labels(const FitJob& job) {
  return by_evidence(job) && job.recipe.training.start == StartPoint::labels;
}
bool has_subsamples(const FitJob& job) { return by_evidence(job) && job.recipe.training.subsample > 0; }
bool draws_rows(const FitJob& job) { return by_evidence(job) && job.recipe.training.drawn_rows > 0; }
bool may_be_scaled(const FitJob& job) {
  return by_evidence(job) && !uses_minibatches(job.recipe) && likelihood_of(job.recipe).is_conjugate() &&
         job.recipe.noise.trained;
}
/// Returns true if amplitudes are trained, and may be multiplied by a factor.
bool has_free_scale(const ParameterLayout& layout) {
  return std::all_of(layout.slots().begin(), layout.slots().end(),
                     [](const ParameterSlot& slot) { return slot.trainable || slot.scale_power == 0; });
}
bool is_sampled(const FitJob& job) { return by_evidence(job) && job.recipe.training.samples > 0; }

void search_costs(OneFit& fit) {
  fit.outcome = search_classifier(fit.job, fit.rows(), fit.training.options.seed, fit.threads, fit.context);
  fit.outcome.posterior = behind_inputs(fit.rows().inputs, std::move(fit.outcome.posterior));
}

/// Makes the inference and its starting points.
void begin(OneFit& fit) {
  const Training& training = fit.training;
  fit.inference = fit.make_inference_on(fit.seen(), fit.threads);
  const ParameterLayout& layout = fit.inference->parameters();
  fit.starts = training.start ? std::vector<Vector>{training.start->point(fit.place, fit.seen(), layout)}
                              : make_job_starts(fit.job, fit.seen(), layout, fit.noise_center);
  if (!training.start) add_found_start(*fit.inference, fit.job, fit.seen(), fit.noise_center, fit.starts);
  fit.left_out = {true, training.scored};
  if (fit.resumed == nullptr) return;
  // Labels and subsamples leave one point, and a checkpoint in the final stage is past them.
  const TrainingConfig& config = fit.job.recipe.training;
  const bool is_past = fit.resumed->probe_theta.empty() && (fit.resumed->in_final || fit.resumed->finished);
  if (is_past && (config.start == StartPoint::labels || config.subsample > 0 || config.drawn_rows > 0))
    fit.starts.resize(1);
  if (const auto& kept = training.checkpoint->minibatches(fit.place)) fit.minibatches = MinibatchResult{*kept, {}};
}

/// Puts the one point that the labels lead to in place of the starts.
void start_from_labels(OneFit& fit) {
  const double began = fit.context.now();
  const auto start = label_start(fit.job, fit.seen(), fit.inference->parameters(), fit.starts, fit.threads,
                                 fit.training.planned.evaluation_bytes(), fit.context);
  if (!start) return fit.context.message(fit.job.name + ": the labels gave no start");
  fit.starts = {*start};
  fit.context.message(fmt::format("{}: the start from labels took {:.3g} s", fit.job.name, fit.context.now() - began));
}

void step_on_drawn_rows(OneFit& fit) {
  const PlannedJobs& planned = fit.training.planned;
  fit.starts = {train_on_drawn_rows(fit.job, fit.seen(), fit.noise_center, fit.starts.front(), fit.threads,
                                    planned.evaluation_bytes(), planned.spare_bytes / planned.plan.concurrent_fits,
                                    fit.context)};
}

void step_on_minibatches(OneFit& fit) {
  const PlannedJobs& planned = fit.training.planned;
  fit.minibatches = train_on_minibatches(fit.job, fit.seen(), fit.inference->parameters(), fit.starts.front(),
                                         fit.threads, planned.spare_bytes / planned.plan.concurrent_fits, fit.context);
  fit.starts = {fit.minibatches->theta};
  fit.training.checkpoint->keep_minibatches(fit.place, *fit.minibatches);
}

/// Leaves as many rows in `rows` as time allows, and all scored ones, whose places among them fit.left_out names.
void draw_posterior_rows(OneFit& fit, TrainingRows& rows) {
  RandomStream stream = fit.job.streams.stream("posterior.rows");
  const std::vector<Index>& scored = fit.training.scored;
  std::vector<Index> drawn = draw_rows(stream, rows.source->rows(), fit.minibatches->posterior_rows), kept;
  std::sort(drawn.begin(), drawn.end());
  std::set_union(drawn.begin(), drawn.end(), scored.begin(), scored.end(), std::back_inserter(kept));
  for (Index& row : fit.left_out.rows) row = std::lower_bound(kept.begin(), kept.end(), row) - kept.begin();
  fit.context.message(fmt::format("{}: the posterior is of {} of {} rows: as many as there is time for", fit.job.name,
                                  kept.size(), rows.source->rows()));
  rows.source = gather_rows(*rows.source, kept);
  count_classes(fit.job.recipe, static_cast<Index>(rows.classes.size()), rows);
}

/// Makes the inference on the rows that the posterior takes, if parameters are learned from others.
void take_posterior_rows(OneFit& fit) {
  const bool holds_rows_out = fit.seen().held_out != nullptr;
  // Rows that the features were fitted to would score too well if they were left out of the posterior alone.
  if (uses_minibatches(fit.job.recipe) && !holds_rows_out) fit.left_out = LeftOutRows::none();
  TrainingRows rows = fit.rows();
  rows.views.clear();
  if (fit.minibatches && fit.minibatches->posterior_rows > 0) {
    draw_posterior_rows(fit, rows);
    if (fit.training.left_out_by == LeftOutBy::together && fit.left_out.any)
      fit.rest = fit.make_inference_on(rows_seen(rows, fit.left_out.rows), fit.threads);
  }
  if (holds_rows_out) fit.whole = fit.make_inference_on(rows, fit.threads);
}

/// Minimises the negative log evidence by L-BFGS.
void descend_from_starts(OneFit& fit) {
  const FitJob& job = fit.job;
  take_posterior_rows(fit);
  // Nothing more is learned after minibatches: one inference finds evidence and posterior.
  Inference& trained = uses_minibatches(job.recipe) ? fit.last_inference() : *fit.inference;
  FitContext context = fit.context;
  context.curvature = &fit.curvature;
  if (context.deadline > 0) context.deadline -= sampling_share(fit) * (context.deadline - context.now());
  // A fit whose minibatches were cut short is not finished, and continues from the beginning.
  if (fit.minibatches && fit.minibatches->stop == Stop::interrupted) context.save = nullptr;
  const auto make = [&](int count) { return fit.make_inference_on(fit.seen(), count); };
  fit.result =
      minimise(trained, make, fit.starts, job.recipe.training, job.recipe.priors, fit.threads, context, fit.resumed);
  fit.curvature = {};  // frees memory before the posterior
  if (fit.minibatches && fit.minibatches->stop != Stop::epochs) fit.result.summary.stop = fit.minibatches->stop;
}

void solve_posterior(OneFit& fit) {
  fit.training.checkpoint->flush();
  const auto& folds = fit.training.fold_rows.rows;
  const bool takes_all = folds != nullptr && !is_predicted_in_folds(fit.training, fit.job);
  fit.solution = fit.solve(fit.result.theta, takes_all ? LeftOutRows{} : fit.left_out);
  if (!takes_all) return;
  LeaveOneOut& left_out = fit.solution.leave_one_out;
  const auto classes = static_cast<Index>(fit.rows().classes.size());
  fit.fold_values = left_out_class_values(fit.job, left_out, classes, fit.threads);
  if (const std::vector<Index>& scored = fit.left_out.rows; !scored.empty())
    left_out = {left_out.mean(scored, Eigen::all), left_out.variance(scored, Eigen::all)};
}

/// Rescales a search that was cut short, whose errors may be much larger or smaller than it predicts. This has a closed
/// form: amplitude and noise times one factor leave the mean unchanged, and squared leave-one-out errors then match
/// their variances.
void scale_to_errors(OneFit& fit) {
  constexpr double kTolerated = 1.25;
  const bool is_cut = is_cut_short(fit.result.summary.stop);
  const LeaveOneOut& left_out = fit.solution.leave_one_out;
  if (!(fit.context.repeats() ? fit.context.recorded("scale") > 0 : is_cut) || !fit.solution.more.empty() ||
      left_out.mean.size() == 0 || fit.minibatches || !has_free_scale(fit.inference->parameters()))
    return;
  const Vector target = read_scored(*fit.rows().source, fit.training.scored).target;
  const double factor = ((target - left_out.mean.col(0)).array().square() / left_out.variance.col(0).array()).mean();
  if (!std::isfinite(factor) || (factor < kTolerated && factor > 1 / kTolerated)) return;
  const double noise_sd = std::sqrt(factor * fit.solution.posterior->noise_variance());
  const ParameterLayout& layout = fit.inference->parameters();
  scale_amplitudes(layout, std::sqrt(factor), fit.result.theta);
  fit.result.theta[layout.find("noise.log_sd").offset] = log_noise(noise_sd, fit.job, fit.seen());
  clamp_scales(layout, fit.result.theta);
  fit.context.record("scale", 1);
  fit.context.message(fit.job.name + ": cut short, so that its scale is taken from its leave-one-out errors");
  fit.solution = fit.solve(fit.result.theta, fit.left_out);
}

void record_outcome(OneFit& fit) {
  FitSummary summary = fit_summary(fit.result.summary);
  if (fit.minibatches) summary.minibatches = *fit.minibatches;
  fit.outcome = fit.outcome_at(fit.result.theta, std::move(fit.solution));
  fit.outcome.fold_values = std::move(fit.fold_values);
  fit.outcome.summary = std::move(summary);
  fit.outcome.evaluations = fit.result.summary.evaluations;
  fit.outcome.cut_short = is_cut_short(fit.result.summary.stop);
}

}  // namespace

const std::vector<FitStage>& fit_stages() {
  static const std::vector<FitStage> stages{
      {StageId::costs, "choose cost and scale by cross-validation", Skipped::never, is_classifier_job, search_costs},
      {StageId::start, "make the starting points", Skipped::never, by_evidence, begin},
      {StageId::labels, "start from the evidence of the class labels", Skipped::if_resumed_or_started,
       starts_from_labels, start_from_labels},
      {StageId::subsamples, "probe on subsamples that grow", Skipped::if_resumed_or_started, has_subsamples,
       start_on_subsamples},
      {StageId::drawn_rows, "step by Adam on rows drawn anew", Skipped::if_resumed_or_started, draws_rows,
       step_on_drawn_rows},
      {StageId::minibatches, "train the network on minibatches", Skipped::if_resumed, is_by_minibatches,
       step_on_minibatches},
      {StageId::descent, "maximise the evidence by L-BFGS", Skipped::never, by_evidence, descend_from_starts},
      {StageId::posterior, "solve for the posterior and leave rows out", Skipped::never, by_evidence, solve_posterior},
      {StageId::scale, "take the scale from left-out errors if cut short", Skipped::never, may_be_scaled,
       scale_to_errors},
      {StageId::outcome, "record how it went", Skipped::never, by_evidence, record_outcome},
      {StageId::samples, "sample the hyperparameters", Skipped::never, is_sampled, sample_the_posterior},
  };
  return stages;
}

OneFit::OneFit(const Training& of, std::size_t k, int count, FitContext own)
    : training(of),
      place(k),
      job(of.planned.jobs[k]),
      threads(count),
      context(std::move(own)),
      resumed(of.checkpoint->state(k)),
      noise_center(job.recipe.noise.prior_center == PriorCenter::ard ? of.center_of(job).value
                                                                     : job.recipe.noise.prior_value) {
  if (resumed != nullptr && !resumed->begun()) resumed = nullptr;
}

std::unique_ptr<Inference> OneFit::make_inference_on(const TrainingRows& rows, int count) const {
  return make_job_inference(job, rows, noise_center, count, training.planned.evaluation_bytes());
}

Solution OneFit::solve(const Vector& theta, const LeftOutRows& rows) {
  if (training.left_out_by == LeftOutBy::rows || !rows.any) return last_inference().solve(theta, rows);
  Solution solution = last_inference().solve(theta, LeftOutRows::none());
  leave_out_by_columns(*this, theta, solution);
  return solution;
}

FitOutcome OneFit::outcome_at(const Vector& theta, Solution&& at) const {
  FitOutcome own;
  own.theta = theta.head(job.prior.parameters().size());
  own.posterior = behind_inputs(rows().inputs, std::move(at.posterior));
  own.leave_one_out = std::move(at.leave_one_out);
  own.class_values = left_out_class_values(job, own.leave_one_out, static_cast<Index>(rows().classes.size()), threads);
  own.likelihood_theta = theta.tail(likelihood_of(job.recipe).parameters(job.recipe.noise).size());
  own.more = std::move(at.more);
  for (Solution& other : own.more) other.posterior = behind_inputs(rows().inputs, std::move(other.posterior));
  return own;
}

FitOutcome fit_one(const Training& training, std::size_t place, int threads, FitContext context) {
  OneFit fit(training, place, threads, std::move(context));
  for (const FitStage& stage : fit_stages()) {
    const bool is_behind = stage.skipped != Skipped::never && fit.resumed != nullptr;
    const bool is_needless = stage.skipped == Skipped::if_resumed_or_started && training.start;
    if (stage.applies(fit.job) && !is_behind && !is_needless) stage.run(fit);
  }
  return std::move(fit.outcome);
}

}  // namespace alacarte
