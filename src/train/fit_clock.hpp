#pragma once
// Clock, interrupt and work record of one fit, as its hooks have them.
#include <string>

#include "alacarte/optimise/trainer.hpp"

namespace alacarte {

class FitClock {
 public:
  /// hooks: kept by reference.
  explicit FitClock(const TrainerHooks& hooks) : hooks_(hooks) {}

  /// Whether the work is that of a record; then there is no deadline.
  bool repeats() const { return hooks_.work != nullptr && hooks_.work->repeats(); }
  bool is_timed() const { return hooks_.deadline_seconds > 0 && !repeats(); }
  double now() const { return hooks_.seconds_since_start ? hooks_.seconds_since_start() : 0; }
  double seconds_left() const { return hooks_.deadline_seconds - now(); }
  /// "interrupted", or nothing.
  std::string interrupt() const { return hooks_.interrupt != nullptr && hooks_.interrupt->load() ? "interrupted" : ""; }

  /// What the record that is repeated has of a stage; 0 where it does not name it.
  Index recorded(const std::string& stage) const { return repeats() ? hooks_.work->evaluations(key(stage)) : 0; }
  /// Unless it repeats one.
  void record(const std::string& stage, Index work) const {
    if (hooks_.work != nullptr && !repeats()) hooks_.work->record(key(stage), work);
  }

 private:
  std::string key(const std::string& stage) const { return hooks_.fit_name + ": " + stage; }

  const TrainerHooks& hooks_;
};

}  // namespace alacarte
