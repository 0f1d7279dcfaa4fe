#include "alacarte/train/fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "alacarte/model/likelihood.hpp"
#include "core/ranks.hpp"
#include "data/fingerprint.hpp"
#include "fit_stages.hpp"
#include "train/noise/left_out_noise.hpp"
#include "train/noise/noise_shape.hpp"
#include "train/plan/auto_recipe.hpp"
#include "train/weigh/fit_result.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// Largest share of the time budget for the preliminary fit of the noise.
constexpr double kNoiseShare = 0.1;
// Where time is short, rows with leave-one-out scores of an exact process: they tell the scores and the shape of the
// noise well enough, and those of all rows took longer than the fit of a few thousand.
constexpr Index kTimedScoredRows = 2000;

bool has_exact_kernel(const Recipe& recipe) {
  return find_kernel(recipe.model) != nullptr ||
         std::any_of(recipe.members.begin(), recipe.members.end(), has_exact_kernel);
}

/// What a training to be repeated did; nothing where the recipe alone repeats it.
std::optional<WorkRecord::Stages> work_to_repeat(const Json* training, const std::string& sha256, bool timed) {
  if (training == nullptr) return std::nullopt;
  if (training->contains("updates"))
    throw ConfigError("",
                      "the model to be repeated was updated with further rows; repeat the one before, and update it");
  if (training->at("data_sha256") != sha256)
    throw DataError("training", "these are not the rows of the model to be repeated");
  if (training->contains("work")) return training->at("work").get<WorkRecord::Stages>();
  // A clock also cuts the noise prior and subsamples, after which the last stage may end by itself.
  if (timed || training->at("cut_short"))
    throw ConfigError("", "the training to be repeated was cut short or resumed, and its work was not recorded");
  return std::nullopt;
}

/// A repetition begins where the training began.
void require_same_start(const Json* repeated, const Json& started) {
  if (repeated == nullptr) return;
  const Json own = repeated->value("started_from", Json());
  if (own.is_null() != started.is_null() || (!own.is_null() && own.at("sha256") != started.at("sha256")))
    throw ConfigError("", own.is_null() ? "the training to be repeated did not begin at a model"
                                        : "the training to be repeated began at the hyperparameters of " +
                                              own.at("model").get<std::string>() + ", which are needed again");
}

NoiseCenter noise_center(const Recipe& recipe, const PlannedJobs& planned, const TrainingRows& rows,
                         const FitOptions& options, Clock::time_point began, FitCheckpoint& checkpoint,
                         WorkRecord& work) {
  if (!needs_noise_center(planned.jobs)) return {recipe.noise.prior_value, PriorCenter::fixed, {}};
  if (checkpoint.noise_center()) return *checkpoint.noise_center();
  TrainerHooks hooks;
  hooks.interrupt = options.interrupt;
  hooks.work = &work;
  hooks.seconds_since_start = [began] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  const double spent = hooks.seconds_since_start(), all = recipe.training.seconds;
  hooks.deadline_seconds = work.repeats() || all == 0 ? 0 : spent + kNoiseShare * std::max(0.0, all - spent);
  hooks.fit_name = "noise prior";
  hooks.memory_bytes = planned.work_bytes;
  const bool for_starts = std::any_of(planned.jobs.begin(), planned.jobs.end(),
                                      [](const FitJob& job) { return job.recipe.training.start == StartPoint::ard; });
  const NoiseCenter center = find_noise_center(recipe, rows, options, hooks, for_starts);
  if (ranks::any(options.interrupt != nullptr && options.interrupt->load()))
    return center;  // found again by what goes on
  checkpoint.set_noise_center(center);
  checkpoint.flush();
  return center;
}

