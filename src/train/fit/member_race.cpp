#include "member_race.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "data/changed_rows.hpp"
#include "train/weigh/left_out.hpp"

namespace alacarte {
namespace {

// Behind the best by so much, and so many standard errors, members are dropped; nearer ones are better together.
constexpr double kMinGap = 0.1, kMinErrors = 2;
// Rows of the posteriors of networks for classes, each of which takes as long as many passes.
constexpr Index kMaxPosteriorRows = 1000;
// Boosted trees take a part of the time, and gain more on all rows than on those of the race: they are kept where they
// gain half a standard error, and a curve where it loses no more, since members that differ are better together.
constexpr double kHalfError = 0.5;
// Rows that a network has to see before its kind is dropped. With fewer it is at the foot of its learning curve
// (txhousing in 5 s: dropped after 78,000 rows, and in 3 s without a race ahead of all others).
constexpr Index kMinSeenRows = 100'000;

/// Returns the log densities (rows, members) of numbers by each component alone, its variances times the factor under
/// which these rows are most probable: short fits know little of their noise, which the training learns from rows that
/// were left out (txhousing in 10 s: all kinds a nat behind the target's own spread, and the wrong one ahead).
Matrix rescaled_scores(const PredictiveDistribution& law, const Vector& target) {
  Matrix scores(target.size(), law.component_count());
  const Vector u = law.transform().forward(target);
  for (Index k = 0; k < scores.cols(); ++k) {
    const Vector mean = law.component_means().col(k), variance = law.component_variances().col(k);
    constexpr double kMinFactor = 1e-12;  // of a fit without any error
    const double factor = std::max(kMinFactor, ((u - mean).array().square() / variance.array()).mean());
    scores.col(k) = PredictiveDistribution(mean, factor * variance, true, {}, law.transform()).log_density(target);
  }
  return scores;
}

/// Returns the log densities or probabilities (rows, members) that each member alone gives these rows.
Matrix scores_of_members(FittedModel& model, const MemoryRows& rows, int threads) {
  PredictOptions how;
  how.threads = threads;
  how.offsets = rows.offsets();
  const auto count = static_cast<Index>(model.members.size());
  if (likelihood_of(model.recipe).is_conjugate())  // a component for each member
    return rescaled_scores(model.predict(rows.x(), how).distribution(), rows.y());
  Matrix scores(rows.rows(), count);
  for (Index k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < model.members.size(); ++j)
      model.members[j].weight = static_cast<Index>(j) == k ? static_cast<double>(count) : 0;
    scores.col(k) = log_scores(model.predict(rows.x(), how), rows.y());
  }
  return scores;
}

/// Tells whether a fit by minibatches has seen enough rows to be judged.
bool is_ripe(const Recipe& member, Index rows) {
  return !uses_minibatches(member) || member.network.epochs * rows >= kMinSeenRows;
}

/// An entrant after its short fit.
struct Scored {
  Entrant entrant;
  bool takes_operations = true;  // false: trees alone, which are all that they will be, and cost the others nothing
  bool is_ripe = true;           // the fit was long enough to tell what its kind can do
  Vector scores;                 // (rows)
};

/// How far members are behind better ones, by the mean of their scores.
struct Gap {
  double mean = 0, error = 0;
  bool is_wide() const { return mean > std::max(kMinGap, kMinErrors * error); }
};

Gap gap_of(const Scored& better, const Scored& worse) {
  const Vector gaps = better.scores - worse.scores;
  const auto n = static_cast<double>(gaps.size());
  return {gaps.mean(), std::sqrt((gaps.array() - gaps.mean()).square().sum() / (n * (n - 1)))};
}

/// Returns the best of those that a condition holds for; null: none.
template <class Condition>
const Scored* best_of(const std::vector<Scored>& all, const Condition& is_of) {
  const Scored* best = nullptr;
  for (const Scored& one : all)
    if (is_of(one) && (best == nullptr || one.scores.mean() > best->scores.mean())) best = &one;
  return best;
}

/// Returns "networks on normal-scores"; the kind alone where it has one view.
std::string text_of(const Scored& one, const std::vector<Scored>& all) {
  const auto has_kind = [&](const Scored& other) { return other.entrant.kind == one.entrant.kind; };
  if (std::count_if(all.begin(), all.end(), has_kind) < 2) return one.entrant.kind;
  return one.entrant.kind + " on " + text_of(one.entrant.view);
}

/// Tells whether one of two views of one kind has less than the other: no curve, no trees, or neither.
bool is_simpler(const FitView& a, const FitView& b) {
  return a != b && (a.scale == b.scale || !is_curve(a.scale)) && (a.trees == b.trees || a.trees == TreeInputs::none);
}

/// Returns winners and losers.
MemberRace judged(std::vector<Scored> all, const char* unit) {
  MemberRace race{true};
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.scores.mean() > b.scores.mean(); });
  const auto drop = [&](const Scored& loser, const Gap& gap, const Scored& winner, const std::string& name) {
    race.dropped.push_back(loser.entrant);
    const std::string line =
        fmt::format("{}: dropped after short fits, {:.2g} +- {:.1g} of the log {} of {} rows behind {}", name, gap.mean,
                    gap.error, unit, loser.scores.size(), text_of(winner, all));
    if (race.notes.empty() || race.notes.back() != line) race.notes.push_back(line);
  };
  for (const Scored& one : all) {
    race.ranked.push_back(one.entrant);
    const auto is_own = [&](const Scored& other) { return other.entrant.kind == one.entrant.kind; };
    const Scored& of_kind = *best_of(all, is_own);
    // Kinds that take operations are better after longer fits, so that trees alone do not drop them.
    const Scored* rival = best_of(
        all, [&](const Scored& other) { return other.takes_operations || !one.takes_operations || is_own(other); });
    const Scored* simpler = best_of(
        all, [&](const Scored& other) { return is_own(other) && is_simpler(other.entrant.view, one.entrant.view); });
    const auto loses_to = [&](const Scored& other) {
      const Gap gap = gap_of(other, one);
      return gap.mean >= kHalfError * gap.error;
    };
    if (const Gap gap = gap_of(*rival, of_kind); of_kind.is_ripe && gap.is_wide()) {
      drop(one, gap, *rival, one.entrant.kind);
    } else if (const Gap own = gap_of(of_kind, one); own.is_wide() || (simpler != nullptr && loses_to(*simpler))) {
      drop(one, own, of_kind, text_of(one, all));
    }
  }
  return race;
}

