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

/// One summary line for each fit.
void report_fits(const FittedModel& model);

class ProgressReporter : public TrainingObserver {
 public:
  explicit ProgressReporter(int threads) : threads_(threads), live_(live_line_wanted()) {}
  ~ProgressReporter() override;
  void on_plan(const TrainingPlan& plan) override;
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& text) override;

 private:
  static bool live_line_wanted();
  std::string describe(const Progress& progress) const;

  int threads_;
  double target_scale_ = 1;
  bool live_;
  std::set<std::string> stages_;
  double last_seconds_ = 0;
};

}  // namespace alacarte::cli