/// Rows with leave-one-out scores, which no fit sees if the fits are weighed by them; empty: all.
std::vector<Index> scored_rows(const Recipe& recipe, Index rows, Index classes, std::uint64_t seed) {
  const bool is_timed = recipe.training.seconds > 0;
  // Of classes each takes hundreds of points for every class, with every fit.
  if (holds_out(recipe, rows)) return draw_held_out(rows, seed, is_timed && classes > 0 ? kTimedScoredRows : rows);
  Index most = max_scored_rows(classes);
  if (is_timed && has_exact_kernel(recipe)) most = std::min(most, kTimedScoredRows);
  if (rows <= most) return {};
  RandomStream stream = RandomStreams(seed).stream("leave_one_out.rows");
  return draw_rows(stream, rows, most);
}

/// Targets beside the first: raw ones of the scored rows, and a standardiser for each, by which they are standardised
/// in place.
struct MoreTargets {
  std::vector<Vector> raw;  // (scored rows) each
  std::vector<Standardizer> standardizers;
};

/// Whether the noise is learned from rows left out of the fits, and the mean stays.
bool has_left_out_noise(const Recipe& recipe) { return recipe.noise.varies && recipe.noise.rounds == 0; }

/// The scored rows as they are before they are standardised; null where no noise is learned from them.
std::shared_ptr<const MemoryRows> rows_of_noise(const Recipe& recipe, const RowSource& training,
                                                const std::vector<Index>& scored) {
  if (!has_left_out_noise(recipe)) return nullptr;
  const auto refuse = [](const char* why) { throw ConfigError("/noise/rounds", why); };
  if (training.is_sparse()) refuse("0 is not for sparse rows");
  if (training.has_weights()) refuse("0 is not for rows with weights; take 1 or more");
  std::vector<Index> order = scored;
  if (order.empty())
    for (Index i = 0; i < training.rows(); ++i) order.push_back(i);
  return gather_rows(training, order);
}

/// Seconds of training.seconds that are kept for learning the noise from so many rows.
double seconds_of_noise(const Recipe& recipe, const MemoryRows* rows, int threads) {
  if (rows == nullptr) return 0;
  const double flops = left_out_noise_flops(std::min(rows->rows(), recipe.noise.rows), rows->inputs());
  return std::min(kLeftOutNoiseShare * recipe.training.seconds, flops / (kNominalFlops * threads));
}

/// As many as asked, or fewer where the clock leaves no time for them; the same in a repetition.
Index most_noise_rows(const Recipe& recipe, const MemoryRows& rows, const FitOptions& options, double seconds_left) {
  if (options.repeat != nullptr)
    return options.repeat->contains("noise") ? options.repeat->at("noise").at("rows").get<Index>() : 0;
  const Index most = std::min(rows.rows(), recipe.noise.rows);
  if (recipe.training.seconds == 0) return most;
  return left_out_noise_rows(most, rows.inputs(), seconds_left * kNominalFlops * std::max(1, options.threads));
}

MoreTargets standardise_more(const Recipe& recipe, RowSource& training, const std::vector<Index>& scored) {
  MoreTargets result;
  const Index more = training.more_targets().cols();
  if (more == 0) return result;
  if (!training.more_targets().allFinite())
    throw DataError("training data", "the target holds a value that is not finite");
  auto* memory = dynamic_cast<MemoryRows*>(&training);
  require(memory != nullptr, "fit: several targets are of rows in memory");
  for (Index t = 0; t < more; ++t) {
    const Vector y = training.more_targets().col(t);
    result.raw.push_back(scored.empty() ? y : Vector(y(scored)));
    result.standardizers.push_back(
        Standardizer::learn(Matrix::Zero(y.size(), 1), y, Scaling::none, recipe.scale_target));
    memory->data().more_targets.col(t) = result.standardizers.back().target(y);
  }
  return result;
}

