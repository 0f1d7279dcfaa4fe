#include "member_race.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "data/changed_rows.hpp"
#include "train/weigh/left_out.hpp"

namespace alacarte {
namespace {

// Behind the best by so much, and so many standard errors, members are dropped; nearer ones are better together.
constexpr double kMinGap = 0.1, kMinErrors = 2;
// Rows of the posteriors of networks for classes, each of which takes as long as many passes.
constexpr Index kMaxPosteriorRows = 1000;
// Boosted trees take a part of the time, and gain more on all rows than on those of the race: they are kept where they
// gain half a standard error.
constexpr double kMinTreeErrors = 0.5;

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

/// How far members are behind better ones, by the mean of their scores.
struct Gap {
  double mean = 0, error = 0;
  bool is_wide() const { return mean > std::max(kMinGap, kMinErrors * error); }
};

Gap gap_of(const Vector& better, const Vector& worse) {
  const Vector gaps = better - worse;
  const auto n = static_cast<double>(gaps.size());
  return {gaps.mean(), std::sqrt((gaps.array() - gaps.mean()).square().sum() / (n * (n - 1)))};
}

/// Returns "networks on normal-scores"; the kind alone where it has one view.
std::string text_of(const Entrant& entrant, const std::vector<Entrant>& all) {
  const auto has_kind = [&](const Entrant& other) { return other.kind == entrant.kind; };
  if (std::count_if(all.begin(), all.end(), has_kind) < 2) return entrant.kind;
  return entrant.kind + " on " + text_of(entrant.view);
}

/// Tells whether one of two views of one kind has less than the other: no curve, no trees, or neither.
bool is_simpler(const FitView& a, const FitView& b) {
  return a != b && (a.scale == b.scale || !is_curve(a.scale)) && (a.trees == b.trees || a.trees == TreeInputs::none);
}

/// Returns winners and losers by the scores (rows, entrants).
MemberRace judged(const std::vector<Entrant>& entrants, const Matrix& scores, const char* unit) {
  MemberRace race{true};
  const Vector means = scores.colwise().mean().transpose();
  const auto best_of = [&](const auto& is_of) {
    Index best = -1;
    for (Index k = 0; k < means.size(); ++k)
      if (is_of(entrants[static_cast<std::size_t>(k)]) && (best < 0 || means[k] > means[best])) best = k;
    return best;
  };
  const Index best = best_of([](const Entrant&) { return true; });
  const auto drop = [&](const Entrant& loser, const Gap& gap, Index winner, const std::string& name) {
    race.dropped.push_back(loser);
    const std::string line =
        fmt::format("{}: dropped after short fits, {:.2g} +- {:.1g} of the log {} of {} rows behind {}", name, gap.mean,
                    gap.error, unit, scores.rows(), text_of(entrants[static_cast<std::size_t>(winner)], entrants));
    if (race.notes.empty() || race.notes.back() != line) race.notes.push_back(line);
  };
  std::vector<Index> order(entrants.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return means[a] > means[b]; });
  for (const Index k : order) {
    const Entrant& entrant = entrants[static_cast<std::size_t>(k)];
    race.ranked.push_back(entrant);
    const Index of_kind = best_of([&](const Entrant& other) { return other.kind == entrant.kind; });
    const Index simpler = best_of(
        [&](const Entrant& other) { return other.kind == entrant.kind && is_simpler(other.view, entrant.view); });
    if (const Gap gap = gap_of(scores.col(best), scores.col(of_kind)); gap.is_wide()) {
      drop(entrant, gap, best, entrant.kind);
    } else if (const Gap own = gap_of(scores.col(of_kind), scores.col(k));
               own.is_wide() || (simpler >= 0 && means[k] <= means[simpler])) {
      drop(entrant, own, of_kind, text_of(entrant, entrants));
    }
  }
  return race;
}

/// Returns the winners and losers where all members that see trees lose unless the best of them gains enough.
MemberRace judged_with_trees(const std::vector<Entrant>& entrants, const Matrix& scores, const char* unit) {
  std::vector<Entrant> plain;
  std::vector<Index> with, without;
  for (std::size_t k = 0; k < entrants.size(); ++k) {
    const bool sees_trees = entrants[k].view.trees != TreeInputs::none;
    (sees_trees ? with : without).push_back(static_cast<Index>(k));
    if (!sees_trees) plain.push_back(entrants[k]);
  }
  if (with.empty() || without.empty()) return judged(entrants, scores, unit);
  const auto best_of = [&](const std::vector<Index>& some) {
    return *std::max_element(some.begin(), some.end(),
                             [&](Index a, Index b) { return scores.col(a).sum() < scores.col(b).sum(); });
  };
  const Gap gain = gap_of(scores.col(best_of(with)), scores.col(best_of(without)));
  if (gain.mean > kMinTreeErrors * gain.error) return judged(entrants, scores, unit);
  MemberRace race = judged(plain, scores(Eigen::all, without), unit);
  for (const Index k : with) race.dropped.push_back(entrants[static_cast<std::size_t>(k)]);
  race.notes.push_back(
      fmt::format("boosted trees: dropped after short fits, since they gain {:.2g} +- {:.1g} of the log {} of {} rows",
                  gain.mean, gain.error, unit, scores.rows()));
  return race;
}

}  // namespace

