#include "minibatch_plan.hpp"

#include <fmt/format.h>
#include <numeric>

#include "core/kernel_keys.hpp"

namespace alacarte {

namespace {

constexpr double kHeldOutShare = 0.1;   // of the rows
constexpr double kMinHeldOutRows = 10;  // fewer tell too little
constexpr Index kMaxBatchLevels = 1000;

}  // namespace

bool uses_minibatches(const Recipe& recipe) {
  return recipe.model == "deep" && recipe.learner.kind == LearnerKind::gp &&
         recipe.network.training == NetworkTraining::minibatches;
}

bool takes_minibatches(const Recipe& recipe) {
  const Likelihood& likelihood = likelihood_of(recipe);
  return likelihood.is_conjugate() || likelihood.parameters(recipe.noise).size() == 0;
}

bool takes_levels(const Recipe& recipe, Index levels) {
  return levels <= kMaxBatchLevels || !likelihood_of(recipe).is_conjugate();
}

void plan_minibatches(const TrainingRows& rows, FitJob& job, std::vector<std::string>& notes) {
  if (!uses_minibatches(job.recipe)) return;
  const auto refuse = [](const std::string& pointer) {
    throw ConfigError(pointer, "is not for minibatches; take \"training\": \"evidence\" in the section network");
  };
  if (!takes_minibatches(job.recipe)) refuse("/likelihood");
  if (rows.source->has_weights()) refuse(job.recipe.data.noise_sd.empty() ? "/data/weights" : "/data/noise_sd");
  if (rows.source->more_targets().cols() > 0) refuse("/data/target");
  if (const std::string place = first_by_hand(job.recipe); !place.empty()) refuse(place);
  if (!job.recipe.noise.trained) refuse("/noise/trained");
  if (!can_hold_out(rows.source->rows())) {
    notes.push_back(fmt::format("{}: {} rows are too few for minibatches: all parameters are trained by the evidence",
                                job.name, rows.source->rows()));
    job.recipe.network.training = NetworkTraining::evidence;
    return;
  }
  const std::vector<Index>& levels = rows.statistics.level_counts;
  if (!takes_levels(job.recipe, std::accumulate(levels.begin(), levels.end(), Index{0}))) {
    notes.push_back(
        fmt::format("{}: of more than {} levels of random effects all parameters are trained by the evidence", job.name,
                    kMaxBatchLevels));
    job.recipe.network.training = NetworkTraining::evidence;
    return;
  }
  TrainingConfig& training = job.recipe.training;
  training.starts = 1;
  training.iterations = 0;
  training.evaluations = 0;
  training.subsample = 0;
  training.start = StartPoint::range;
}

bool can_hold_out(Index rows) { return kHeldOutShare * static_cast<double>(rows) >= kMinHeldOutRows; }

bool holds_out(const Recipe& recipe, Index rows) {
  const bool any =
      uses_minibatches(recipe) || std::any_of(recipe.members.begin(), recipe.members.end(), uses_minibatches);
  return can_hold_out(rows) && (any || recipe.weights == FitWeights::held_out);
}

Index held_out_rows(Index rows) {
  return std::min(static_cast<Index>(kHeldOutShare * static_cast<double>(rows)), kMaxHeldOut);
}

}  // namespace alacarte