void check_targets(const Recipe& recipe, const std::vector<Schema>& schemas, const RowSource& training,
                   const FitOptions& options) {
  require(static_cast<Index>(schemas.size()) == training.more_targets().cols() + 1, "fit: one schema for each target");
  if (recipe.targets == TargetSharing::independent)
    throw ConfigError("/targets", schemas.size() == 1 ? "is of several targets, and data.target names one"
                                                      : "independent targets are fitted one by one");
  if (schemas.size() == 1) return;
  if (!recipe.data.noise_sd.empty())
    throw ConfigError("/data/noise_sd", "is in the unit of one target, and there are several");
  if (recipe.calibration.kind != CalibrationKind::none) throw ConfigError("/calibration/kind", "is for one target");
  if (recipe.noise.varies) throw ConfigError("/noise/varies", "is for one target");
  const auto refuse = [](const char* place, const std::string& what) {
    throw ConfigError(place, what + "; take \"targets\": \"independent\"");
  };
  if (recipe.learner.kind != LearnerKind::gp)
    refuse("/learner/kind", "'" + word(recipe.learner.kind) + "' shares no kernel among targets");
  if (!likelihood_of(recipe).is_conjugate())
    refuse("/likelihood", "'" + recipe.likelihood + "' shares no kernel among targets");
  if (options.start_from != nullptr) throw ConfigError("--from", "is for one target");
  if (options.repeat != nullptr) throw ConfigError("--repeat", "is for one target");
}

}  // namespace

Recipe resolved_recipe(const Recipe& recipe, const RowSource& training, Index classes, const FitOptions& options) {
  const TableSize size{
      training.rows(),     training.inputs(), classes, training.has_weights(), training.more_targets().cols() + 1,
      options.memory_bytes};
  return auto_recipe(recipe, size, std::max(1, options.threads) * ranks::count());
}

FittedModel fit_rows(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                     const FitOptions& options, const RowSource* counted_by) {
  return std::move(fit_shared(recipe, {schema}, std::move(training), options, counted_by).front());
}

