// The stages draw_rows and prepare: from a recipe and raw rows to standardised rows and one job for each fit.
#include <fmt/format.h>
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "data/changed_rows.hpp"
#include "data/fingerprint.hpp"
#include "member_race.hpp"
#include "model/season_records.hpp"
#include "train/noise/target_scale.hpp"
#include "train/plan/auto_constants.hpp"
#include "train/plan/cost_model.hpp"
#include "train/plan/noise_plan.hpp"
#include "train/plan/tree_columns.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

constexpr double kMaxTreeTime = 0.5;  // largest share of the time until boosted trees end
constexpr Index kMinFoldRows = 50;    // fewer tell fits apart no better than their leave-one-out scores

/// Returns the recorded work of a training that is repeated; nothing if its recipe suffices to repeat it.
std::optional<WorkRecord::Stages> work_to_repeat(const TrainingRecord* training, const std::string& sha256,
                                                 bool timed) {
  if (training == nullptr) return std::nullopt;
  if (!training->updates.empty())
    throw ConfigError("",
                      "the model to be repeated was updated with further rows; repeat the one before, and update it");
  if (training->data_sha256 != sha256)
    throw DataError("training", "these are not the rows of the model to be repeated");
  if (training->work) return training->work;
  // A clock also cuts the noise prior and subsamples, after which the last stage may end by itself.
  if (timed || training->cut_short.value_or(false))
    throw ConfigError("", "the training to be repeated was cut short or resumed, and its work was not recorded");
  return std::nullopt;
}

/// Throws ConfigError unless a repetition begins where the training began.
void require_same_start(const TrainingRecord* repeated, const std::optional<StartRecord>& started) {
  if (repeated == nullptr) return;
  const std::optional<StartRecord>& own = repeated->started_from;
  if (own.has_value() != started.has_value() || (own && own->sha256 != started->sha256))
    throw ConfigError("", own ? "the training to be repeated began at the hyperparameters of " + own->model +
                                    ", which are needed again"
                              : "the training to be repeated did not begin at a model");
}

/// Returns the scored rows in raw units if noise that varies is learned from them; otherwise null.
std::shared_ptr<const MemoryRows> gather_noise_rows(const Recipe& recipe, const RowSource& training,
                                                    const std::vector<Index>& scored) {
  if (!recipe.noise.varies || recipe.noise.rounds > 0) return nullptr;
  const auto refuse = [](const char* why) { throw ConfigError("/noise/rounds", why); };
  if (training.is_sparse()) refuse("0 is not for sparse rows");
  if (training.has_weights()) refuse("0 is not for rows with weights; take 1 or more");
  std::vector<Index> order = scored;
  if (order.empty())
    for (Index i = 0; i < training.rows(); ++i) order.push_back(i);
  return gather_rows(training, order);
}

