#pragma once
// Progress display of a job: rows as they are read, the plan of a training, a live line or sparse lines, a summary.
#include <alacarte/app/job.hpp>
#include <alacarte/app/quantities.hpp>
#include <set>
#include <string>

namespace alacarte::cli {

/// A job of this program: its threads, this reporter and the program's interrupt flag.
class ProgressReporter : public JobObserver {
 public:
  explicit ProgressReporter(int threads) : threads_(threads) {}
  Job job();
  ~ProgressReporter() override;
  void on_plan(const TrainingPlan& plan) override;
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& text) override;
  void on_rows(const char* activity, double share, Index rows) override;
  void on_training_rows(Index training_rows, Index file_rows, const std::string& target) override;
  void on_rows_stored(Index rows) override;

 private:
  std::string describe(const Progress& progress) const;

  int threads_;
  double target_scale_ = 1;
  std::set<std::string> stages_;
  double last_seconds_ = 0;
};

}  // namespace alacarte::cli
