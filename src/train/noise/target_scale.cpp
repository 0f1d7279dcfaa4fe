#include "target_scale.hpp"

#include <fmt/format.h>
#include <optional>

#include "model/noise_mixture.hpp"
#include "noise_shape.hpp"
#include "optimise/trainer.hpp"
#include "train/plan/cost_model.hpp"
#include "train/plan/fit_jobs.hpp"
#include "train/plan/noise_plan.hpp"

namespace alacarte {
namespace {

constexpr Index kScaleRows = 400, kMinScaleRows = 50;
constexpr double kMinSkewness = 0.5;
// Largest deviation of the logarithm. Where f is as uncertain as that of wider targets, the mean of its exponential is
// absurd: a deviation of 3 multiplies the median by 90.
constexpr double kMaxLogDeviation = 1;
constexpr double kMinGain = 0.05;       // smallest gain in log density for each row, in nats
constexpr double kMinErrors = 2;        // smallest gain in standard errors of its mean
constexpr double kMaxErrorRatio = 1.1;  // largest ratio of squared errors of the means
constexpr Index kScaleIterations = 25;
// Largest share of the time budget for both fits, their nominal evaluations, and the budget in seconds without a clock.
constexpr double kMaxScaleShare = 0.05, kScaleEvaluations = 30, kSecondsWithoutClock = 30;
constexpr Index kRowStep = 50;

/// Returns the number of rows that both fits take in their share of the time, at most kScaleRows.
Index rows_in_share(const Recipe& recipe, Index inputs) {
  const double seconds = recipe.training.seconds > 0 ? recipe.training.seconds : kSecondsWithoutClock;
  const auto flops = [&](Index rows) {
    const auto n = static_cast<double>(rows);
    return 2 * kScaleEvaluations * n * n * (n + 4 * static_cast<double>(inputs));
  };
  Index rows = kScaleRows;
  while (rows > 0 && flops(rows) > kMaxScaleShare * nominal_flops(seconds)) rows -= kRowStep;
  return rows;
}

double smallest_target(const RowSource& rows) {
  double least = std::numeric_limits<double>::infinity();
  for_each_block(rows, [&](const RowBlock& block) { least = std::min(least, block.y.minCoeff()); });
  return least;
}

double deviation_of(const Vector& y) { return std::sqrt((y.array() - y.mean()).square().mean()); }

double skewness_of(const Vector& y) {
  const Eigen::ArrayXd steps = y.array() - y.mean();
  const double sd = std::sqrt(steps.square().mean());
  return sd > 0 ? (steps / sd).cube().mean() : 0;
}

/// Left-out predictions of one scale.
struct ScaleScores {
  Vector log_density;  // (rows), in the unit of the target
  double squared_error = 0;
};

/// Fits an ARD process under a scale and leaves each row out; nothing if that fails.
std::optional<ScaleScores> scores_under(TargetScaling scaling, const Recipe& recipe, const MemoryRows& rows,
                                        const FitOptions& options, const FitContext& context) {
  Recipe ard = ard_recipe(recipe);
  ard.scale_inputs = recipe.scale_inputs;
  ard.scale_rows = recipe.scale_rows;
  ard.scale_target = scaling;
  ard.training.starts = 1;
  ard.training.iterations = kScaleIterations;
  const Vector& y = rows.y();
  const RandomStreams streams = RandomStreams(options.seed).scope("target_scale");
  try {
    Dataset own;
    own.inputs = rows.x().dense();
    own.target = y;
    own.level_counts = rows.level_counts();
    const PreparedRows prepared = prepare_rows(ard, std::make_shared<MemoryRows>(std::move(own)), options.seed);
    const FitJob job = make_job(ard, prepared.rows.statistics, streams);
    const auto make = [&](int) { return make_job_inference(job, prepared.rows, recipe.noise.prior_value, 1); };
    const auto objective = make(1);
    const auto starts = make_job_starts(job, prepared.rows, objective->parameters(), recipe.noise.prior_value);
    const FitResult result = minimise(*objective, make, starts, ard.training, false, 1, context);
    const Solution solution = objective->solve(result.theta, {});
    const double scale = prepared.standardizer.target_scale();
    const Matrix mean = solution.leave_one_out.mean.array() * scale + prepared.standardizer.target_shift();
    const Matrix variance = solution.leave_one_out.variance * (scale * scale);
    if (!mean.allFinite() || !(variance.array() > 0).all()) return std::nullopt;
    const TargetTransform& transform = prepared.standardizer.transform();
    const PredictiveDistribution plain(mean, variance, true, {}, transform);
    const Matrix noise =
        Matrix::Constant(y.size(), 1, solution.posterior->noise_variance() * scale * scale).cwiseMin(variance);
    const PredictiveDistribution shaped = with_noise_shape(
        mean, (variance - noise).cwiseMax(0.0), noise, learn_noise_shape(plain, noise, y), plain.weights(), transform);
    ScaleScores scores{shaped.log_density(y), (plain.mean() - y).squaredNorm()};
    if (!scores.log_density.allFinite() || !std::isfinite(scores.squared_error)) return std::nullopt;
    return scores;
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

}  // namespace

TargetScaleChoice choose_target_scale(const Recipe& recipe, const RowSource& rows, double held_least,
                                      const FitOptions& options, const FitContext& context) {
  const bool is_plain = !rows.has_weights() && rows.more_targets().cols() == 0 && !rows.is_sparse() &&
                        !rows.is_distributed() && recipe.noise.trained && recipe.noise.sd == 0;
  const Index most = std::min(rows_in_share(recipe, rows.inputs()), rows.rows());
  if (!is_plain || most < kMinScaleRows) return {};
  const double smallest = std::min(held_least, smallest_target(rows));
  if (!(smallest >= 0)) return {};
  RandomStream stream = RandomStreams(options.seed).stream("target_scale.rows");
  const auto drawn = gather_rows(rows, draw_rows(stream, rows.rows(), most));
  const double skewness = skewness_of(drawn->y());
  if (!(skewness > kMinSkewness) || !drawn->x().dense().allFinite()) return {};
  const bool suits_log = smallest > 0 && deviation_of(drawn->y().array().log()) <= kMaxLogDeviation;
  const TargetScaling other = suits_log ? TargetScaling::log : TargetScaling::yeo_johnson;
  const auto plain = scores_under(TargetScaling::zscore, recipe, *drawn, options, context);
  const auto scores = scores_under(other, recipe, *drawn, options, context);
  if (!plain || !scores || context.is_interrupted()) return {};
  const Eigen::ArrayXd gains = scores->log_density - plain->log_density;
  const double n = static_cast<double>(gains.size()), gain = gains.mean();
  const double error = std::sqrt((gains - gain).square().sum() / (n * (n - 1)));
  const double ratio = scores->squared_error / plain->squared_error;
  const TargetScaling taken =
      gain > std::max(kMinGain, kMinErrors * error) && ratio <= kMaxErrorRatio ? other : TargetScaling::zscore;
  return {taken,
          fmt::format("scale.target is {}: with {}, the log density of {} left-out rows is {:.3g} +- {:.2g} {} and the "
                      "squared error {:.3g} times that with zscore; the skewness of the target is {:.2g}",
                      word(taken), word(other), gains.size(), std::abs(gain), error, gain >= 0 ? "higher" : "lower",
                      ratio, skewness)};
}

}  // namespace alacarte