void check_targets(const Recipe& recipe, const std::vector<Schema>& schemas, const RowSource& training,
                   const FitOptions& options) {
  require(static_cast<Index>(schemas.size()) == training.more_targets().cols() + 1, "fit: one schema for each target");
  if (training.has_offsets() && target_kind(recipe) != TargetKind::counts)
    throw ConfigError("/data/exposure", "is of counts: take likelihood poisson or negative-binomial");
  if (recipe.weights == FitWeights::folds && schemas.front().class_count() == 0)
    throw ConfigError("/weights", "'folds' weighs fits of classes; take 'leave-one-out' or 'held-out'");
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

/// Standardises the targets beside the first in place.
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

/// Returns what boosted trees may take: the plan's share of the operations, and at most half of the time if the machine
/// is slower than planned.
TreeBudget tree_budget(const Training& training, const std::optional<WorkRecord::Stages>& stages) {
  const Recipe& asked = training.resolved.asked;
  TreeBudget budget{training.limits.tree_flops, training.limits.shallow_trees, training.limits.tree_columns, &stages};
  if (budget.split.empty()) budget.split = training.options.columns;
  if (budget.flops == 0 && asked.model == "auto") {
    const Index rows = training.rows.source->rows();
    const double asked_flops =
        asked.flops > 0 ? asked.flops : nominal_flops(asked.training.seconds, std::max(1, training.options.threads));
    budget.flops =
        auto_detail::tree_share(rows) * (asked_flops > 0 ? asked_flops : default_flops(static_cast<double>(rows)));
  }
  const double latest = training.options.repeat != nullptr ? 0 : kMaxTreeTime * asked.training.seconds;
  budget.after_round = [&training, latest, told = training.context.now()](Index rounds) mutable {
    const FitContext& context = training.context;
    const double now = context.now();
    if (now - told >= 1) {
      told = now;
      context.report(
          {.fit = "boosted trees", .stage = fmt::format("round {}", rounds), .seconds = now, .has_evidence = false});
    }
    return context.is_interrupted() || (latest > 0 && now > latest);
  };
  return budget;
}

/// Reads what is needed from the raw rows, then standardises them in place.
void standardise(Training& training, const std::optional<WorkRecord::Stages>& stages) {
  const Recipe &asked = training.resolved.asked, &planned = training.resolved.planned;
  RowSource& source = *training.source;
  const Index classes = training.schema.class_count();
  choose_scored_rows(training);
  training.scored_rows = read_scored(source, training.scored);
  if (training.score_weights != nullptr)
    training.scored_rows.weights = read_scored(*training.score_weights, training.scored).weights;
  training.scored_rows.weights = training.schema.score_weights(training.scored_rows.weights);
  training.noise_rows = gather_noise_rows(planned, source, training.scored);
  const bool is_in_time = training.options.columns.times.size() > 0;
  if (planned.weights == FitWeights::folds && !is_in_time && source.rows() >= kMinFoldRows &&
      source.rows() <= max_scored_rows(classes) && !source.is_distributed() && !source.is_sparse()) {
    training.fold_rows = {gather_all_rows(source), {}};
    training.fold_rows.weights = training.schema.score_weights(training.score_weights != nullptr
                                                                   ? read_scored(*training.score_weights, {}).weights
                                                                   : read_scored(source, {}).weights);
  }
  training.has_shape = learns_noise_shape(planned, source);
  check_targets(asked, training.schemas, source, training.options);
  training.more = standardise_more(asked, source, training.scored);
  PreparedRows prepared = prepare_rows(asked, std::move(training.source), training.options.seed);
  prepared.take_structure(training.structure);
  training.standardizer = std::move(prepared.standardizer);
  training.rows = std::move(prepared.rows);
  training.rows.columns = training.options.columns;
  count_classes(asked, classes, training.rows);
  if (takes_trees(planned)) {
    training.context.message("boosted trees");
    training.tree_columns = boost_columns(planned, training.rows, training.options, tree_budget(training, stages));
  }
  add_views(planned, training.tree_columns, RandomStreams(training.options.seed), training.rows);
}

/// Begins the records of the training: its starting point, observer, checkpoint and replay.
void open_records(Training& training, std::optional<WorkRecord::Stages> stages) {
  FitOptions& options = training.options;
  if (options.start_from != nullptr)
    training.start.emplace(*options.start_from, options.start_name, training.resolved.planned, training.schema,
                           training.standardizer, training.planned.jobs);
  const auto started = training.start ? std::optional(training.start->record()) : std::nullopt;
  require_same_start(options.repeat, started);
  const TrainingPlan& plan = training.planned.plan;
  const double clock = options.repeat != nullptr ? 0 : training.resolved.planned.training.seconds;
  training.relay = std::make_unique<ProgressRelay>(options.observer, plan, clock);
  if (options.observer != nullptr) options.observer->on_plan(plan);
  for (const std::string& note : plan.notes) training.relay->on_message(note);
  if (training.start) training.relay->on_message(training.start->text());
  if (!training.is_part)
    tell_seasons(season_records(training.structure, training.schema.input_names()), *training.relay);
  options.observer = training.context.observer = training.relay.get();
  training.checkpoint = std::make_unique<FitCheckpoint>(training.resolved.planned, training.sha256, started, options,
                                                        training.planned.jobs.size());
  training.work = std::make_unique<WorkRecord>(stages);
  training.context.work = training.work.get();
}

}  // namespace

void tell_seasons(const std::vector<SeasonRecord>& seasons, TrainingObserver& observer) {
  for (const SeasonRecord& season : seasons) observer.on_message("season: " + season_text(season));
}

