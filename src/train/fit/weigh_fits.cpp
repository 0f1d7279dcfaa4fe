// The stage weights: from the fits of a training to a model for each target.
#include <fmt/format.h>
#include <cmath>
#include <utility>

#include "data/column_splits.hpp"
#include "model/season_records.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

/// Returns the part of the record that all targets share.
TrainingRecord record_of(Training& training) {
  const FitContext& context = training.context;
  TrainingRecord record = training_record(training.rows, training.schema, training.planned, training.outcomes,
                                          training.seconds(), training.options.threads);
  record.data_sha256 = training.sha256;
  record.seasons = season_records(training.structure, training.schema.input_names());
  if (training.start) record.started_from = training.start->record();
  const bool by_clock = training.resolved.has_clock() || record.cut_short.value_or(false);
  // A repetition that is itself interrupted has done less than its record says.
  const bool is_partial = FitContext::any(context.repeats() && context.is_interrupted());
  if (const WorkRecord::Stages work = context.work->stages();
      by_clock && !training.checkpoint->resumed() && !is_partial && !work.empty())
    record.work = work;
  return record;
}

/// Warns of a model whose left-out predictions are no better than the mean although neighbouring rows agree, so that
/// the rows hold a function that it has missed.
void warn_of_missed_structure(const Training& training, const Prediction& left_out) {
  constexpr double kNoise = 0.95, kAgree = 0.8;  // of the target's deviation
  const double bound = training.rows.statistics.structure.neighbour_sd / training.rows.statistics.target_sd;
  if (!(bound > 0) || bound > kAgree || left_out.kind() != TargetKind::numbers) return;
  const Vector target = left_out.distribution().transform().forward(training.scored_rows.target);
  const double spread = std::sqrt((target.array() - target.mean()).square().mean());
  const double error = std::sqrt((left_out.distribution().of_transformed().mean() - target).squaredNorm() /
                                 static_cast<double>(target.size()));
  if (error < kNoise * spread) return;
  training.context.warn(
      fmt::format("no structure was found: left-out predictions are no better than the mean, while neighbouring rows "
                  "differ by {:.2g} of the target's spread; try model \"ssgpr\" or \"gm\", or give kernel.lengthscale",
                  bound));
}

/// Says what a model is whose target has one value in all training rows.
void warn_of_constant_target(const Training& training) {
  const Vector& target = training.scored_rows.target;
  if (target.size() == 0 || target.minCoeff() < target.maxCoeff() || !training.rows.classes.empty()) return;
  training.context.warn(
      fmt::format("the target is {:g} in all training rows: the model predicts this value everywhere", target[0]));
}

}  // namespace

void weigh_fits(Training& training) {
  FittedModel model;
  model.recipe = training.resolved.planned;
  model.seed = training.options.seed;
  model.schema = training.schema;
  model.standardizer = std::move(training.standardizer);
  model.training = record_of(training);
  spread_samples(training.outcomes, training.planned.jobs);
  std::vector<FitOutcomes> of_targets;
  for (std::size_t t = 1; t < training.schemas.size(); ++t) of_targets.push_back(outcomes_of(training.outcomes, t));
  of_targets.insert(of_targets.begin(), std::move(training.outcomes));
  training.scored_rows.held_out = training.seen.held_out != nullptr;
  if (const std::vector<Index>& groups = training.options.columns.groups; !groups.empty())
    training.scored_rows.prior_rows = static_cast<double>(groups.size()) / static_cast<double>(count_groups(groups));
  for (std::size_t t = 0; t < training.schemas.size(); ++t) {
    FittedModel own =
        t == 0 ? std::exchange(model, {})
               : model_for_target(training.models.front(), training.schemas[t], training.more.standardizers[t - 1]);
    ScoredRows scored = training.scored_rows;
    if (t > 0) scored.target = training.more.raw[t - 1];
    const auto center_of = [&](const FitJob& job) {
      NoiseCenter center = training.center_of(job);
      if (t > 0 && center.more.size() > 0) center.value = center.more[static_cast<Index>(t) - 1];
      return center;
    };
    const std::size_t noted = own.training.notes ? own.training.notes->size() : 0;
    std::optional<Prediction> left_out =
        add_members(own, of_targets[t], training.planned.jobs, scored, training.fold_rows, center_of, training.rows,
                    training.options.threads);
    if (t == 0) training.left_out = std::move(left_out);
    for (std::size_t k = noted; own.training.notes && k < own.training.notes->size(); ++k)
      training.context.message((*own.training.notes)[k]);
    training.models.push_back(std::move(own));
  }
  warn_of_constant_target(training);
  // Neighbours of one group agree although nothing tells of another group.
  if (training.left_out && training.left_out_by == LeftOutBy::rows)
    warn_of_missed_structure(training, *training.left_out);
  if (training.left_out) training.noise_factors = Vector::Ones(training.left_out->rows());
}

}  // namespace alacarte
