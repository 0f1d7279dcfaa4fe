// fit() and fit_targets(): the table of contents of a training, and the loop that runs it.
#include "alacarte/train/fit.hpp"

#include "alacarte/core/threads.hpp"
#include "one_fit.hpp"
#include "train/noise/noise_prior.hpp"
#include "train/search/response_lengthscales.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

/// Records which rows were drawn, and what else was reduced for the clock.
void record_rows_in_time(const Training& training, TrainingRecord& record) {
  const RowsInTime& in_time = training.in_time;
  if (in_time.is_short) record.short_of_time = true;
  if (in_time.takes_bound) record.bound_for_time = true;
  if (training.drawn_note.empty()) return;
  record.rows_drawn = in_time.rows;
  record.rows_given = training.given_rows;
  record.notes->push_back(training.drawn_note);
}

bool draws_rows(const Training& training) { return training.draws_rows; }
bool is_calibrated(const Training& training) { return training.is_calibrated; }
bool has_rounds(const Training& training) { return training.has_rounds; }
bool has_no_rounds(const Training& training) { return !training.has_rounds; }
bool has_noise_prior(const Training& training) { return needs_noise_center(training.planned.jobs); }
bool has_response(const Training& training) {
  return training.options.start_from == nullptr && needs_response(training.planned.jobs);
}
bool has_varying_noise(const Training& training) { return training.noise_rows != nullptr; }
bool has_shape(const Training& training) { return training.has_shape; }

}  // namespace

std::string name_of(StageId id) {
  static const char* const names[] = {"draw rows", "hold out",  "rounds",  "prepare",    "noise prior", "lengthscales",
                                      "fits",      "folds",     "weights", "noise",      "shape",       "calibration",
                                      "costs",     "start",     "labels",  "subsamples", "drawn rows",  "minibatches",
                                      "descent",   "posterior", "scale",   "outcome",    "samples"};
  return names[static_cast<std::size_t>(id)];
}

const std::vector<TrainingStage>& training_stages() {
  static const std::vector<TrainingStage> stages{
      {StageId::draw_rows, "take as many rows as there is time for", draws_rows, draw_rows_in_time},
      {StageId::hold_out, "keep rows for calibration", is_calibrated, hold_out_for_calibration},
      {StageId::rounds, "fit mean and noise in turn", has_rounds, fit_in_rounds},
      {StageId::prepare, "standardise the rows, plan the fits", has_no_rounds, prepare},
      {StageId::noise_prior, "centre the prior of the noise by a short ARD fit", has_noise_prior, find_noise_prior},
      {StageId::lengthscales, "look for short length-scales in the classes or counts", has_response, find_lengthscales},
      {StageId::fits, "fit each member", has_no_rounds, run_fits},
      {StageId::folds, "predict rows by fits that did not see them", has_folds, predict_folds},
      {StageId::weights, "weigh the fits by rows that they left out", has_no_rounds, weigh_fits},
      {StageId::noise, "learn from left-out rows how the noise varies", has_varying_noise, learn_noise},
      {StageId::shape, "learn from left-out rows how the noise is distributed", has_shape, learn_shape},
      {StageId::calibration, "calibrate by the rows held out", is_calibrated, calibrate},
  };
  return stages;
}

std::vector<TrainingPlan::Stage> stages_of(const Training& training) {
  std::vector<TrainingPlan::Stage> lines;
  for (const TrainingStage& stage : training_stages()) {
    if (!stage.applies(training)) continue;
    lines.push_back({name_of(stage.id), stage.purpose});
    if (stage.id != StageId::fits) continue;
    for (const FitStage& part : fit_stages())
      if (const auto& jobs = training.planned.jobs; std::any_of(jobs.begin(), jobs.end(), part.applies))
        lines.push_back({"fits: " + name_of(part.id), part.purpose});
  }
  return lines;
}

Training::Training(const Recipe& asked, const std::vector<Schema>& targets, std::shared_ptr<RowSource> rows_given,
                   const FitOptions& how, bool part)
    : schemas(targets),
      schema(targets.front()),
      options(how),
      is_part(part),
      draws_rows(!part && (asked.training.seconds > 0 || how.repeat != nullptr)),
      is_calibrated(!part && targets.size() == 1 && asked.calibration.kind != CalibrationKind::none),
      has_rounds(targets.size() == 1 && asked.noise.varies && asked.noise.rounds > 0),
      recipe(asked),
      source(std::move(rows_given)),
      given_rows(source->rows()) {
  // Rows of tables and files know their levels; rows that others have put together need not.
  if (const auto memory = std::dynamic_pointer_cast<MemoryRows>(source))
    memory->data().level_counts = schema.level_counts();
  require(source->level_counts() == schema.level_counts(), "fit: rows and schema have other levels");
  const auto before = std::chrono::duration<double>(how.seconds_before);
  const auto now = std::chrono::steady_clock::now();
  context.clock = FitContext::clock_from(now - std::chrono::duration_cast<std::chrono::steady_clock::duration>(before));
  context.observer = how.observer;
  context.interrupt = how.interrupt;
}

const NoiseCenter& Training::center_of(const FitJob& job) const {
  const auto found = view_centers.find(view_of(job.recipe));
  return found == view_centers.end() ? center : found->second;
}

FittedModel fit_part(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> rows,
                     const FitOptions& options, const RowSource* score_weights) {
  const std::vector<Schema> schemas{schema};
  Training part(recipe, schemas, std::move(rows), options, true);
  part.score_weights = score_weights;
  return std::move(run_stages(part).front());
}

FittedModel fit_briefly(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> rows,
                        const FitOptions& options, const BriefFits& limits) {
  const std::vector<Schema> schemas{schema};
  Training part(recipe, schemas, std::move(rows), options, true);
  part.limits = limits;
  part.context.most_posterior_rows = limits.most_posterior_rows;
  return std::move(run_stages(part).front());
}

std::vector<FittedModel> run_stages(Training& training) {
  const BlasThreads one(1);  // more than one only where an evaluation asks for them, whatever the machine has
  for (const TrainingStage& stage : training_stages())
    if (stage.applies(training)) stage.run(training);
  const LeftOutReceiver& receiver = training.options.on_left_out;
  if (training.left_out && receiver && training.schemas.size() == 1) receiver(*training.left_out, training.scored);
  if (!training.is_part)
    for (FittedModel& model : training.models) record_rows_in_time(training, model.training);
  return std::move(training.models);
}

FittedModel fit(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> rows,
                const FitOptions& options) {
  return std::move(fit_targets(recipe, {schema}, std::move(rows), options).front());
}

std::vector<FittedModel> fit_targets(const Recipe& recipe, const std::vector<Schema>& schemas,
                                     std::shared_ptr<RowSource> rows, const FitOptions& options) {
  require(!schemas.empty(), "fit: a schema is needed");
  Training training(recipe, schemas, std::move(rows), options);
  return run_stages(training);
}

}  // namespace alacarte
