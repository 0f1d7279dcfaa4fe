#include "alacarte/train/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/core/version.hpp"
#include "alacarte/data/fingerprint.hpp"
#include "alacarte/eval/class_metrics.hpp"
#include "alacarte/eval/count_metrics.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/model/likelihood.hpp"
#include "fit_pool.hpp"
#include "left_out.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// Largest share of the time budget for the preliminary fit of the noise.
constexpr double kNoiseShare = 0.1;
constexpr Index kMaxShareRows = 1000, kMaxCheckedRows = 100;

/// What a training to be repeated did; nothing where the recipe alone repeats it.
std::optional<WorkRecord::Stages> work_to_repeat(const Json* training, const std::string& sha256) {
  if (training == nullptr) return std::nullopt;
  if (training->contains("updates"))
    throw ConfigError("",
                      "the model to be repeated was updated with further rows; repeat the one before, and update it");
  if (training->at("data_sha256") != sha256)
    throw DataError("training", "these are not the rows of the model to be repeated");
  if (training->contains("work")) return training->at("work").get<WorkRecord::Stages>();
  if (training->at("cut_short"))
    throw ConfigError("", "the training to be repeated was cut short, and its work was not recorded");
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
  if (!needs_noise_center(planned.jobs)) return {recipe.noise.prior_value, "fixed", {}};
  if (checkpoint.noise_center()) return *checkpoint.noise_center();
  TrainerHooks hooks;
  hooks.interrupt = options.interrupt;
  hooks.work = &work;
  hooks.deadline_seconds = work.repeats() ? 0 : kNoiseShare * recipe.training.seconds;
  hooks.seconds_since_start = [began] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  hooks.fit_name = "noise prior";
  hooks.memory_bytes = planned.work_bytes;
  const NoiseCenter center = find_noise_center(recipe, rows, options, hooks);
  if (options.interrupt != nullptr && options.interrupt->load()) return center;  // found again by what goes on
  checkpoint.set_noise_center(center);
  checkpoint.flush();
  return center;
}

Json scores_of(const Prediction& prediction, const Vector& target, const Vector& weights,
               const std::vector<std::string>& names) {
  if (prediction.kind() == TargetKind::numbers) return to_json(score(prediction.distribution(), target, weights));
  if (prediction.kind() == TargetKind::counts) {
    CountScoreSums sums;
    sums.add(prediction.counts(), target, weights);
    return sums.result();
  }
  Json scores = to_json(score_classes(prediction.classes().values, target, true, weights), names);
  scores.erase("classes");
  scores.erase("confusion");
  return scores;
}

/// Shares of the terms of an additive model in the variance of f over the rows: a priori, and a posteriori (variance of
/// the posterior mean over the rows plus posterior variance). Null for a model that is not additive.
Json term_shares(const Posterior& posterior, ConstMat sample) {
  const auto terms = posterior.term_moments(sample.topRows(std::min(kMaxShareRows, sample.rows())));
  if (terms.empty()) return nullptr;
  std::vector<double> prior, after;
  for (const auto& term : terms) {
    prior.push_back(term.prior_variance.mean());
    after.push_back((term.mean.array() - term.mean.mean()).square().mean() + term.variance.mean());
  }
  const double prior_sum = std::accumulate(prior.begin(), prior.end(), 0.0);
  const double after_sum = std::accumulate(after.begin(), after.end(), 0.0);
  Json shares = Json::array();
  for (std::size_t t = 0; t < terms.size(); ++t)
    shares.push_back({{"model", terms[t].model},
                      {"prior_share", prior_sum > 0 ? prior[t] / prior_sum : 0.0},
                      {"posterior_share", after_sum > 0 ? after[t] / after_sum : 0.0}});
  return shares;
}

