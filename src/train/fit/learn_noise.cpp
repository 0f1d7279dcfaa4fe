// The stages that learn the noise: the centre of its prior, its size where it varies, and its distribution.
#include <fmt/format.h>
#include <algorithm>

#include "core/workers.hpp"
#include "train/noise/left_out_noise.hpp"
#include "train/noise/noise_prior.hpp"
#include "train/noise/noise_shape.hpp"
#include "train/noise/uneven_noise.hpp"
#include "train/plan/cost_model.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

// Largest share of the time budget for the preliminary fit of the noise.
constexpr double kMaxNoisePriorShare = 0.1;

/// Returns the number of rows for learning the noise: the requested number, or fewer if time is short; a repetition
/// takes as many as the training that it repeats.
Index noise_row_count(const Training& training, const Recipe& recipe) {
  const FitOptions& options = training.options;
  if (options.repeat != nullptr) return options.repeat->noise ? options.repeat->noise->rows : 0;
  const MemoryRows& rows = *training.noise_rows;
  const Index wanted = std::min(rows.rows(), recipe.noise.rows);
  if (recipe.training.seconds == 0) return wanted;
  const double left = FitContext::of_first(recipe.training.seconds - training.seconds());
  return left_out_noise_rows(wanted, rows.inputs(), nominal_flops(left, training.threads()));
}

/// Writes the scores of left-out predictions again, after the noise was learned from them.
void score_again(Training& training) {
  if (!training.left_out) return;
  FittedModel& model = training.models.front();
  model.training.leave_one_out = left_out_scores(*training.left_out, training.scored_rows);
  model.training.seconds = training.seconds();
}

/// Adds why the scale of the target was chosen to the record of the last model.
void add_target_note(Training& training) {
  auto& notes = training.models.back().training.notes;
  if (!notes) notes.emplace();
  notes->push_back(training.target_note);
}

}  // namespace

void fit_in_rounds(Training& training) {
  resolve_target_scale(training);
  FitOptions options = training.options;
  options.seconds_before = training.seconds();
  training.models.push_back(fit_uneven_noise(training.recipe, training.schema, training.source, options, fit_part));
  if (!training.target_note.empty()) add_target_note(training);
  if (options.observer != nullptr) tell_seasons(training.models.back().training.seasons, *options.observer);
}

void find_noise_prior(Training& training) {
  const Recipe& recipe = training.resolved.planned;
  FitCheckpoint& checkpoint = *training.checkpoint;
  const auto views = static_cast<double>(1 + training.rows.views.size());
  // One fit for each view; ranks, which agree on every step of a fit, take one after the other.
  const auto at_a_time = FitContext::is_alone() ? std::clamp(views, 1.0, static_cast<double>(training.threads())) : 1.0;
  const auto find = [&](const TrainingRows& rows, const std::string& name) {
    FitContext context = training.context;
    context.fit = name;
    context.observer = nullptr;
    context.memory_bytes = training.planned.work_bytes;
    if (!context.repeats() && recipe.training.seconds > 0)
      context.deadline = context.now() + kMaxNoisePriorShare * at_a_time / views *
                                             std::max(0.0, recipe.training.seconds - context.now());
    FitOptions options = training.options;
    if (at_a_time > 1) options.threads = 1;
    const auto& jobs = training.planned.jobs;
    const bool for_starts = std::any_of(jobs.begin(), jobs.end(),
                                        [](const FitJob& job) { return job.recipe.training.start == StartPoint::ard; });
    return find_noise_center(recipe, rows, options, context, for_starts);
  };
  const auto take = [](const NoiseCenter& center, TrainingRows& rows) {
    rows.statistics.lengthscale = center.lengthscale;
    rows.statistics.from_rows = center.from_rows;
    rows.more_noise_centers = center.more;
  };
  std::vector<std::pair<const FitView, std::shared_ptr<TrainingRows>>*> seen;
  for (auto& view : training.rows.views) seen.push_back(&view);
  const bool is_known = checkpoint.noise_center().has_value();
  std::vector<NoiseCenter> centers(seen.size());
  if (is_known) training.center = *checkpoint.noise_center();
  // The place 0 is that of the inputs as they are.
  run_dealt(static_cast<int>(at_a_time), static_cast<Index>(1 + seen.size()), 1, [&](Index k) {
    if (k == 0) {
      if (!is_known) training.center = find(training.rows, "noise prior");
      return;
    }
    const auto at = static_cast<std::size_t>(k - 1);
    centers[at] = find(*seen[at]->second, fmt::format("noise prior ({})", text_of(seen[at]->first)));
  });
  // A training that continues after an interrupt finds it again.
  if (!is_known && !FitContext::any(training.context.is_interrupted())) {
    checkpoint.set_noise_center(training.center);
    checkpoint.flush();
  }
  take(training.center, training.rows);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    take(centers[k], *seen[k]->second);
    training.view_centers[seen[k]->first] = std::move(centers[k]);
  }
}

void learn_noise(Training& training) {
  if (!training.left_out) return;
  FittedModel& model = training.models.front();
  const Index rows = noise_row_count(training, model.recipe);
  const SplitColumns& columns = training.options.columns;
  const FitFunction fit_noise = [](const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> source,
                                   const FitOptions& options, const RowSource*) {
    return fit_briefly(recipe, schema, std::move(source), options, {.shallow_trees = true});
  };
  std::vector<Index> groups = training.scored.empty() ? columns.groups : columns.of_rows(training.scored).groups;
  LeftOutFactors varying =
      learn_left_out_noise({*training.left_out, training.noise_rows, training.scored_rows.held_out, std::move(groups)},
                           rows, training.options, model, fit_noise);
  if (model.noise_model) training.of_one_size = std::move(training.left_out);
  training.left_out = std::move(varying.prediction);
  training.noise_factors = std::move(varying.factors);
  score_again(training);
}

namespace {

/// Takes noise of one size in place of noise that varies, unless that predicts the left-out rows better although both
/// have learned their distribution: a few far rows may be all that varies.
void compare_with_one_size(Training& training) {
  FittedModel& model = training.models.front();
  const Vector& target = training.scored_rows.target;
  NoiseShape shape = std::exchange(model.noise_shape, {});
  Prediction other = learn_noise_shape(*training.of_one_size, target, Vector::Ones(target.size()), model);
  const PredictiveDistribution &varying = training.left_out->distribution(), &constant = other.distribution();
  const double gain = varying.log_density(target).sum() - constant.log_density(target).sum();
  const auto error = [&](const PredictiveDistribution& law) { return (law.mean() - target).squaredNorm(); };
  const bool moves_mean = !varying.transform().is_identity() && error(varying) > kMaxNoiseErrorRatio * error(constant);
  // Its last digits differ between machines.
  if (FitContext::of_first(gain > kMinNoiseGain && !moves_mean ? 1 : 0) > 0) {
    model.noise_shape = std::move(shape);
    return;
  }
  keep_one_size(model, model.training.noise ? model.training.noise->rows : 0, "its distribution tells as much");
  training.context.message("noise: of one size (its distribution tells as much)");
  training.noise_factors.setOnes();
  training.left_out = std::move(other);
}

}  // namespace

void learn_shape(Training& training) {
  FittedModel& model = training.models.front();
  if (training.left_out) {
    training.left_out =
        learn_noise_shape(*training.left_out, training.scored_rows.target, training.noise_factors, model);
    if (model.noise_model && training.of_one_size) compare_with_one_size(training);
  }
  training.context.message("noise: " + shape_text(model.noise_shape));
  score_again(training);
}

}  // namespace alacarte
