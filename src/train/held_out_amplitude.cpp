#include "held_out_amplitude.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/count_distribution.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "core/ranks.hpp"

namespace alacarte {
namespace {

constexpr Index kMostRows = 5000;
constexpr int kSteps = 3;  // doublings to either side

class AmplitudeSearch {
 public:
  AmplitudeSearch(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout, const Vector& theta,
                  int threads)
      : job_(job), layout_(layout), theta_(theta), held_(*rows.held_out), some_(rows) {
    if (const Index all = rows.source->rows(); all > kMostRows) {
      RandomStream stream = job.streams.stream("held_out.amplitude");
      some_.source = gather_rows(*rows.source, draw_rows(stream, all, kMostRows));
      count_classes(job.recipe, static_cast<Index>(rows.classes.size()), some_);
    }
    inference_ = make_job_inference(job, some_, job.recipe.noise.prior_value, threads);
  }

  /// Doubles or halves as long as that is better, then looks between.
  HeldOutAmplitude run(double first) {
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
  /// Whether it is the best so far.
  bool try_one(double factor) {
    Vector theta = theta_;
    scale_amplitudes(layout_, factor, theta);
    double score = -std::numeric_limits<double>::infinity();
    try {
      score = score_of(*inference_->posterior(theta));
    } catch (const NumericalError&) {  // not this one
    }
    score = ranks::of_first(score);  // factors of different machines differ in their last digits
    if (!(score > best_.log_density)) return false;
    best_ = {factor, score};
    return true;
  }

  double score_of(const Posterior& posterior) const {
    const Index rows = held_.rows(), outputs = posterior.outputs();
    Matrix means(rows, outputs), covariances(rows, pair_count(outputs));
    posterior.predict_outputs(held_.x(), means, covariances);
    if (likelihood_of(job_.recipe).target() == TargetKind::counts)
      return CountDistribution(means, covariances.cwiseMax(0.0)).log_probability(held_.y()).mean();
    const Matrix values = class_values(job_.recipe, means, covariances, static_cast<Index>(some_.classes.size()));
    double sum = 0;
    for (Index i = 0; i < rows; ++i)
      sum += std::log(std::max(std::numeric_limits<double>::min(), values(i, static_cast<Index>(held_.y()[i]))));
    return sum / static_cast<double>(rows);
  }

  const FitJob& job_;
  const ParameterLayout& layout_;
  const Vector& theta_;
  const MemoryRows& held_;
  TrainingRows some_;
  std::unique_ptr<Inference> inference_;
  HeldOutAmplitude best_{1, -std::numeric_limits<double>::infinity()};
};

}  // namespace

HeldOutAmplitude fit_held_out_amplitude(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                        const Vector& theta, double first, int threads) {
  return AmplitudeSearch(job, rows, layout, theta, threads).run(first);
}

}  // namespace alacarte
