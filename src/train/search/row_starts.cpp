#include "row_starts.hpp"

#include "alacarte/core/error.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/by_hand.hpp"

namespace alacarte {
namespace {

constexpr double kStartShare = 0.6;    // of sqrt(d) ranges: the length-scales of ard_start()
constexpr double kScaleRatio = 0.5;    // ratio of neighbouring length-scales
constexpr double kNearestShare = 0.5;  // shortest length-scale in units of the spacing of the rows
constexpr double kGain = 4;            // log evidence by which a start must be ahead of the others
constexpr double kFoundGain = 1;       // that of length-scales which another fit has found
constexpr double kShort = 0.3;         // share of a fit's first length-scales below which it may not reach them
constexpr Index kMaxOfPeaks = 4;       // inputs with length-scales of their own
// Pairs of rows that have one value of an input, and their largest share, for its values to be groups' numbers.
constexpr Index kMinTies = 10;
constexpr double kMaxTies = 0.2;

/// Returns the typical distance of a row from its nearest, as a share of the range of each input.
double spacing(const TrainingStatistics& statistics) {
  const double d = static_cast<double>(statistics.smooth_count());
  return std::sqrt(d) * std::pow(static_cast<double>(std::max<Index>(2, statistics.rows)), -1 / d);
}

double value_at(Objective& objective, const Vector& theta) {
  try {
    return FitContext::of_first(objective.value(theta));
  } catch (const NumericalError&) {
    return std::numeric_limits<double>::infinity();
  }
}

double least_value(Objective& objective, const std::vector<Vector>& starts) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vector& start : starts) least = std::min(least, value_at(objective, start));
  return least;
}

void set_noise(const ParameterLayout& layout, const FitJob& job, const TrainingRows& rows, double noise_sd,
               Vector& theta) {
  if (!layout.contains("noise.log_sd")) return;
  const ParameterSlot& slot = layout.find("noise.log_sd");
  theta.segment(slot.offset, slot.size)
      .setConstant(log_noise(noise_sd, job, rows) + 0.5 * std::log(rows.statistics.mean_weight));
}

bool has_seasons(const TrainingStatistics& statistics) { return !statistics.structure.seasons().empty(); }

/// Returns length-scales (d) of a kernel that follows the fastest season of each input.
Vector season_lengthscales(const TrainingStatistics& statistics) {
  Vector lengthscale = kStartShare * std::sqrt(static_cast<double>(statistics.smooth_count())) * statistics.range;
  for (const SpectralPeak& peak : statistics.structure.seasons())
    lengthscale[peak.input] = std::min(lengthscale[peak.input], 1 / peak.frequency);
  return lengthscale;
}

/// Returns the smallest difference of the values of an input if it may number groups, such as persons with several rows
/// each, which need not be like their neighbours; otherwise 0.
double spacing_of_groups(ConstVec differences) {
  Index ties = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const double difference : differences)
    if (difference == 0)
      ++ties;
    else
      least = std::min(least, std::abs(difference));
  const bool are_groups =
      ties >= kMinTies && static_cast<double>(ties) <= kMaxTies * static_cast<double>(differences.size());
  return are_groups && std::isfinite(least) ? least : 0;
}

/// Tells whether the length-scales that were found are far below those at which fits begin, and usual starts missed
/// them.
bool is_short(const TrainingStatistics& statistics) {
  const double longest = kStartShare * std::sqrt(static_cast<double>(statistics.smooth_count()));
  return statistics.from_rows && statistics.lengthscale.size() > 0 &&
         (statistics.lengthscale.array() < kShort * longest * statistics.range.array()).any();
}

}  // namespace