void draw_rows_in_time(Training& training) {
  const FitOptions& options = training.options;
  const Index all = training.source->rows();
  RowsInTime& planned = training.in_time;
  if (options.repeat != nullptr)
    planned = {options.repeat->rows_drawn.value_or(all), options.repeat->short_of_time, options.repeat->bound_for_time};
  else
    planned = rows_in_time(apply_likelihood_defaults(training.recipe), *training.source, training.schema.class_count(),
                           options);
  // Hyperparameters of another model are further than a subsample leads.
  if (options.start_from == nullptr && !training.source->is_distributed())
    begin_on_few_rows(training.recipe, planned, training.recipe.training.seconds);
  if (planned.takes_bound) take_bound(training.recipe);
  if (planned.rows == all) return;
  std::vector<Index> drawn = draw_training_rows(all, planned.rows, options.seed);
  training.drawn_note =
      fmt::format("{} of {} rows are drawn: as many as can be trained on in the time", planned.rows, all);
  training.context.message(training.drawn_note);
  training.source = some_rows(*training.source, drawn);
  training.options.columns = training.options.columns.of_rows(drawn);
  training.options.on_left_out = with_places(std::move(training.options.on_left_out), std::move(drawn));
}

/// Returns the smallest target of the rows that are held out for calibration, or infinity.
double smallest_held_target(const Training& training) {
  const MemoryRows* held = training.calibration_rows.get();
  return held == nullptr ? std::numeric_limits<double>::infinity() : held->y().minCoeff();
}

void resolve_target_scale(Training& training) {
  Recipe& recipe = training.recipe;
  if (const double least = smallest_held_target(training); recipe.scale_target == TargetScaling::log && !(least > 0))
    throw DataError("training data", fmt::format("scale.target 'log' needs targets above 0, and the smallest of the "
                                                 "rows held out for calibration is {:g}; take 'zscore'",
                                                 least));
  if (recipe.scale_target != TargetScaling::automatic) return;
  recipe = apply_likelihood_defaults(std::move(recipe));
  if (recipe.scale_target != TargetScaling::automatic) return;
  FitContext context = training.context;
  context.observer = nullptr;
  context.fit = "target scale";
  const bool is_gaussian = recipe.learner.kind == LearnerKind::gp && likelihood_of(recipe).is_conjugate();
  const bool knows_noise = training.schema.knows_noise() || !recipe.data.noise_sd.empty();
  TargetScaleChoice choice;
  if (is_gaussian && !knows_noise)
    choice = choose_target_scale(recipe, *training.source, smallest_held_target(training), training.options, context);
  recipe.scale_target = choice.scaling;
  training.target_note = choice.note;
}

void prepare(Training& training) {
  resolve_target_scale(training);
  training.structure = structure_of(training.recipe, *training.source, training.options.seed);
  const MemberRace race = race_members(apply_likelihood_defaults(training.recipe), training);
  training.resolved = resolve_recipe(std::move(training.recipe), training.schemas, *training.source, training.structure,
                                     training.options, race);
  training.sha256 = rows_sha256(*training.source);
  const Recipe& planned = training.resolved.planned;
  const bool timed = training.resolved.has_clock() && planned.learner.kind == LearnerKind::gp;
  std::optional<WorkRecord::Stages> stages = work_to_repeat(training.options.repeat, training.sha256, timed);
  standardise(training, stages);
  training.planned = plan_jobs(planned, training.rows, training.options);
  training.planned.plan.target_scale = training.standardizer.target_scale();
  if (!training.target_note.empty()) training.planned.plan.notes.push_back(training.target_note);
  auto& notes = training.planned.plan.notes;
  notes.insert(notes.end(), race.notes.begin(), race.notes.end());
  if (!training.tree_columns.note.empty()) notes.push_back(training.tree_columns.note);
  training.planned.plan.stages = stages_of(training);
  if (std::string note = left_out_note(training); !note.empty()) training.planned.plan.notes.push_back(std::move(note));
  training.center = {planned.noise.prior_value, PriorCenter::fixed, {}};
  open_records(training, std::move(stages));
  if (training.tree_columns.trees) record_trees(training.tree_columns.work, training.context);
  training.tree_columns = {};  // views have what they need of them
}

}  // namespace alacarte
