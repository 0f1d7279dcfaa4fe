#include "cross_fitting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include "alacarte/core/error.hpp"
#include "core/workers.hpp"

namespace alacarte {
namespace {

constexpr Index kMinRows = 10;
constexpr double kLearning = 24;  // largest number of rounds times step
/// Settings that race on the first fold: as XGBoost has them; deep trees of drawn rows and inputs; shallow trees, which
/// add up inputs.
struct Candidate {
  int depth;
  double rows, columns;
  const char* name;
};
constexpr std::array<Candidate, 3> kCandidates{
    {{6, 1, 1, "depth 6"}, {9, 0.8, 0.8, "depth 9, 0.8 of rows and inputs"}, {3, 1, 1, "depth 3"}}};

/// Efforts for the trees, from the most to the least; on few operations the first candidate alone.
struct Effort {
  Index folds;
  double step;
  std::size_t candidates;
  int bins;  ///< thresholds of an input that are tried
};
constexpr std::array<Effort, 8> kEfforts{{{5, 0.05, kCandidates.size(), 256},
                                          {5, 0.1, kCandidates.size(), 256},
                                          {5, 0.2, kCandidates.size(), 256},
                                          {5, 0.3, kCandidates.size(), 256},
                                          {5, 0.3, 1, 256},
                                          {5, 0.3, 1, 64},
                                          {3, 0.3, 1, 64},
                                          {3, 0.5, 1, 64}}};
constexpr Index kMaxRounds = static_cast<Index>(kLearning / kEfforts.front().step);
constexpr std::size_t kUsualEffort = 1;  // where no operations are given
constexpr std::size_t kShallow = kCandidates.size() - 1;

/// Operations of a round for each row and level of a tree, for each input of these (the histograms), and for each bin
/// of each input of each node of the last level (the best split): as measured on one thread beside another of its core.
constexpr double kRowFlops = 30, kInputFlops = 30, kBinFlops = 100;

double fit_flops(Index rows, const std::vector<Index>& values, Index outputs, const Effort& effort,
                 const Candidate& candidate) {
  const double histograms =
      candidate.depth * static_cast<double>(rows) * (kRowFlops + kInputFlops * static_cast<double>(values.size()));
  const double nodes = std::min(std::exp2(candidate.depth), static_cast<double>(rows));
  double bins = 0;
  for (const Index count : values) bins += static_cast<double>(std::min<Index>(count, effort.bins));
  return kLearning / effort.step * static_cast<double>(outputs) * (histograms + kBinFlops * bins * nodes);
}

double flops_of(Index rows, const std::vector<Index>& values, Index outputs, const Effort& effort) {
  double racing = 0, dearest = 0;
  for (std::size_t k = 0; k < effort.candidates; ++k) {
    const double fit = fit_flops(rows, values, outputs, effort, kCandidates[k]);
    racing += fit;
    dearest = std::max(dearest, fit);
  }
  return racing + static_cast<double>(effort.folds - 1) * dearest;
}

/// Returns the place of the largest effort that these operations allow.
std::size_t effort_within(double flops, const RowSource& rows, Index outputs) {
  if (!(flops > 0)) return kUsualEffort;
  const std::vector<Index> values = split_values(rows);
  std::size_t k = 0;
  while (k + 1 < kEfforts.size() && flops_of(rows.rows(), values, outputs, kEfforts[k]) > flops) ++k;
  return k;
}

/// Returns the fold of each row.
std::vector<Index> folds_of(Index rows, Index folds, const SplitColumns& columns, RandomStream& stream) {
  std::vector<Index> fold(static_cast<std::size_t>(rows));
  const auto deal = [&](Index count) {
    std::vector<Index> dealt(static_cast<std::size_t>(count));
    const std::vector<std::int32_t> order = stream.permutation(count);
    for (Index k = 0; k < count; ++k) dealt[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k % folds;
    return dealt;
  };
  if (!columns.groups.empty()) {
    const Index groups = *std::max_element(columns.groups.begin(), columns.groups.end()) + 1;
    const std::vector<Index> of_group = deal(groups);
    for (std::size_t i = 0; i < fold.size(); ++i) fold[i] = of_group[static_cast<std::size_t>(columns.groups[i])];
  } else if (columns.times.size() > 0) {
    std::vector<Index> order(fold.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return columns.times[a] < columns.times[b]; });
    for (Index k = 0; k < rows; ++k)
      fold[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k * folds / rows;
  } else {
    fold = deal(rows);
  }
  return fold;
}

BoostingRows some(const BoostingRows& all, const std::vector<Index>& which) {
  BoostingRows rows{all.x(which, Eigen::all), all.y(which)};
  if (all.weights.size() > 0) rows.weights = all.weights(which);
  if (all.offsets.size() > 0) rows.offsets = all.offsets(which);
  return rows;
}

/// Returns recorded work, or throws DataError where it is not that of such trees.
const CrossFittedWork& checked(const CrossFittedWork& work) {
  const auto is_place = [](Index place, std::size_t count) { return place >= 0 && place < static_cast<Index>(count); };
  const auto is_count = [](Index rounds) { return rounds >= 1 && rounds <= kMaxRounds; };
  if (!is_place(work.effort, kEfforts.size()) || !is_place(work.candidate, kCandidates.size()) ||
      !std::all_of(work.rounds.begin(), work.rounds.end(), is_count))
    throw DataError("training", "the recorded work is not that of boosted trees");
  return work;
}

BoostingRows gathered(const RowSource& rows) {
  Dataset all = load(rows);
  BoostingRows made{std::move(all.inputs), std::move(all.target), std::move(all.weights), std::move(all.offsets)};
  // XGBoost's bounds of the sums of weights in a leaf have no unit.
  if (made.weights.size() > 0) made.weights /= made.weights.mean();
  return made;
}

/// The rows of a fold and those of the others.
struct Fold {
  std::vector<Index> own, others;
};

/// Returns the folds that have rows on both sides.
std::vector<Fold> used_folds(const std::vector<Index>& fold_of, Index count) {
  std::vector<Fold> folds(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < fold_of.size(); ++i)
    for (std::size_t k = 0; k < folds.size(); ++k)
      (fold_of[i] == static_cast<Index>(k) ? folds[k].own : folds[k].others).push_back(static_cast<Index>(i));
  std::erase_if(folds, [](const Fold& fold) { return fold.own.empty() || fold.others.empty(); });
  if (folds.empty()) throw DataError("training data", "boosted trees need rows of two groups at least");
  return folds;
}

BoostingSettings settings_of(const Effort& effort, const Candidate& candidate, const CrossFitting& how) {
  BoostingSettings settings;
  settings.loss = how.loss;
  settings.classes = how.classes;
  settings.seed = how.seed;
  settings.depth = candidate.depth;
  settings.rows = candidate.rows;
  settings.columns = candidate.columns;
  settings.step = effort.step;
  settings.bins = effort.bins;
  settings.rounds = static_cast<Index>(kLearning / effort.step);
  settings.patience = std::max<Index>(5, static_cast<Index>(2 / effort.step));
  return settings;
}

/// Returns the standard deviations of columns around their means; 1 for one that does not vary.
Vector spreads(const Matrix& columns, const Vector& means) {
  Vector sd = (columns.rowwise() - means.transpose()).array().square().colwise().mean().sqrt().transpose();
  for (double& value : sd)
    if (!(std::isfinite(value) && value > 0)) value = 1;
  return sd;
}

}  // namespace

void check_cross_fitting(const RowSource& rows) {
  require_boosting();
  if (rows.is_sparse()) throw ConfigError("/data/trees", "boosted trees are of dense rows");
  if (rows.rows() < kMinRows)
    throw DataError("training data",
                    fmt::format("{} rows are too few for boosted trees; {} are needed", rows.rows(), kMinRows));
}

std::vector<Index> split_values(const RowSource& rows) {
  constexpr double kMaxNumbers = 2e6;
  constexpr Index kMaxRows = 1000;
  const Index n = rows.rows(), d = rows.inputs();
  if (n == 0) return std::vector<Index>(static_cast<std::size_t>(d), 0);
  const Index count = std::clamp(static_cast<Index>(kMaxNumbers / static_cast<double>(std::max<Index>(d, 1))), Index{1},
                                 std::min(n, kMaxRows));
  std::vector<Index> order;
  for (Index k = 0; k < count; ++k) order.push_back(k * n / count);
  Matrix x = gather_rows(rows, order)->x().dense();
  x = x.array().isNaN().select(std::numeric_limits<double>::infinity(), x);  // refused later, and no order of numbers
  std::vector<Index> values;
  for (Index j = 0; j < d; ++j) {
    auto column = x.col(j);
    std::sort(column.begin(), column.end());
    const Index distinct = std::unique(column.begin(), column.end()) - column.begin();
    values.push_back(std::min<Index>(distinct, kEfforts.front().bins));
  }
  return values;
}

double least_cross_fitting_flops(Index rows, const std::vector<Index>& values, Index outputs) {
  return flops_of(rows, values, outputs, kEfforts.back());
}

double shallow_tree_flops(Index rows, Index inputs) {
  constexpr double kShareOfRounds = 0.25;  // noise ends the rounds early
  const Effort& effort = kEfforts[kUsualEffort];
  const std::vector<Index> values(static_cast<std::size_t>(inputs), effort.bins);
  return kShareOfRounds * static_cast<double>(effort.folds) * fit_flops(rows, values, 1, effort, kCandidates[kShallow]);
}

CrossFitted cross_fit_trees(const RowSource& rows, const SplitColumns& columns, const CrossFitting& how) {
  check_cross_fitting(rows);
  const BoostingRows all = gathered(rows);
  const Index outputs = how.loss == BoostingLoss::classes ? tree_outputs(how.classes) : 1;
  CrossFittedWork work;
  if (how.repeated != nullptr)
    work = checked(*how.repeated);
  else
    work.effort = static_cast<Index>(effort_within(how.flops, rows, outputs));
  const Effort& effort = kEfforts.at(static_cast<std::size_t>(work.effort));
  RandomStream stream = RandomStreams(how.seed).stream("trees.folds");
  const std::vector<Fold> folds = used_folds(folds_of(rows.rows(), effort.folds, columns, stream), effort.folds);
  if (how.repeated != nullptr && work.rounds.size() != folds.size())
    throw DataError("training", "the recorded work is not that of these folds");
  std::vector<std::optional<BoostingResult>> fitted(folds.size());
  std::mutex mutex;
  Index rounds = 0;
  const auto stops = [&] {
    const std::lock_guard lock(mutex);
    return how.after_round && how.after_round(++rounds);
  };
  const auto boost_on = [&](std::size_t fold, std::size_t candidate) {
    BoostingSettings settings = settings_of(effort, kCandidates.at(candidate), how);
    if (how.repeated != nullptr) settings.keeps_all = true, settings.rounds = work.rounds.at(fold);
    return boost(some(all, folds[fold].others), some(all, folds[fold].own), settings, stops);
  };

  // Each fit has one thread, which takes two thirds of the time of two, and the same bits on any number of them.
  std::size_t first = 0;
  if (how.repeated == nullptr) {
    const std::size_t from = how.is_shallow ? kShallow : 0, count = how.is_shallow ? 1 : effort.candidates;
    std::vector<std::optional<BoostingResult>> tried(count);
    run_dealt(how.threads, static_cast<Index>(count), 1,
              [&](Index k) { tried[static_cast<std::size_t>(k)] = boost_on(0, from + static_cast<std::size_t>(k)); });
    const auto best =
        std::min_element(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a->score < b->score; });
    work.candidate = static_cast<Index>(from) + (best - tried.begin());
    fitted[first++] = std::move(*best);
  }
  run_dealt(how.threads, static_cast<Index>(folds.size() - first), 1, [&](Index k) {
    const std::size_t fold = first + static_cast<std::size_t>(k);
    fitted[fold] = boost_on(fold, static_cast<std::size_t>(work.candidate));
  });
  work.rounds.clear();
  for (const auto& fit : fitted) work.rounds.push_back(fit->rounds);