std::vector<Vector> candidate_lengthscales(const TrainingStatistics& statistics) {
  const Vector longest = kStartShare * std::sqrt(static_cast<double>(statistics.smooth_count())) * statistics.range;
  std::vector<Vector> candidates;
  const double shortest =
      kNearestShare * spacing(statistics) / (kStartShare * std::sqrt(static_cast<double>(statistics.smooth_count())));
  for (double share = kScaleRatio * kScaleRatio; share > shortest; share *= kScaleRatio)
    candidates.push_back(share * longest);
  Vector together = longest;
  Index alone = 0;
  for (const SpectralPeak& peak : statistics.structure.peaks) {
    if (++alone > kMaxOfPeaks) break;
    Vector own = longest;
    own[peak.input] = 1 / peak.frequency;
    together[peak.input] = std::min(together[peak.input], own[peak.input]);
    candidates.push_back(std::move(own));
  }
  if (alone > 1) candidates.push_back(std::move(together));
  Index grouped = 0;
  for (Index j = 0; j < statistics.pair_differences.cols() && grouped < kMaxOfPeaks; ++j) {
    const double least = spacing_of_groups(statistics.pair_differences.col(j));
    if (least == 0) continue;
    ++grouped;
    candidates.push_back(longest);
    candidates.back()[j] = kNearestShare * least;
  }
  return candidates;
}

std::optional<Vector> row_start(Objective& objective, const FitJob& job, const TrainingRows& rows,
                                const std::vector<Vector>& starts) {
  const double sd = rows.statistics.target_sd, neighbours = rows.statistics.structure.neighbour_sd;
  const double own_noise = neighbours > 0 ? neighbours : 0.5 * sd;
  // At every level of noise, or a kernel as short as noise itself would win against too little of it.
  double least = least_value(objective, starts);
  for (Vector theta : starts)
    for (const double noise : {0.3 * own_noise, own_noise, sd}) {
      set_noise(objective.parameters(), job, rows, noise, theta);
      least = std::min(least, value_at(objective, theta));
    }
  std::optional<Vector> best;
  least -= kGain;
  for (const Vector& lengthscale : candidate_lengthscales(rows.statistics)) {
    Vector theta = starts.front();
    for (const ParameterSlot& slot : job.prior.parameters().slots())
      if (slot.is_lengthscale() && slot.size == rows.statistics.smooth_count())
        theta.segment(slot.offset, slot.size) = lengthscale.head(slot.size).array().log();
    for (const double noise : {own_noise, 0.3 * own_noise}) {
      set_noise(objective.parameters(), job, rows, noise, theta);
      if (const double value = value_at(objective, theta); value < least) least = value, best = theta;
    }
  }
  return best;
}

void add_found_start(Objective& objective, const FitJob& job, const TrainingRows& rows, double noise_center,
                     std::vector<Vector>& starts) {
  const bool is_found = is_short(rows.statistics);
  const bool is_warm = is_found && job.recipe.training.start == StartPoint::ard;
  if (is_warm || !(is_found || has_seasons(rows.statistics)) || !job.recipe.kernel.lengthscale.empty()) return;
  FitJob found = job;
  found.recipe.training.start = StartPoint::ard;
  found.recipe.training.starts = 1;
  std::optional<TrainingRows> with_seasons;
  if (!is_found) {
    // The ARD fit takes too few of many rows to see a fast season.
    with_seasons = rows;
    with_seasons->statistics.lengthscale = season_lengthscales(rows.statistics);
  }
  const TrainingRows& of_start = with_seasons ? *with_seasons : rows;
  Vector start = make_job_starts(found, of_start, objective.parameters(), noise_center).front();
  for (const ParameterSlot& slot : job.prior.parameters().slots())
    if (slot.is_lengthscale() && slot.size == 1 && !is_by_hand(job.recipe, slot))
      start[slot.offset] = std::log(of_start.statistics.lengthscale.head(rows.statistics.smooth_count()).minCoeff());
  const TrainingConfig& config = job.recipe.training;
  const bool compares = config.subsample > 0 && config.subsample < rows.source->rows();
  if (!compares && !(value_at(objective, start) < least_value(objective, starts) - kFoundGain)) return;
  if (!compares && config.starts == 1) starts.clear();
  starts.push_back(std::move(start));
}

}  // namespace alacarte
