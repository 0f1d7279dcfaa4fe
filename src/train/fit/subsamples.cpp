// The stage subsamples: probes on a first subsample, then a few iterations on each of larger ones.
#include <fmt/format.h>
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "data/distributed_rows.hpp"
#include "one_fit.hpp"

namespace alacarte {
namespace {

// Largest share of a fit's time for subsamples.
constexpr double kMaxSubsampleShare = 0.6;

}  // namespace

/// Replaces the starts by the point at which all rows continue, and leaves the curvature there if it is to be carried
/// over; each subsample is training.subsample_growth times as large as the one before. The starts stay if no subsample
/// fits into memory.
void start_on_subsamples(OneFit& fit) {
  const FitJob& job = fit.job;
  const TrainingRows& seen = fit.seen();
  const PlannedJobs& planned = fit.training.planned;
  // There is no checkpoint: only the passes over all rows are worth resuming.
  FitContext context = fit.context.until_share(kMaxSubsampleShare);
  if (job.recipe.training.carry_curvature) context.curvature = &fit.curvature;
  TrainingConfig config = job.recipe.training;
  config.iterations = config.subsample_iterations;
  RandomStream stream = job.streams.stream("subsample");
  const Index all = seen.source->rows();
  const double row_bytes = 8.0 * static_cast<double>(seen.source->inputs() + 1);
  const double max_bytes = planned.spare_bytes / planned.plan.concurrent_fits;
  const double began = context.now();
  const Index first = std::min(config.subsample, static_cast<Index>(max_bytes / row_bytes));
  const auto fits = [&](Index rows) { return rows < all && static_cast<double>(rows) * row_bytes <= max_bytes; };
  Index trained = 0;
  for (Index rows = first; rows > 0 && fits(rows); rows *= config.subsample_growth) {
    TrainingRows drawn{pick_rows(seen.source, draw_rows(stream, all, rows)), seen.statistics, {}};
    drawn.more_noise_centers = seen.more_noise_centers;
    count_classes(job.recipe, static_cast<Index>(seen.classes.size()), drawn);
    const auto make = [&](int count) { return fit.make_inference_on(drawn, count); };
    const FitContext part = context.of_part(" on " + std::to_string(rows) + " rows");
    if (part.repeats() && !part.work->has_part(part.fit, part.part)) break;
    try {
      const FitResult result =
          minimise(*make(fit.threads), make, fit.starts, config, job.recipe.priors, fit.threads, part);
      fit.starts = {result.theta};
      trained = rows;
      const Index next = fits(rows * config.subsample_growth) ? rows * config.subsample_growth : all;
      fit.curvature.scale(static_cast<double>(next) / static_cast<double>(rows));
      if (is_cut_short(result.summary.stop)) break;
    } catch (const NumericalError& error) {
      context.message(part.name() + ": " + error.what() + "; all rows go on from what was reached before");
      break;
    }
  }
  if (trained > 0)
    context.message(
        fmt::format("{}: subsamples of {} to {} rows took {:.3g} s", job.name, first, trained, context.now() - began));
}

}  // namespace alacarte
