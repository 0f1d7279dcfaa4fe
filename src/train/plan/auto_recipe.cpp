#include "auto_recipe.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "auto_members.hpp"
#include "cost_model.hpp"
#include "minibatch_plan.hpp"
#include "trees/cross_fitting.hpp"

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

bool may_bend(const Recipe& recipe, const TableSize& size) {
  const bool holds_copies = size.memory_bytes == 0 || kMaxCopies * size.row_bytes <= size.memory_bytes;
  return holds_copies && !size.is_sparse && recipe.scale_inputs == Scaling::zscore &&
         recipe.scale_rows == RowScaling{} && recipe.trees != TreeInputs::alone;
}

Recipe tree_member(const Recipe& recipe) {
  Recipe member = member_of(recipe, "linear");
  member.trees = TreeInputs::alone;
  member.training.iterations = kLineIterations;
  return member;
}

bool has_time_for_trees(const Recipe& recipe, const TableSize& size, double flops) {
  const bool holds_copies = size.memory_bytes == 0 || kMaxTreeCopies * size.row_bytes <= size.memory_bytes;
  return size.may_boost && holds_copies && recipe.trees == TreeInputs::automatic &&
         least_cross_fitting_flops(size.rows, size.values, tree_outputs(size.classes)) <= tree_share(size.rows) * flops;
}

std::vector<Recipe> on_views(const Recipe& recipe, const TableSize& size, const char* kind, Recipe member,
                             const std::vector<FitView>& curves) {
  const std::vector<Entrant>& ranked = size.race.ranked;
  const std::vector<Entrant>& dropped = size.race.dropped;
  const auto place_in = [&](const std::vector<Entrant>& entrants, const FitView& view) {
    return std::find(entrants.begin(), entrants.end(), Entrant{kind, view}) - entrants.begin();
  };
  std::vector<FitView> views = {view_of(member)};
  if (may_bend(recipe, size))
    for (const FitView& curve : curves) views.push_back({curve.scale, views.front().trees});
  if (size.round == RaceRound::trees) {
    const auto best = std::find_if(ranked.begin(), ranked.end(), [&](const Entrant& one) { return one.kind == kind; });
    views = {{best == ranked.end() ? views.front().scale : best->view.scale, TreeInputs::beside}};
  } else if (recipe.trees == TreeInputs::automatic) {
    for (const Entrant& entrant : ranked)
      if (entrant.kind == kind && entrant.view.trees == TreeInputs::beside) views.push_back(entrant.view);
  }
  std::erase_if(views, [&](const FitView& view) {
    return place_in(dropped, view) < static_cast<std::ptrdiff_t>(dropped.size());
  });
  std::stable_sort(views.begin(), views.end(),
                   [&](const FitView& a, const FitView& b) { return place_in(ranked, a) < place_in(ranked, b); });
  const Index copies = member.copies, kinds = static_cast<Index>(views.size());
  std::vector<Recipe> members;
  for (Index k = 0; k < kinds; ++k) {
    const FitView& view = views[static_cast<std::size_t>(k)];
    member.scale_inputs = is_curve(view.scale) ? view.scale : recipe.scale_inputs;
    member.trees = view.trees == TreeInputs::none ? recipe.trees : view.trees;
    member.copies = (copies + kinds - 1 - k) / kinds;
    if (member.copies > 0) members.push_back(member);
  }
  return members;
}

}  // namespace auto_detail

namespace {

/// Returns the operations that were asked for; 0: none.
double flops_asked(const Recipe& recipe, int threads) {
  return recipe.flops > 0 ? recipe.flops : nominal_flops(recipe.training.seconds * threads);
}

/// Returns the number of left-out rows that a fifth of the operations lets tell how the noise varies; 0 where these are
/// too few, or the noise is not the recipe's to learn.
Index rows_of_varying_noise(const Recipe& recipe, const TableSize& size, double flops) {
  using namespace auto_detail;
  if (!is_plain(recipe, size) || size.is_sparse || !takes_levels(recipe, size.levels)) return 0;
  const Index left_out = size.rows <= kMaxSumRows ? size.rows : std::min(held_out_rows(size.rows), NoiseConfig{}.rows);
  const Index rows = left_out_noise_rows(left_out, size.inputs, kLeftOutNoiseShare * flops);
  return rows >= kMinVaryingRows ? rows : 0;
}

/// Returns the operations of the ARD fits, one for each view of the inputs, that centre the noise before a race.
double ard_flops(const Recipe& recipe, const TableSize& size, double views) {
  using namespace auto_detail;
  if (!likelihood_of(recipe).is_conjugate()) return 0;
  return views * kArdEvaluations *
         exact_flops({}, static_cast<double>(recipe.noise.prior_rows), static_cast<double>(size.inputs));
}

/// Tells whether a race left members that see boosted trees.
bool keeps_trees(const MemberRace& race) {
  return std::any_of(race.ranked.begin(), race.ranked.end(), [&](const Entrant& entrant) {
    return entrant.view.trees != TreeInputs::none &&
           std::find(race.dropped.begin(), race.dropped.end(), entrant) == race.dropped.end();
  });
}

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
  const double given = flops_asked(recipe, threads);
  const double flops = given > 0 ? given : default_flops(static_cast<double>(size.rows));
  Recipe chosen = recipe;
  chosen.model = "mixture";
  chosen.description = fmt::format("auto for {} rows of {} inputs", size.rows, size.inputs);
  const bool has_noise = likelihood_of(recipe).is_conjugate();
  const Index noise_rows = has_noise ? rows_of_varying_noise(chosen, size, flops) : 0;
  const double of_noise = noise_rows > 0 ? left_out_noise_flops(noise_rows, size.inputs) : 0;
  // Few rows of classes have trees alone beside their kernels and networks, weighed by folds without a race.
  const bool are_beside_few =
      size.classes > 0 && size.rows <= kFewRows && size.rows >= kMinTreeRows && has_time_for_trees(chosen, size, flops);
  const double of_trees = keeps_trees(size.race) || are_beside_few ? tree_share(size.rows) * flops : 0;
  const double of_mean = flops - of_noise - of_trees;
  const double of_exact = recipe.flops == 0 && recipe.training.seconds > 0 ? kExactSpeed * of_mean : of_mean;
  if (has_noise && size.rows <= kFewRows) {
    chosen.members = few_rows(chosen, size, given > 0 ? given - of_noise : 0);
  } else if (has_noise) {
    chosen.members = sums_of_subsample(chosen, size, of_exact);
  }
  if (chosen.members.empty()) {
    if (has_noise && recipe.noise.prior_rows == NoiseConfig{}.prior_rows) chosen.noise.prior_rows = kNoiseRows;
    chosen.members = kinds_of_race(chosen, size, of_mean);
    if (are_beside_few) chosen.members.push_back(tree_member(chosen));
  }
  if (noise_rows > 0) {
    chosen.noise.varies = true;
    chosen.noise.rounds = 0;
    chosen.noise.rows = noise_rows;
  }
  if (has_noise && chosen.noise.shape == NoiseDistribution::automatic)
    chosen.noise.shape = is_plain(chosen, size) ? NoiseDistribution::mixture : NoiseDistribution::gaussian;
  const std::string& first = chosen.members.front().model;
  const bool holds_out = first == "deep" || (noise_rows > 0 && size.rows > kFewRows && first != "exact-sum");
  if (recipe.weights == FitWeights::automatic)
    chosen.weights = size.classes > 0 && size.rows <= kMaxFoldRows ? FitWeights::folds
                     : holds_out                                   ? FitWeights::held_out
                                                                   : FitWeights::leave_one_out;
  return apply_likelihood_defaults(std::move(chosen));
}

