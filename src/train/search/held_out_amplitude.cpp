#include "held_out_amplitude.hpp"

#include "data/row_pass.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

constexpr int kSteps = 3;  // doublings to either side
constexpr Index kScoredRows = 64;

class AmplitudeSearch {
 public:
  AmplitudeSearch(const FitJob& job, const TrainingRows& rows, const Vector& theta, Index most_rows, int threads,
                  const std::function<bool(Index)>& goes_on)
      : job_(job), theta_(theta), threads_(threads), goes_on_(goes_on), held_(*rows.held_out), some_(rows) {
    if (const Index all = rows.source->rows(); all > most_rows) {
      RandomStream stream = job.streams.stream("held_out.amplitude");
      some_.source = gather_rows(*rows.source, draw_rows(stream, all, most_rows));
      count_classes(job.recipe, static_cast<Index>(rows.classes.size()), some_);
    }
    inference_ = make_job_inference(job, some_, job.recipe.noise.prior_value, threads);
  }

  /// Doubles or halves the factor while that is better, then looks between.
  HeldOutAmplitude run(double first) {
    best_.factor = first;  // it may have no posterior
    try_one(first);
    for (const double ratio : {2.0, 0.5}) {
      double factor = first;
      for (int step = 0; step < kSteps && try_one(factor *= ratio); ++step) {
      }
      if (best_.factor != first) break;
    }
    const double middle = best_.factor;
    for (const double ratio : {std::sqrt(2.0), std::sqrt(0.5)})
      if (try_one(middle * ratio)) break;
    if (!std::isfinite(best_.log_density))
      throw NumericalError("held-out rows", "no amplitude gives them a finite probability");
    return best_;
  }

 private:
  /// Tries a factor, unless the trials are to end; returns true if it is the best so far.
  bool try_one(double factor) {
    ended_ = ended_ || (best_.trials > 0 && !goes_on_(best_.trials));
    if (ended_) return false;
    ++best_.trials;
    Vector theta = theta_;
    scale_amplitudes(job_.prior.parameters(), factor, theta);
    double score = -std::numeric_limits<double>::infinity();
    try {
      score = score_of(*inference_->posterior(theta));
    } catch (const NumericalError&) {  // rejects this factor
    }
    score = FitContext::of_first(score);  // factors of different machines differ in their last digits
    if (!(score > best_.log_density)) return false;
    best_.factor = factor;
    best_.log_density = score;
    return true;
  }

  double score_of(const Posterior& posterior) const {
    Vector scores(held_.rows());
    for_each_chunk(held_.rows(), kScoredRows, threads_,
                   [&](int, Index first, Index count) { score_rows(posterior, first, scores.segment(first, count)); });
    return scores.mean();
  }

  void score_rows(const Posterior& posterior, Index first, VecRef scores) const {
    const Index count = scores.size(), outputs = posterior.outputs();
    const auto y = held_.y().segment(first, count);
    Matrix means(count, outputs), covariances(count, pair_count(outputs));
    posterior.predict_outputs(held_.x().middle_rows(first, count), means, covariances);
    if (likelihood_of(job_.recipe).target() == TargetKind::counts) {
      if (held_.has_offsets()) means.col(0) += held_.offsets().segment(first, count);
      scores = CountDistribution(means, covariances.cwiseMax(0.0)).log_probability(y);
      return;
    }
    const Matrix values = class_values(job_.recipe, means, covariances, static_cast<Index>(some_.classes.size()));
    for (Index i = 0; i < count; ++i)
      scores[i] = std::log(std::max(std::numeric_limits<double>::min(), values(i, static_cast<Index>(y[i]))));
  }

  const FitJob& job_;
  const Vector& theta_;
  const int threads_;
  const std::function<bool(Index)>& goes_on_;
  const MemoryRows& held_;
  TrainingRows some_;
  std::unique_ptr<Inference> inference_;
  bool ended_ = false;
  HeldOutAmplitude best_{1, -std::numeric_limits<double>::infinity(), 0};
};

}  // namespace

HeldOutAmplitude fit_held_out_amplitude(const FitJob& job, const TrainingRows& rows, const Vector& theta, double first,
                                        Index most_rows, int threads, const std::function<bool(Index)>& goes_on) {
  return AmplitudeSearch(job, rows, theta, most_rows, threads, goes_on).run(first);
}

}  // namespace alacarte
