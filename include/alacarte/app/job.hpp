#pragma once
// Options shared by the functions of `app`: threads, observer, interrupt. They never print.
#include <alacarte/train/trainer.hpp>
#include <atomic>
#include <exception>
#include <string>

namespace alacarte {

/// Thrown when the interrupt flag of a job is set. what() states what was kept of its work.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(const char* outcome = "nothing was written") : outcome_(outcome) {}
  const char* what() const noexcept override { return outcome_; }

 private:
  const char* outcome_;  ///< a literal
};

/// Receives progress. on_rows() is called between chunks of rows on the calling thread; training progress arrives as
/// described at TrainingObserver.
class JobObserver : public TrainingObserver {
 public:
  /// `activity`: "reading", "converting" or "transforming"; share of the pass that is done, negative where unknown.
  virtual void on_rows(const char* /*activity*/, double /*share*/, Index /*rows*/) {}
  /// Called once the training rows are known: their number, the number of rows of the file, and the name of the target.
  virtual void on_training_rows(Index /*training_rows*/, Index /*file_rows*/, const std::string& /*target*/) {}
  /// The rows were written to a temporary rows file, since they do not fit the memory.
  virtual void on_rows_stored(Index /*rows*/) {}
};

struct Job {
  int threads = 1;
  JobObserver* observer = nullptr;               ///< may be null, as may the next
  const std::atomic<bool>* interrupt = nullptr;  ///< set from outside (by a signal handler, say) to stop the job

  void stop_if_interrupted() const {
    if (interrupt != nullptr && *interrupt) throw Interrupted();
  }
  /// Tells the observer, and throws Interrupted when the job is to stop.
  void report_rows(const char* activity, double share, Index rows) const {
    stop_if_interrupted();
    if (observer != nullptr) observer->on_rows(activity, share, rows);
  }
  void message(const std::string& text) const {
    if (observer != nullptr) observer->on_message(text);
  }
};

}  // namespace alacarte