RacePlan plan_race(const Recipe& recipe, const TableSize& size, int threads) {
  using namespace auto_detail;
  if (recipe.model != "auto" || size.rows <= kFewRows || size.is_sparse) return {};
  RacePlan plan{auto_recipe(recipe, size, threads)};
  if (plan.recipe.members.front().model == "exact-sum") return {};
  plan.recipe.noise = recipe.noise;
  if (likelihood_of(recipe).is_conjugate()) {
    plan.recipe.noise.shape = NoiseDistribution::gaussian;
    if (recipe.noise.prior_rows == NoiseConfig{}.prior_rows) plan.recipe.noise.prior_rows = kNoiseRows;
  }
  plan.recipe.weights = FitWeights::equal;
  plan.recipe.calibration = {};
  const double asked = flops_asked(recipe, threads);
  const double all = asked > 0 ? asked : default_flops(static_cast<double>(size.rows));
  plan.recipe.training.seconds = plan.recipe.flops = 0;
  TableSize racing = size;
  racing.round = size.race.was_run ? RaceRound::trees : RaceRound::scales;
  plan.held_rows = std::min(size.rows / kRaceHeldShare, kMaxRaceHeldRows);
  plan.rows = std::min(size.rows - plan.held_rows, kMaxRaceRows);
  const double of_trees = least_cross_fitting_flops(plan.rows, size.values, tree_outputs(size.classes));
  if (racing.round == RaceRound::trees || view_of(recipe).trees != TreeInputs::none) plan.tree_flops = of_trees;
  const double views = (racing.round == RaceRound::trees ? 2 : 1) + (may_bend(recipe, size) ? 1 : 0);
  Index& ard_rows = plan.recipe.noise.prior_rows;
  while (ard_rows > kMinArdRows && ard_flops(plan.recipe, size, views) > kRaceArdShare * all)
    ard_rows -= kMinArdRows / 4;
  const double of_ard = ard_flops(plan.recipe, size, views);
  double flops = kRaceShare * all;
  if (racing.round == RaceRound::scales) {
    if (flops + of_ard > kMaxRaceShare * all) return {};
  } else {
    flops = kTreeRaceShare * all;
    if (!has_time_for_trees(plan.recipe, size, all) || flops + of_ard + of_trees > kMaxTreeRaceShare * all) return {};
  }
  std::vector<MemberKind> kinds;
  for (const MemberKind& kind : raced_kinds())
    if (!kind.members(plan.recipe, racing, all).empty()) kinds.push_back(kind);
  const auto taking =
      std::count_if(kinds.begin(), kinds.end(), [](const MemberKind& kind) { return kind.takes_operations; });
  racing.given_rows = size.rows;
  racing.rows = plan.rows;
  plan.recipe.members.clear();
  for (const MemberKind& kind : kinds) {
    std::vector<Recipe> members =
        kind.members(plan.recipe, racing, flops / static_cast<double>(std::max<std::ptrdiff_t>(1, taking)));
    // A share may be too little for a kind; then scales are not told apart, and trees race without it.
    if (members.empty() && racing.round == RaceRound::scales) return {};
    for (Recipe& member : members) {
      const Entrant entrant{kind.name, view_of(member)};
      if (std::find(plan.entrants.begin(), plan.entrants.end(), entrant) != plan.entrants.end()) continue;
      plan.entrants.push_back(entrant);
      member.copies = 1;
      plan.recipe.members.push_back(std::move(member));
    }
  }
  return plan.entrants.size() > 1 || racing.round == RaceRound::trees ? plan : RacePlan{};
}

}  // namespace alacarte
