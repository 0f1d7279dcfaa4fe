#include "progress_relay.hpp"

namespace alacarte {
namespace {

// Smallest number of evaluations that gives an estimate of the time left: fewer give a poor one, since concurrent fits
// end at about the same time.
constexpr double kMinTimedEvaluations = 4;

}  // namespace

void ProgressRelay::on_progress(const Progress& progress) {
  if (target_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  Progress passed = progress;
  passed.seconds_left = seconds_left(progress);
  target_->on_progress(passed);
}

void ProgressRelay::on_message(const std::string& message) {
  if (target_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  target_->on_message(message);
}

void ProgressRelay::on_warning(const std::string& message) {
  if (target_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  target_->on_warning(message);
}

double ProgressRelay::seconds_left(const Progress& progress) {
  if (progress.evaluation == 0) return -1;  // steps on few rows do not predict the later ones
  counts_.resize(plan_.fits.size());
  double done = 0, left = 0, flops = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Count& count = counts_[i];
    const TrainingPlan::Fit& fit = plan_.fits[i];
    if (fit.name == progress.fit) {
      flops = std::max(1.0, fit.evaluation.flops);
      if (count.first < 0) count.first = progress.evaluation - 1;  // evaluations before a fit was resumed
      count.last = progress.evaluation;
    }
    done += static_cast<double>(count.last - std::max<Index>(0, count.first)) * fit.evaluation.flops;
    left += static_cast<double>(std::max<Index>(0, fit.planned_evaluations - count.last)) * fit.evaluation.flops;
  }
  // The time before the first record (data, noise prior) is not representative of the rest.
  if (first_seconds_ < 0) {
    first_seconds_ = progress.seconds;
    first_done_ = done;
  }
  const double since = done - first_done_;
  // flops: 0 for a fit that the plan does not know, those on subsamples.
  if (flops == 0 || since < kMinTimedEvaluations * flops) return -1;
  const double measured = (progress.seconds - first_seconds_) / since * left;
  return clock_ > 0 ? std::min(measured, std::max(0.0, clock_ - progress.seconds)) : measured;
}

}  // namespace alacarte