Member make_member(const FitJob& job, FitOutcome& outcome, const NoiseCenter& center, ConstMat sample) {
  Member member;
  member.recipe = job.recipe;
  member.map = job.map;
  member.kernel = job.kernel;
  member.theta = std::move(outcome.theta);
  member.posterior = std::move(outcome.posterior);
  member.summary = std::move(outcome.summary);
  member.summary["name"] = job.name;
  if (job.is_classifier()) return member;
  if (Json shares = term_shares(*member.posterior, sample); !shares.is_null())
    member.summary["terms"] = std::move(shares);
  if (job.recipe.priors && likelihood_of(job.recipe).is_conjugate()) {
    const bool found = job.recipe.noise.prior_center == "ard";
    member.summary["noise_prior"] = {{"center", found ? center.value : job.recipe.noise.prior_value},
                                     {"from", found ? center.from : "fixed"}};
  }
  return member;
}

/// Numbers that a computer can hold may have squares that it cannot: such a model is refused here rather than by its
/// first prediction.
void require_predictions(const FittedModel& model, ConstMat sample) {
  const double scale = model.standardizer.target_scale(), shift = model.standardizer.target_shift();
  const Matrix rows = sample.topRows(std::min(kMaxCheckedRows, sample.rows()));
  for (const Member& member : model.members) {
    const Posterior& posterior = *member.posterior;
    // Covariances of many classes are wide, and there is no unit whose square could overflow.
    const bool has_one = posterior.outputs() == 1 && posterior.has_variance();
    Matrix means(rows.rows(), posterior.outputs()), covariances(has_one ? rows.rows() : 0, has_one ? 1 : 0);
    posterior.predict_outputs(rows, means, covariances);
    covariances.array() += posterior.noise_variance();
    if ((means * scale).array().isFinite().all() && std::isfinite(shift) &&
        (covariances * (scale * scale)).array().isFinite().all())
      continue;
    throw NumericalError(member.recipe.model,
                         fmt::format("its predictions of its own training rows are not finite; the scale of the target "
                                     "is {:.3g}: give it in a larger unit, or look for a wrong cell",
                                     scale));
  }
}

Json training_record(const TrainingRows& rows, const Schema& schema, const PlannedJobs& planned,
                     const FitOutcomes& outcomes, double seconds, int threads) {
  Json classes = Json::object();
  for (std::size_t k = 0; k < rows.classes.size(); ++k) classes[schema.classes()[k]] = rows.classes[k];
  Index evaluations = 0, came_out = 0;
  bool cut_short = false;
  for (const auto& outcome : outcomes) {
    if (!outcome) continue;
    ++came_out;
    evaluations += outcome->evaluations;
    cut_short = cut_short || outcome->cut_short;
  }
  Json record = {{"rows", rows.source->rows()},
                 {"inputs", rows.source->inputs()},
                 {"target", schema.target_name()},
                 {"seconds", seconds},
                 {"threads", threads},
                 {"evaluations", evaluations},
                 {"planned_fits", planned.jobs.size()},
                 {"fits", came_out},
                 {"cut_short", cut_short || came_out < static_cast<Index>(planned.jobs.size())},
                 {"notes", planned.plan.notes},
                 {"program_version", version()}};
  if (!classes.empty()) record["classes"] = std::move(classes);  // rows of each
  return record;
}

/// Rows with leave-one-out scores; empty: all.
std::vector<Index> scored_rows(Index rows, Index classes, std::uint64_t seed) {
  if (rows <= max_scored_rows(classes)) return {};
  RandomStream stream = RandomStreams(seed).stream("leave_one_out.rows");
  return draw_rows(stream, rows, max_scored_rows(classes));
}

/// Targets and weights of those rows.
struct ScoredRows {
  Vector target, weights;  // (rows); no weights: all 1
};

ScoredRows read_scored(const RowSource& training, const std::vector<Index>& scored) {
  ScoredRows rows;
  rows.target.resize(scored.empty() ? training.rows() : static_cast<Index>(scored.size()));
  if (training.has_weights()) rows.weights.resize(rows.target.size());
  RowScratch scratch;
  for (Index i = 0; i < rows.target.size(); ++i) {
    const RowBlock row = training.read(scored.empty() ? i : scored[static_cast<std::size_t>(i)], 1, scratch);
    rows.target[i] = row.y[0];
    if (rows.weights.size() > 0) rows.weights[i] = row.weights[0];
  }
  return rows;
}

}  // namespace

