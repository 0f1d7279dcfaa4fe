#include "label_start.hpp"

#include "alacarte/model/registered.hpp"
#include "data/distributed_rows.hpp"
#include "inference/label_evidence.hpp"

namespace alacarte {
namespace {

// Relative tolerance of the objective: class indicators determine a kernel no better.
constexpr double kLabelTolerance = 1e-5;
constexpr double kLabelShare = 0.4;  // largest share of a fit's time
constexpr Index kAmplitudeRows = 500;
constexpr Index kMaxAmplitudes = 5;  // each twice the last

TrainingRows labelled_rows(const FitJob& job, const TrainingRows& rows, Index maximum, RandomStream& stream) {
  const Index all = rows.source->rows();
  TrainingRows drawn{nullptr, rows.statistics, {}};
  drawn.source = all > maximum ? gather_rows(*rows.source, draw_rows(stream, all, maximum))
                               : whole_rows(rows.source, "/training/start_rows");
  count_classes(job.recipe, static_cast<Index>(rows.classes.size()), drawn);
  return drawn;
}

/// The prior of a job; for landmarks, whose parameters are their term's, the exact kernel of it, which the few rows of
/// a start take as it is.
Prior exact_prior(const FitJob& job, const TrainingRows& rows) {
  if (job.recipe.model != "nystrom") return job.prior;
  return make_prior(job.recipe.terms.front(), job.prior.input_count(), job.streams, rows.statistics);
}

std::unique_ptr<Objective> label_evidence(const FitJob& job, const TrainingRows& rows, int threads) {
  return make_label_evidence(exact_prior(job, rows), rows.source, static_cast<Index>(rows.classes.size()), threads);
}

/// Converts the amplitudes of theta from the unit of the indicators to that of the likelihood's functions.
Vector with_best_amplitude(const FitJob& job, const TrainingRows& rows, Vector theta, int threads, double memory_bytes,
                           const FitContext& context) {
  const auto inference = make_job_inference(job, rows, job.recipe.noise.prior_value, threads, memory_bytes);
  const ParameterLayout& layout = inference->parameters();
  scale_amplitudes(layout, rows.statistics.target_sd, theta);
  Vector best = theta, gradient(layout.size());
  double least = std::numeric_limits<double>::infinity();
  const Index most = context.repeats() ? context.recorded("amplitudes") : kMaxAmplitudes;
  Index tried = 0;
  for (; tried < most; scale_amplitudes(layout, 2, theta)) {
    if (FitContext::any(context.is_interrupted())) break;
    ++tried;
    gradient.setZero();
    const double penalty = layout.penalty(theta, job.recipe.priors, gradient);
    double value = std::numeric_limits<double>::infinity();
    try {
      value = inference->evaluate_below(least - penalty, theta, gradient) + penalty;
    } catch (const NumericalError&) {  // the mode was not found
    }
    value = FitContext::of_first(value);
    if (!(value < least)) break;
    least = value;
    best = theta;
  }
  context.record("amplitudes", tried);
  return best;
}

}  // namespace

std::optional<Vector> label_start(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                  const std::vector<Vector>& starts, int threads, double memory_bytes,
                                  const FitContext& context) {
  TrainingConfig config = job.recipe.training;
  config.iterations = config.start_iterations;
  config.objective_tolerance = std::max(config.objective_tolerance, kLabelTolerance);
  RandomStream stream = job.streams.stream("label_start");
  const TrainingRows drawn = labelled_rows(job, rows, config.start_rows, stream);
  const auto make = [&](int count) { return label_evidence(job, drawn, count); };
  const std::unique_ptr<Objective> evidence = make(threads);
  const Index own = job.prior.parameters().size();
  std::vector<Vector> from;
  for (const Vector& start : starts) {
    from.push_back(Vector::Zero(own + 1));
    from.back().head(own) = start.head(own);
    scale_amplitudes(job.prior.parameters(), 1 / rows.statistics.target_sd, from.back());
    from.back()[own] = std::log(job.recipe.noise.prior_value);
  }
  const FitContext inner =
      context.of_part(" on the labels of " + std::to_string(drawn.source->rows()) + " rows").until_share(kLabelShare);
  try {
    const FitResult result = minimise(*evidence, make, from, config, job.recipe.priors, threads, inner);
    Vector theta = starts.front();
    require(theta.size() == layout.size(), "label_start: starts");
    theta.head(own) = result.theta.head(own);
    const TrainingRows few = labelled_rows(job, drawn, kAmplitudeRows, stream);
    return with_best_amplitude(job, few, std::move(theta), threads, memory_bytes, inner);
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

}  // namespace alacarte
