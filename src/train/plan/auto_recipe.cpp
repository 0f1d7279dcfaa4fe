#include "auto_recipe.hpp"

#include <fmt/format.h>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "auto_members.hpp"
#include "cost_model.hpp"
#include "minibatch_plan.hpp"

namespace alacarte {
namespace auto_detail {

Recipe member_of(const Recipe& recipe, const std::string& model) {
  Recipe member = silent_member(recipe);
  member.model = model;
  member.scale_target = recipe.scale_target;
  member.training.starts = 1;
  return member;
}

bool is_plain(const Recipe& recipe, const TableSize& size) {
  return !size.weighted && size.targets == 1 && recipe.noise.trained && recipe.noise.sd == 0;
}

}  // namespace auto_detail

namespace {

/// Refuses keys that "auto" sets itself.
void refuse_own_keys(const TrainingConfig& asked) {
  const TrainingConfig silent;
  const std::pair<const char*, bool> own[] = {
      {"starts", asked.starts == silent.starts},
      {"probe_iterations", asked.probe_iterations == silent.probe_iterations},
      {"iterations", asked.iterations == silent.iterations},
      {"start", asked.start == silent.start},
      {"subsample", asked.subsample == silent.subsample},
      {"subsample_growth", asked.subsample_growth == silent.subsample_growth},
      {"subsample_iterations", asked.subsample_iterations == silent.subsample_iterations},
      {"carry_curvature", asked.carry_curvature == silent.carry_curvature},
      {"samples", asked.samples == silent.samples},
      {"drawn_rows", asked.drawn_rows == silent.drawn_rows},
      {"drawn_steps", asked.drawn_steps == silent.drawn_steps}};
  for (const auto& [key, is_silent] : own)
    if (!is_silent)
      throw ConfigError(fmt::format("/training/{}", key),
                        "model 'auto' sets it by the table and the time; give seconds or flops, or name a model");
}

}  // namespace

Recipe auto_recipe(const Recipe& recipe, const TableSize& size, int threads) {
  using namespace auto_detail;
  if (recipe.model != "auto") return recipe;
  if (recipe.learner.kind != LearnerKind::gp)
    throw ConfigError("/learner/kind",
                      "model 'auto' is of Gaussian processes; name a model for " + word(recipe.learner.kind));
  refuse_own_keys(recipe.training);
  const double given = recipe.flops > 0 ? recipe.flops : nominal_flops(recipe.training.seconds * threads);
  const double flops = given > 0 ? given : default_flops(static_cast<double>(size.rows));
  const double outputs = laplace_factor(recipe, size.classes);
  Recipe chosen = recipe;
  chosen.model = "mixture";
  chosen.description = fmt::format("auto for {} rows of {} inputs", size.rows, size.inputs);
  const bool has_noise = likelihood_of(recipe).is_conjugate();
  const double of_exact = recipe.flops == 0 && recipe.training.seconds > 0 ? kExactSpeed * flops : flops;
  const Recipe sum = sum_of_subsample(chosen, size, of_exact);
  if (has_noise && size.rows <= kFewRows) {
    chosen.members = few_rows(chosen, size, given);
  } else if (has_noise && suits(sum, size, of_exact, recipe.max_model_mb)) {
    chosen.members = {sum};
  } else {
    const Index left_out = std::min(held_out_rows(size.rows), NoiseConfig{}.rows);
    const Index noise_rows = left_out_noise_rows(left_out, size.inputs, kLeftOutNoiseShare * flops);
    const bool enough =
        has_noise && noise_rows >= kMinVaryingRows && size.rows >= kMinRowsThatVary && is_plain(chosen, size);
    const double of_mean = enough ? flops - left_out_noise_flops(noise_rows, size.inputs) : flops;
    if (has_noise && recipe.noise.prior_rows == NoiseConfig{}.prior_rows) chosen.noise.prior_rows = kNoiseRows;
    chosen.members = networks_or_spectra(chosen, size, of_mean, outputs);
    if (enough) {
      chosen.noise.varies = true;
      chosen.noise.rounds = 0;
      chosen.noise.rows = noise_rows;
    }
  }
  if (has_noise && chosen.noise.shape == NoiseDistribution::automatic)
    chosen.noise.shape = is_plain(chosen, size) ? NoiseDistribution::mixture : NoiseDistribution::gaussian;
  const bool holds_out = (chosen.noise.varies && chosen.noise.rounds == 0) || chosen.members.front().model == "deep";
  if (recipe.weights == FitWeights::automatic)
    chosen.weights = size.classes > 0 && size.rows <= kMaxFoldRows ? FitWeights::folds
                     : holds_out                                   ? FitWeights::held_out
                                                                   : FitWeights::leave_one_out;
  return apply_likelihood_defaults(std::move(chosen));
}

}  // namespace alacarte