/// Returns the winners and losers where all members that see trees lose unless the best of them gains enough.
MemberRace judged_with_trees(const std::vector<Scored>& all, const char* unit) {
  const auto sees_trees = [](const Scored& one) { return one.entrant.view.trees != TreeInputs::none; };
  const Scored* with = best_of(all, sees_trees);
  const Scored* without = best_of(all, [&](const Scored& one) { return !sees_trees(one); });
  if (with == nullptr || without == nullptr) return judged(all, unit);
  const Gap gain = gap_of(*with, *without);
  if (gain.mean > kHalfError * gain.error) return judged(all, unit);
  std::vector<Scored> plain;
  std::copy_if(all.begin(), all.end(), std::back_inserter(plain), [&](const Scored& one) { return !sees_trees(one); });
  MemberRace race = judged(plain, unit);
  for (const Scored& one : all)
    if (sees_trees(one)) race.dropped.push_back(one.entrant);
  race.notes.push_back(
      fmt::format("boosted trees: dropped after short fits, since they gain {:.2g} +- {:.1g} of the log {} of {} rows",
                  gain.mean, gain.error, unit, with->scores.size()));
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
  std::vector<Scored> scored;
  MemberRace race;
  // A round that fails, or is interrupted, leaves what the one before has found.
  for (; !plan.entrants.empty(); plan = planned(race)) {
    const bool is_last = race.was_run;
    training.context.message(fmt::format("race: {} short fits on {} rows{}", plan.entrants.size(),
                                         plan.rows + plan.held_rows, race.was_run ? ", with boosted trees" : ""));
    try {
      FittedModel model = fit_briefly(plan.recipe, training.schema, some_rows(source, rest), options,
                                      {.tree_flops = plan.tree_flops, .most_posterior_rows = kMaxPosteriorRows});
      if (training.context.is_interrupted() || model.members.size() != plan.entrants.size()) break;
      const Matrix own = scores_of_members(model, *held_rows, training.threads());
      if (!own.allFinite()) break;
      for (std::size_t k = 0; k < plan.entrants.size(); ++k)
        scored.push_back({plan.entrants[k], plan.entrants[k].view.trees != TreeInputs::alone,
                          is_ripe(plan.recipe.members[k], plan.rows), own.col(static_cast<Index>(k))});
    } catch (const NumericalError&) {  // the fits themselves will say what is wrong
      break;
    }
    race = judged_with_trees(scored, unit);
    if (is_last) break;
  }
  return race;
}

}  // namespace alacarte
