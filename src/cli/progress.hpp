#pragma once
// What a person sees of a training: the plan before it, a live line or sparse lines during it, a summary after it.
#include <alacarte/train/fit.hpp>
#include <set>
#include <string>

namespace alacarte::cli {

/// "1.2 GFLOP", "3.4 MB", "12 s", "3 min 20 s".
std::string format_flops(double flops);
std::string format_bytes(double bytes);
std::string format_seconds(double seconds);

void report_plan(const TrainingPlan& plan, const std::string& target, int threads);

/// One summary line for each fit.
void report_fits(const FittedModel& model);

class ProgressReporter : public TrainingObserver {
 public:
  /// target_scale: what one standardised unit is in units of the target.
  explicit ProgressReporter(double target_scale) : target_scale_(target_scale), live_(live_line_wanted()) {}
  ~ProgressReporter() override;
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& text) override;

 private:
  static bool live_line_wanted();
  std::string describe(const Progress& progress) const;

  double target_scale_;
  bool live_;
  std::set<std::string> stages_;
  double last_seconds_ = 0;
};

}  // namespace alacarte::cli
