#pragma once
// Progress of several fits, passed on one record at a time.
#include <mutex>
#include <string>
#include <vector>

#include "alacarte/train/fit.hpp"

namespace alacarte {

/// Passes records on one at a time, with an estimate of the time left for the whole training.
class ProgressRelay : public TrainingObserver {
 public:
  /// Relays to `target`, which may be null. clock: seconds after which every fit ends; 0 = none.
  ProgressRelay(TrainingObserver* target, const TrainingPlan& plan, double clock = 0)
      : target_(target), plan_(plan), clock_(clock) {}
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& message) override;
  void on_warning(const std::string& message) override;

 private:
  double seconds_left(const Progress& progress);

  TrainingObserver* target_;
  const TrainingPlan& plan_;
  double clock_;
  std::mutex mutex_;
  struct Count {
    Index first = -1, last = 0;
  };
  std::vector<Count> counts_;
  double first_seconds_ = -1, first_done_ = 0;
};

}  // namespace alacarte
