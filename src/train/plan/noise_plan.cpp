#include "noise_plan.hpp"

#include "alacarte/io/recipe_io.hpp"
#include "auto_constants.hpp"
#include "inference/gaussian_gram.hpp"
#include "minibatch_plan.hpp"
#include "optimise/trainer.hpp"
#include "trees/boosting.hpp"

namespace alacarte {
namespace {

constexpr Index kMinNoisePriorRows = 10;
constexpr double kNoiseOfLogs = 0.9;  // share of the variance of logarithms of squared residuals that is noise

}  // namespace

bool needs_noise_center(const std::vector<FitJob>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const FitJob& job) {
    return !job.is_classifier() && !uses_minibatches(job.recipe) && job.recipe.priors &&
           job.recipe.noise.prior_center == PriorCenter::ard && job.recipe.noise.trained &&
           likelihood_of(job.recipe).is_conjugate();
  });
}

TrainingPlan::Fit plan_noise_prior(const RowSource& rows, Index most) {
  if (!suits_exact_fit(rows)) return {};
  EvaluationPlan plan = plan_of(rows, 0, 0, EvaluationForm::exact);
  plan.rows = std::min(most, plan.rows);
  return {"noise prior", with_exact_flops(std::move(plan), 1), planned_evaluations(ard_recipe({}).training), 0, 0, {}};
}

bool suits_exact_fit(const RowSource& rows) { return rows.rows() >= kMinNoisePriorRows && !rows.is_sparse(); }

Recipe ard_recipe(const Recipe& recipe) {
  Recipe ard;
  ard.model = "exact-ard";
  ard.mean = recipe.mean;
  ard.priors = false;
  ard.noise = recipe.noise;
  ard.noise.sd = 0;
  ard.noise.trained = true;
  ard.training.starts = 2;
  ard.training.probe_iterations = 10;
  ard.training.iterations = 30;
  return ard;
}

bool is_exact_noise(Index rows) { return rows < auto_detail::kExactNoiseRows; }
Index left_out_noise_folds(Index rows) {
  using namespace auto_detail;
  return rows < kRowsOfHalves ? kManyFolds : kFewFolds;
}

Recipe left_out_noise_recipe(const Recipe& mean, Index rows) {
  using namespace auto_detail;
  Recipe recipe;
  recipe.noise.prior_center = PriorCenter::fixed;
  recipe.noise.prior_value = recipe.noise.start = kNoiseOfLogs;
  recipe.data = mean.data;
  recipe.scale_inputs = mean.scale_inputs;
  recipe.scale_rows = mean.scale_rows;
  recipe.training.starts = 1;
  recipe.training.iterations = kNoiseIterations;
  if (is_exact_noise(rows)) {
    recipe.model = "exact-ard";
    recipe.training.samples = -1;  // its mean suffices (ames, 311 inputs: samples took 12 s of 5)
    return recipe;
  }
  recipe.model = "mixture";
  recipe.weights = FitWeights::equal;
  Recipe spectrum = silent_member(recipe);
  spectrum.model = "ssgpr";
  spectrum.copies = kNoiseCopies;
  spectrum.features.frequencies = kNoiseFrequencies;
  spectrum.training = recipe.training;
  Recipe network = silent_member(recipe);
  network.model = "deep";
  network.copies = kNoiseCopies;
  network.network.widths = {kNoiseWidth, kNoiseWidth};
  network.network.epochs = kNoiseEpochs;
  Recipe term;
  term.model = "ssgpr";
  term.features.frequencies = kNoiseFrequencies;
  network.terms = {term};
  recipe.members = {spectrum, network};
  if (can_boost() && mean.trees != TreeInputs::none && mean.scale_rows == RowScaling{}) {
    Recipe trees = silent_member(recipe);
    trees.model = "linear";
    trees.trees = TreeInputs::alone;
    trees.copies = kNoiseCopies;
    trees.training.iterations = kLineIterations;
    recipe.members.push_back(std::move(trees));
  }
  recipe.training = {};
  return recipe;
}

bool learns_noise_shape(const Recipe& recipe, const RowSource& training) {
  const bool plain = !training.has_weights() && training.more_targets().cols() == 0;
  // Rows that a network saw flatter it.
  if (recipe.noise.shape == NoiseDistribution::automatic)
    return plain && recipe.noise.trained && recipe.model == "deep" && holds_out(recipe, training.rows()) &&
           likelihood_of(recipe).is_conjugate();
  if (recipe.noise.shape != NoiseDistribution::mixture) return false;
  if (!plain) throw ConfigError("/noise/shape", "'mixture' is for rows without weights, and one target");
  return true;
}

}  // namespace alacarte
