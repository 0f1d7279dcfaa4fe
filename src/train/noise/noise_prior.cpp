#include "noise_prior.hpp"

#include "data/distributed_rows.hpp"
#include "train/plan/classifier_plan.hpp"
#include "train/search/row_starts.hpp"

namespace alacarte {
namespace {

constexpr double kMinCenter = 0.01;
// Smallest noise as a share of the leave-one-out error. On few rows the ARD fit may overfit and report no noise; its
// leave-one-out error is reliable, and a more flexible model rarely beats it by more than this factor.
constexpr double kShareOfError = 0.3;
constexpr double kMaxReach = 10;
// Share of the variance below which a fit is restarted, and gain in this share by which the restart is kept.
constexpr double kLowExplainedShare = 0.2;
// Ratio of squared left-out errors below which a fit from the structure of the rows is kept.
constexpr double kStructureError = 0.9;
constexpr double kShortShare = 0.5;  // short length-scales in units of the distance of two rows

TrainingRows drawn_rows(const TrainingRows& rows, Index maximum, const RandomStreams& streams) {
  if (rows.source->rows() <= maximum) {
    TrainingRows all = rows;
    all.source = whole_rows(rows.source, "/noise/prior_rows");
    return all;
  }
  RandomStream stream = streams.stream("rows");
  const bool by_level = !rows.statistics.level_counts.empty() && !rows.source->is_distributed();
  const std::vector<Index> order =
      by_level ? draw_level_rows(*rows.source, maximum, stream) : draw_rows(stream, rows.source->rows(), maximum);
  TrainingRows drawn = make_training_rows(gather_rows(*rows.source, order), streams);
  drawn.statistics.structure = rows.statistics.structure;
  return drawn;
}

/// Returns the share of the variance of y that leave-one-out predictions explain.
double explained(const Solution& solution, const Vector& y) {
  return 1 - (y - solution.leave_one_out.mean).squaredNorm() / (y.array() - y.mean()).square().sum();
}

/// Returns length-scales at which rows are far apart: from longer ones a fit ends in noise alone if few of many inputs
/// matter (pumadyn32nm).
Vector short_lengthscales(const TrainingStatistics& statistics) {
  const double pairs = static_cast<double>(statistics.pair_differences.rows());
  const double share = kShortShare * std::sqrt(static_cast<double>(statistics.smooth_count()));
  const Vector deviations = (statistics.pair_differences.colwise().squaredNorm().transpose() / (2 * pairs)).cwiseSqrt();
  // An input that does not differ among the pairs has its range, which is never 0.
  return share * (deviations.array() > 0).select(deviations, statistics.range);
}

struct ArdFit {
  Vector theta;
  Solution solution;
  double explained;
};

ArdFit solve_ard(Inference& objective, const FitResult& result, const Vector& y) {
  ArdFit fit{result.theta, objective.solve(result.theta, {}), 0};
  fit.explained = FitContext::of_first(explained(fit.solution, y));  // all ranks decide by the same value
  return fit;
}

/// Fits from these starts; returns nothing if that fails.
std::optional<ArdFit> fit_from(const FitJob& job, const std::vector<Vector>& starts, Inference& objective,
                               const ObjectiveFactory& make, const Vector& y, const FitOptions& options,
                               const FitContext& part) {
  try {
    return solve_ard(objective, minimise(objective, make, starts, job.recipe.training, false, options.threads, part),
                     y);
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

std::optional<ArdFit> fit_from_short_lengthscales(FitJob job, TrainingRows drawn, Inference& objective,
                                                  const ObjectiveFactory& make, const Vector& y,
                                                  const FitOptions& options, const FitContext& context) {
  drawn.statistics.lengthscale = short_lengthscales(drawn.statistics);
  job.recipe.training.start = StartPoint::ard;
  const auto starts = make_job_starts(job, drawn, objective.parameters(), job.recipe.noise.start);
  return fit_from(job, starts, objective, make, y, options, context.of_part(", short length-scales"));
}

}  // namespace

NoiseCenter find_noise_center(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options,
                              const FitContext& context, bool for_starts) {
  const NoiseCenter fallback{recipe.noise.prior_value, PriorCenter::fixed, {}};
  if (!suits_exact_fit(*rows.source)) return fallback;
  const RandomStreams streams = RandomStreams(options.seed).scope("noise_prior");
  const TrainingRows drawn = drawn_rows(rows, recipe.noise.prior_rows, streams);
  RowScratch scratch;
  const RowBlock block = drawn.source->read(0, drawn.source->rows(), scratch);
  if ((block.y.array() == block.y[0]).all()) return fallback;
  const FitJob job = make_job(ard_recipe(recipe), drawn.statistics, streams);
  const auto make = [&](int threads) { return make_job_inference(job, drawn, recipe.noise.prior_value, threads); };
  try {
    // One thread suffices: the work is small, and the centre must not depend on the number of threads.
    const auto objective = make(1);
    const auto starts = make_job_starts(job, drawn, objective->parameters(), recipe.noise.prior_value);
    ArdFit fit = solve_ard(
        *objective, minimise(*objective, make, starts, job.recipe.training, false, options.threads, context), block.y);
    // The evidence does not tell another fit from noise: a kernel with very short length-scales is noise itself.
    const auto take_above = [&](double least, std::optional<ArdFit> other) {
      const bool is_better = other && other->explained > least;
      if (is_better) fit = std::move(*other);
      return is_better;
    };
    bool from_rows = false;
    if (const auto start = row_start(*objective, job, drawn, starts))
      from_rows = take_above(1 - kStructureError * (1 - std::max(0.0, fit.explained)),
                             fit_from(job, {*start}, *objective, make, block.y, options, context.of_part(", rows")));
    if (for_starts && fit.explained < kLowExplainedShare)
      take_above(std::max(0.0, fit.explained) + kLowExplainedShare,
                 fit_from_short_lengthscales(job, drawn, *objective, make, block.y, options, context));
    const Solution& solution = fit.solution;
    const auto center_of = [&](const Solution& one, const Vector& y, double sd) {
      const double error = std::sqrt((y - one.leave_one_out.mean).squaredNorm() / static_cast<double>(y.size()));
      const double noise = std::sqrt(one.posterior->noise_variance() / drawn.statistics.mean_weight);
      return std::clamp(std::max(noise, kShareOfError * error) / sd,
                        std::max(recipe.noise.floor, std::min(kMinCenter, 1.0)), 1.0);
    };
    NoiseCenter center{center_of(solution, block.y, drawn.statistics.target_sd), PriorCenter::ard, {}, {}, from_rows};
    const Matrix& more = drawn.source->more_targets();
    center.more.resize(more.cols());
    for (Index t = 0; t < more.cols(); ++t) {
      const Vector y = more.col(t);
      const double sd = std::sqrt((y.array() - y.mean()).square().sum() / static_cast<double>(y.size() - 1));
      center.more[t] = sd > 0 ? center_of(solution.more[static_cast<std::size_t>(t)], y, sd) : recipe.noise.prior_value;
    }
    // Inputs that the fit takes for irrelevant stay within reach of the gradient.
    const Index smooth = rows.statistics.smooth_count();
    const Vector reach = kMaxReach * std::sqrt(static_cast<double>(smooth)) * rows.statistics.range;
    const Index first = lengthscale_slots(job.prior.parameters()).front().offset;
    center.lengthscale = reach;
    center.lengthscale.head(smooth) =
        fit.theta.segment(first, smooth).array().exp().matrix().cwiseMin(reach.head(smooth));
    return center;
  } catch (const NumericalError&) {
    return fallback;
  }
}

}  // namespace alacarte
