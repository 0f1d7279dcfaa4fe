#include "scale_race.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "data/changed_rows.hpp"
#include "train/plan/cost_model.hpp"
#include "train/weigh/left_out.hpp"

namespace alacarte {
namespace {

constexpr Index kMinRaceRows = 2000, kMaxRaceRows = 10'000;
constexpr Index kHeldShare = 10, kMaxHeldRows = 2000;  // a tenth of them, of which a standard error is small enough
constexpr double kRaceShare = 0.06;                    // of the operations of the training
constexpr double kMinPasses = 3, kMaxPasses = 60;      // of each network; fewer tell nothing, and more little
// Behind the best by so much, and so many standard errors, a scale is dropped; nearer ones are better together.
constexpr double kMinGap = 0.1, kMinErrors = 2;

std::string text_of(Scaling scaling) { return is_curve(scaling) ? word(scaling) : "the inputs as they are"; }

/// Returns one network of each scale among the members; nothing where there are no two.
std::vector<Recipe> networks_of_scales(const Recipe& planned) {
  std::vector<Recipe> networks;
  for (const Recipe& member : planned.members) {
    const auto has_scale = [&](const Recipe& other) { return other.scale_inputs == member.scale_inputs; };
    if (member.model != "deep" || std::any_of(networks.begin(), networks.end(), has_scale)) continue;
    networks.push_back(member);
    networks.back().copies = 1;
  }
  if (networks.size() < 2) networks.clear();
  return networks;
}

/// Returns the log densities or probabilities (rows, members) that each member alone gives these rows.
Matrix scores_of_members(FittedModel& model, const MemoryRows& rows, int threads) {
  PredictOptions how;
  how.threads = threads;
  how.offsets = rows.offsets();
  Matrix scores(rows.rows(), static_cast<Index>(model.members.size()));
  for (Index k = 0; k < scores.cols(); ++k) {
    for (std::size_t j = 0; j < model.members.size(); ++j)
      model.members[j].weight = static_cast<Index>(j) == k ? static_cast<double>(scores.cols()) : 0;
    scores.col(k) = log_scores(model.predict(rows.x(), how), rows.y());
  }
  return scores;
}

/// Returns the losers by their scores (rows, networks), the first of which has the inputs as they are. A curve that is
/// no better than these loses, too: it would halve the time of the others.
ScaleRace judged(const std::vector<Recipe>& networks, const Matrix& scores) {
  ScaleRace race;
  Index best = 0;
  scores.colwise().mean().maxCoeff(&best);
  const auto n = static_cast<double>(scores.rows());
  for (Index k = 0; k < scores.cols(); ++k) {
    const Vector gaps = scores.col(best) - scores.col(k);
    const double gap = gaps.mean(), error = std::sqrt((gaps.array() - gap).square().sum() / (n * (n - 1)));
    const bool is_behind = gap > std::max(kMinGap, kMinErrors * error);
    const bool is_needless = k > 0 && !(scores.col(k).mean() > scores.col(0).mean());
    if (k == best || !(is_behind || is_needless)) continue;
    const Scaling lost = networks[static_cast<std::size_t>(k)].scale_inputs;
    race.dropped.push_back(lost);
    race.notes.push_back(
        fmt::format("{}: dropped after short networks, {:.2g} +- {:.1g} of the log {} of {} rows behind {}",
                    text_of(lost), gap, error, networks.front().likelihood == "gaussian" ? "density" : "probability",
                    scores.rows(), text_of(networks[static_cast<std::size_t>(best)].scale_inputs)));
  }
  return race;
}

}  // namespace

ScaleRace race_scales(const Recipe& recipe, const Training& training) {
  const RowSource& source = *training.source;
  const FitOptions& given = training.options;
  if (recipe.model != "auto" || source.rows() < kMinRaceRows || source.is_distributed() || source.is_sparse() ||
      !given.columns.empty() || given.repeat != nullptr)
    return {};
  const Index classes = training.schema.class_count();
  const Recipe planned = planned_recipe(recipe, source, classes, training.structure, given);
  std::vector<Recipe> networks = networks_of_scales(planned);
  if (networks.empty()) return {};

  RandomStream stream = RandomStreams(given.seed).stream("scale_race.rows");
  std::vector<Index> rest = draw_rows(stream, source.rows(), std::min(source.rows(), kMaxRaceRows));
  const auto held_rows = std::min(static_cast<Index>(rest.size()) / kHeldShare, kMaxHeldRows);
  std::vector<Index> held(rest.begin(), rest.begin() + held_rows);
  rest.erase(rest.begin(), rest.begin() + held_rows);
  std::sort(held.begin(), held.end());
  std::sort(rest.begin(), rest.end());

  const int threads = std::max(1, given.threads);
  const double asked = recipe.flops > 0 ? recipe.flops : nominal_flops(recipe.training.seconds, threads);
  const double flops = kRaceShare * (asked > 0 ? asked : default_flops(static_cast<double>(source.rows())));
  const double passes =
      flops / static_cast<double>(networks.size()) /
      pass_flops(networks.front(), static_cast<double>(rest.size()), static_cast<double>(smooth_inputs(source)));
  if (!(passes >= kMinPasses)) return {};
  for (Recipe& network : networks) network.network.epochs = static_cast<Index>(std::min(passes, kMaxPasses));

  Recipe race = planned;
  race.members = networks;
  race.weights = FitWeights::equal;
  if (likelihood_of(planned).is_conjugate()) {
    race.noise.varies = false;
    race.noise.rounds = NoiseConfig{}.rounds;
    race.noise.rows = NoiseConfig{}.rows;
    race.noise.shape = NoiseDistribution::gaussian;
  }
  race.calibration = {};
  race.training.seconds = race.flops = 0;
  FitOptions options;
  options.threads = given.threads;
  options.interrupt = given.interrupt;
  options.memory_bytes = given.memory_bytes;
  options.seed = given.seed;
  try {
    FittedModel model = fit_part(race, training.schema, some_rows(source, rest), options, nullptr);
    if (training.context.is_interrupted() || model.members.size() != networks.size()) return {};
    const Matrix scores = scores_of_members(model, *gather_rows(source, held), threads);
    return scores.allFinite() ? judged(networks, scores) : ScaleRace{};
  } catch (const NumericalError&) {  // the fits themselves will say what is wrong
    return {};
  }
}

}  // namespace alacarte
