#pragma once
// Options shared by the functions of `app`: threads, observer, interrupt. They never print.
#include <alacarte/core/observer.hpp>
#include <atomic>
#include <exception>
#include <string>

namespace alacarte {

/// Thrown when the interrupt flag of a job is set. what() states what was kept of its work.
class Interrupted : public std::exception {
 public:
  /// Outcome: a literal, kept by address.
  explicit Interrupted(const char* outcome = "nothing was written") : outcome_(outcome) {}
  const char* what() const noexcept override { return outcome_; }  ///< what was kept, as one line

 private:
  const char* outcome_;  ///< a literal
};

/// Receives progress. on_rows() is called between chunks of rows on the calling thread; training progress arrives as
/// described at TrainingObserver.
class JobObserver : public TrainingObserver {
 public:
  /// `activity`: "reading", "converting" or "transforming"; share of the pass that is done, negative where unknown.
  virtual void on_rows(const char* /*activity*/, double /*share*/, Index /*rows*/) {}
  /// Called once the training rows are known: their number; the rows of the file, and those of them that a split holds
  /// out (the others were dropped for missing cells); and the name of the target.
  virtual void on_training_rows(Index /*training_rows*/, Index /*file_rows*/, Index /*held_out*/,
                                const std::string& /*target*/) {}
  /// The rows were written to a temporary rows file, since they do not fit the memory.
  virtual void on_rows_stored(Index /*rows*/) {}
};

/// How a long call runs, whom it tells, and what stops it.
struct Job {
  int threads = 1;                               ///< processor threads to use
  JobObserver* observer = nullptr;               ///< may be null, as may the next
  const std::atomic<bool>* interrupt = nullptr;  ///< set from outside (by a signal handler, say) to stop the job

  /// Throws Interrupted when the flag is set; called between chunks of rows.
  void stop_if_interrupted() const {
    if (interrupt != nullptr && *interrupt) throw Interrupted();
  }
  /// Tells the observer, and throws Interrupted when the job is to stop.
  void report_rows(const char* activity, double share, Index rows) const {
    stop_if_interrupted();
    if (observer != nullptr) observer->on_rows(activity, share, rows);
  }
  /// Passes one line for a person to the observer.
  void message(const std::string& text) const {
    if (observer != nullptr) observer->on_message(text);
  }
};

}  // namespace alacarte