FittedModel fit(const Recipe& given, const Schema& schema, std::shared_ptr<RowSource> training,
                const FitOptions& options) {
  const auto before = std::chrono::duration<double>(options.seconds_before);
  const auto began = Clock::now() - std::chrono::duration_cast<Clock::duration>(before);
  const BlasThreads one(1);  // more than one only where an evaluation asks for them, whatever the machine has
  FittedModel model;
  model.recipe = apply_likelihood_defaults(given);
  const Recipe& recipe = model.recipe;
  require(schema.config().labels == recipe.data.labels,
          "fit: recipe and schema disagree on whether the target is a class");
  model.seed = options.seed;
  model.schema = schema;
  // What is known of the raw rows, before they are standardised in place.
  const std::string sha256 = rows_sha256(*training);
  auto stages = work_to_repeat(options.repeat, sha256);
  const std::vector<Index> scored = scored_rows(training->rows(), schema.class_count(), options.seed);
  const auto [target, row_weights] = read_scored(*training, scored);
  PreparedRows prepared = prepare_rows(recipe, std::move(training), options.seed);
  model.standardizer = std::move(prepared.standardizer);
  TrainingRows& rows = prepared.rows;
  count_classes(recipe, schema.class_count(), rows);
  model.recipe = resolve_auto(recipe, rows, options);
  PlannedJobs planned = plan_jobs(recipe, rows, options);
  planned.plan.target_scale = model.standardizer.target_scale();
  std::optional<ModelStart> start;
  if (options.start_from != nullptr) start.emplace(*options.start_from, options.start_name, model, planned.jobs);
  const Json started = start ? start->record() : Json();
  require_same_start(options.repeat, started);
  ProgressRelay relay(options.observer, planned.plan);
  if (options.observer != nullptr) options.observer->on_plan(planned.plan);
  for (const std::string& note : planned.plan.notes) relay.on_message(note);
  if (start) relay.on_message(start->text());

  FitOptions inner = options;
  inner.observer = &relay;
  FitCheckpoint checkpoint(recipe, sha256, started, inner, planned.jobs.size());
  WorkRecord work(std::move(stages));
  const NoiseCenter center = noise_center(recipe, planned, rows, inner, began, checkpoint, work);
  rows.statistics.lengthscale = center.lengthscale;
  const double clock = options.repeat != nullptr ? 0 : recipe.training.seconds;
  FitPool pool(planned, rows, scored, inner, clock, began, checkpoint, work, relay, start ? &*start : nullptr);
  FitOutcomes outcomes = pool.run(center.value);

  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  model.training = training_record(rows, schema, planned, outcomes, seconds, options.threads);
  model.training["data_sha256"] = sha256;
  if (start) model.training["started_from"] = started;
  const bool by_clock = recipe.training.seconds > 0 || model.training.at("cut_short");
  // A repetition that is itself interrupted has done less than its record says.
  const bool is_partial = work.repeats() && options.interrupt != nullptr && options.interrupt->load();
  if (by_clock && !options.resume && !is_partial && !work.stages().empty()) model.training["work"] = work.stages();
  const LeftOutFits left_out_fits{model, outcomes, planned.jobs, target, row_weights};
  const bool weighs = model.recipe.weights == "leave-one-out";
  const Vector weights =
      weighs ? left_out_weights(left_out_fits) : Vector::Ones(model.training.at("fits").get<Index>());
  const auto left_out = left_out_predictions(left_out_fits, weights);
  model.training["leave_one_out"] =
      left_out ? scores_of(*left_out, target, row_weights, model.schema.classes()) : Json();
  if (left_out && options.on_left_out) options.on_left_out(*left_out, scored);
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (!outcomes[k]) continue;
    Member member = make_member(planned.jobs[k], *outcomes[k], center, rows.statistics.sample);
    member.weight = weights[static_cast<Index>(model.members.size())];
    model.members.push_back(std::move(member));
  }
  require_predictions(model, rows.statistics.sample);
  return model;
}

}  // namespace alacarte