  CrossFitted result{nullptr, Matrix(rows.rows(), outputs), "", std::move(work)};
  BoostedTrees trees(rows.inputs(), outputs);
  const double share = 1 / static_cast<double>(folds.size());
  double score = 0;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    result.columns(folds[k].own, Eigen::all) = fitted[k]->trees.of(all.x(folds[k].own, Eigen::all));
    trees.add(fitted[k]->trees, share);
    score += share * fitted[k]->score;
  }
  const Vector shift = result.columns.colwise().mean().transpose();
  const Vector scale = spreads(result.columns, shift);
  trees.standardise(shift, scale);
  result.columns = (result.columns.rowwise() - shift.transpose()).array().rowwise() / scale.transpose().array();
  result.trees = std::make_shared<const BoostedTrees>(std::move(trees));
  const char* loss = how.loss == BoostingLoss::squares   ? "root mean square of what they leave"
                     : how.loss == BoostingLoss::classes ? "log loss"
                                                         : "minus log probability";
  const std::vector<Index>& kept = result.work.rounds;
  result.note = fmt::format("boosted trees: {}, step {:g}, {} rounds in {} folds; left out, {} {:.3g}",
                            kCandidates.at(static_cast<std::size_t>(result.work.candidate)).name, effort.step,
                            std::accumulate(kept.begin(), kept.end(), Index{0}), folds.size(), loss, score);
  return result;
}

}  // namespace alacarte
