#include "member_race.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "data/changed_rows.hpp"
#include "train/weigh/left_out.hpp"

namespace alacarte {
namespace {

// Behind the best by so much, and so many standard errors, members are dropped; nearer ones are better together.
constexpr double kMinGap = 0.1, kMinErrors = 2;

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

/// Returns "networks on normal-scores"; the kind alone where it has one scale.
std::string text_of(const Entrant& entrant, const std::vector<Entrant>& all) {
  const auto has_kind = [&](const Entrant& other) { return other.kind == entrant.kind; };
  if (std::count_if(all.begin(), all.end(), has_kind) < 2) return entrant.kind;
  return entrant.kind + " on " + (is_curve(entrant.scale) ? word(entrant.scale) : "the inputs as they are");
}

/// Returns the losers by the scores (rows, entrants).
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
  for (Index k = 0; k < means.size(); ++k) {
    const Entrant& entrant = entrants[static_cast<std::size_t>(k)];
    const Index of_kind = best_of([&](const Entrant& other) { return other.kind == entrant.kind; });
    const Index plain = best_of([&](const Entrant& o) { return o.kind == entrant.kind && !is_curve(o.scale); });
    if (const Gap gap = gap_of(scores.col(best), scores.col(of_kind)); gap.is_wide()) {
      drop(entrant, gap, best, entrant.kind);
    } else if (const Gap own = gap_of(scores.col(of_kind), scores.col(k));
               own.is_wide() || (k != of_kind && is_curve(entrant.scale) && plain >= 0 && means[k] <= means[plain])) {
      drop(entrant, own, of_kind, text_of(entrant, entrants));
    }
  }
  return race;
}

}  // namespace

MemberRace race_members(const Recipe& recipe, const Training& training) {
  const RowSource& source = *training.source;
  const FitOptions& given = training.options;
  const RacePlan plan = planned_race(recipe, source, training.schema.class_count(), training.structure, given);
  if (plan.entrants.empty()) return {};

  training.context.message(
      fmt::format("race: {} short fits on {} rows", plan.entrants.size(), plan.rows + plan.held_rows));
  RandomStream stream = RandomStreams(given.seed).stream("member_race.rows");
  std::vector<Index> rest = draw_rows(stream, source.rows(), plan.rows + plan.held_rows);
  std::vector<Index> held(rest.begin(), rest.begin() + plan.held_rows);
  rest.erase(rest.begin(), rest.begin() + plan.held_rows);
  std::sort(held.begin(), held.end());
  std::sort(rest.begin(), rest.end());
  FitOptions options;
  options.threads = given.threads;
  options.interrupt = given.interrupt;
  options.memory_bytes = given.memory_bytes;
  options.seed = given.seed;
  try {
    FittedModel model = fit_part(plan.recipe, training.schema, some_rows(source, rest), options, nullptr);
    if (training.context.is_interrupted() || model.members.size() != plan.entrants.size()) return {};
    const Matrix scores = scores_of_members(model, *gather_rows(source, held), training.threads());
    if (!scores.allFinite()) return {};
    return judged(plan.entrants, scores, target_kind(recipe) == TargetKind::numbers ? "density" : "probability");
  } catch (const NumericalError&) {  // the fits themselves will say what is wrong
    return {};
  }
}

}  // namespace alacarte