std::vector<FittedModel> fit_shared(const Recipe& given, const std::vector<Schema>& schemas,
                                    std::shared_ptr<RowSource> training, const FitOptions& options,
                                    const RowSource* counted_by) {
  const Schema& schema = schemas.front();
  const auto before = std::chrono::duration<double>(options.seconds_before);
  const auto began = Clock::now() - std::chrono::duration_cast<Clock::duration>(before);
  const BlasThreads one(1);  // more than one only where an evaluation asks for them, whatever the machine has
  FittedModel model;
  Recipe named = given;
  if (schema.knows_noise())
    named.data.noise_sd = schema.config().noise_sd;  // of a rows file, which the recipe does not name
  model.recipe = apply_likelihood_defaults(std::move(named));
  const Recipe& recipe = model.recipe;
  require(schema.config().labels == recipe.data.labels,
          "fit: recipe and schema disagree on whether the target is a class");
  model.seed = options.seed;
  model.schema = schema;
  if (schemas.size() > 1) model.recipe.data = schema.config();
  // What is known of the raw rows, before they are standardised in place.
  const std::string sha256 = rows_sha256(*training);
  const bool timed = recipe.training.seconds > 0 && recipe.learner.kind == LearnerKind::gp;
  auto stages = work_to_repeat(options.repeat, sha256, timed);
  const Index count = training->rows();
  // "auto" has planned its copies for the time.
  const bool copies_wait = recipe.model != "auto";
  const Recipe resolved = resolved_recipe(recipe, *training, schema.class_count(), options);
  const std::vector<Index> scored = scored_rows(resolved, count, schema.class_count(), options.seed);
  ScoredRows of_first = read_scored(*training, scored);
  if (counted_by != nullptr) of_first.weights = read_scored(*counted_by, scored).weights;
  of_first.weights = schema.score_weights(of_first.weights);
  const auto noise_rows = rows_of_noise(resolved, *training, scored);
  const bool has_shape = learns_noise_shape(resolved, *training);
  check_targets(recipe, schemas, *training, options);
  const MoreTargets more = standardise_more(recipe, *training, scored);
  PreparedRows prepared = prepare_rows(recipe, std::move(training), options.seed);
  model.standardizer = std::move(prepared.standardizer);
  TrainingRows& rows = prepared.rows;
  count_classes(recipe, schema.class_count(), rows);
  model.recipe = resolved;
  PlannedJobs planned = plan_jobs(recipe, rows, options);
  planned.plan.target_scale = model.standardizer.target_scale();
  std::optional<ModelStart> start;
  if (options.start_from != nullptr) start.emplace(*options.start_from, options.start_name, model, planned.jobs);
  const Json started = start ? start->record() : Json();
  require_same_start(options.repeat, started);
  ProgressRelay relay(options.observer, planned.plan, options.repeat != nullptr ? 0 : recipe.training.seconds);
  if (options.observer != nullptr) options.observer->on_plan(planned.plan);
  for (const std::string& note : planned.plan.notes) relay.on_message(note);
  if (start) relay.on_message(start->text());

  FitOptions inner = options;
  inner.observer = &relay;
  FitCheckpoint checkpoint(recipe, sha256, started, inner, planned.jobs.size());
  WorkRecord work(std::move(stages));
  const NoiseCenter center = noise_center(recipe, planned, rows, inner, began, checkpoint, work);
  rows.statistics.lengthscale = center.lengthscale;
  rows.more_noise_centers = center.more;
  const double noise_seconds = seconds_of_noise(recipe, noise_rows.get(), std::max(1, options.threads));
  const double clock = options.repeat != nullptr ? 0 : recipe.training.seconds - noise_seconds;
  const TrainingRows seen = holds_out(recipe, count) ? rows_seen(rows, scored) : rows;
  FitPool pool(planned, rows, seen, scored, inner, clock, copies_wait, began, checkpoint, work, relay,
               start ? &*start : nullptr);
  FitOutcomes outcomes = pool.run(center.value);

  const auto seconds = [began] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  model.training = training_record(rows, schema, planned, outcomes, seconds(), options.threads);
  model.training["data_sha256"] = sha256;
  if (start) model.training["started_from"] = started;
  const bool by_clock = recipe.training.seconds > 0 || model.training.at("cut_short");
  // A repetition that is itself interrupted has done less than its record says.
  const bool is_partial = ranks::any(work.repeats() && options.interrupt != nullptr && options.interrupt->load());
  if (by_clock && !checkpoint.resumed() && !is_partial && !work.stages().empty())
    model.training["work"] = work.stages();
  spread_samples(outcomes, planned.jobs);
  std::vector<FitOutcomes> of_targets;
  for (std::size_t t = 1; t < schemas.size(); ++t) of_targets.push_back(outcomes_of(outcomes, t));
  of_targets.insert(of_targets.begin(), std::move(outcomes));
  std::vector<FittedModel> models;
  for (std::size_t t = 0; t < schemas.size(); ++t) {
    FittedModel own = t == 0 ? std::move(model) : like(models.front(), schemas[t], more.standardizers[t - 1]);
    const Vector& target = t == 0 ? of_first.target : more.raw[t - 1];
    NoiseCenter own_center = center;
    if (t > 0 && center.more.size() > 0) own_center.value = center.more[static_cast<Index>(t) - 1];
    const ScoredRows own_scored{target, of_first.weights, seen.held_out != nullptr};
    auto left_out = add_members(own, of_targets[t], planned.jobs, own_scored, own_center, rows, inner.threads);
    Vector factors = Vector::Ones(left_out ? left_out->rows() : 0);
    if (left_out && noise_rows) {
      LeftOutFactors varying = learn_left_out_noise(
          {*left_out, noise_rows, own_scored.held_out},
          most_noise_rows(own.recipe, *noise_rows, inner, ranks::of_first(own.recipe.training.seconds - seconds())),
          inner, own);
      left_out = std::move(varying.prediction);
      factors = std::move(varying.factors);
    }
    if (left_out && has_shape) left_out = learn_noise_shape(*left_out, own_scored.target, factors, own);
    if (has_shape) relay.on_message("noise: " + shape_text(own.noise_shape));
    if (left_out && (noise_rows || has_shape)) {
      own.training["leave_one_out"] = left_out_scores(*left_out, own_scored, own.schema);
      own.training["seconds"] = seconds();
    }
    if (left_out && options.on_left_out && schemas.size() == 1) options.on_left_out(*left_out, scored);
    models.push_back(std::move(own));
  }
  return models;
}

}  // namespace alacarte