MemberRace race_members(const Recipe& recipe, const Training& training) {
  const RowSource& source = *training.source;
  const FitOptions& given = training.options;
  const auto planned = [&](const MemberRace& before) {
    return planned_race(recipe, source, training.schema.class_count(), training.structure, given, before);
  };
  RacePlan plan = planned({});
  if (plan.entrants.empty()) return {};

  RandomStream stream = RandomStreams(given.seed).stream("member_race.rows");
  std::vector<Index> rest = draw_rows(stream, source.rows(), plan.rows + plan.held_rows);
  std::vector<Index> held(rest.begin(), rest.begin() + plan.held_rows);
  rest.erase(rest.begin(), rest.begin() + plan.held_rows);
  std::sort(held.begin(), held.end());
  std::sort(rest.begin(), rest.end());
  const auto held_rows = gather_rows(source, held);
  FitOptions options;
  options.threads = given.threads;
  options.interrupt = given.interrupt;
  options.memory_bytes = given.memory_bytes;
  options.seed = given.seed;
  const char* unit = target_kind(recipe) == TargetKind::numbers ? "density" : "probability";
  std::vector<Entrant> entrants;
  Matrix scores(held_rows->rows(), 0);
  MemberRace race;
  // A round that fails, or is interrupted, leaves what the one before has found.
  for (; !plan.entrants.empty(); plan = planned(race)) {
    const bool is_last = race.was_run;
    training.context.message(fmt::format("race: {} short fits on {} rows{}", plan.entrants.size(),
                                         plan.rows + plan.held_rows, race.was_run ? ", with boosted trees" : ""));
    try {
      FittedModel model = fit_briefly(plan.recipe, training.schema, some_rows(source, rest), options,
                                      {plan.tree_flops, kMaxPosteriorRows});
      if (training.context.is_interrupted() || model.members.size() != plan.entrants.size()) break;
      const Matrix own = scores_of_members(model, *held_rows, training.threads());
      if (!own.allFinite()) break;
      entrants.insert(entrants.end(), plan.entrants.begin(), plan.entrants.end());
      scores.conservativeResize(Eigen::NoChange, scores.cols() + own.cols());
      scores.rightCols(own.cols()) = own;
    } catch (const NumericalError&) {  // the fits themselves will say what is wrong
      break;
    }
    race = judged_with_trees(entrants, scores, unit);
    if (is_last) break;
  }
  return race;
}

}  // namespace alacarte
