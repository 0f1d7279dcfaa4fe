#pragma once
// Options shared by the functions of `app`: threads, observer, interrupt. They never print.
#include <alacarte/core/observer.hpp>
#include <atomic>
#include <exception>
#include <string>

namespace alacarte {

class Schema;

/// Exception thrown when a job's interrupt flag is set. what() states how much of its work was kept.
class Interrupted : public std::exception {
 public:
  /// Stores the address of a literal.
  explicit Interrupted(const char* outcome = "nothing was written") : outcome_(outcome) {}
  const char* what() const noexcept override { return outcome_; }  ///< returns one line on what was kept

 private:
  const char* outcome_;  ///< a literal
};

/// Receives progress. on_rows() is called between chunks of rows on the calling thread; see also TrainingObserver.
class JobObserver : public TrainingObserver {
 public:
  /// Reports reading. activity: "reading", "converting" or "transforming"; share: completed part, negative if unknown.
  virtual void on_rows(const char* /*activity*/, double /*share*/, Index /*rows*/) {}
  /// Reports, once the training rows are known, their number, the rows of the file, the rows that a split holds out
  /// (the others had missing cells), and the name of the target.
  virtual void on_training_rows(Index /*training_rows*/, Index /*file_rows*/, Index /*held_out*/,
                                const std::string& /*target*/) {}
  /// Reports, before training, what became of the columns of the table.
  virtual void on_columns(const Schema& /*schema*/) {}
  /// Reports that the rows exceeded memory and were written to a temporary rows file.
  virtual void on_rows_stored(Index /*rows*/) {}
};

/// Threads, observer and interrupt flag of a long call.
struct Job {
  int threads = 1;                               ///< processor threads to use
  JobObserver* observer = nullptr;               ///< may be null, like the next
  const std::atomic<bool>* interrupt = nullptr;  ///< set from outside (e.g. by a signal handler) to stop the job

  /// Throws Interrupted if the flag is set; called between chunks of rows.
  void stop_if_interrupted() const {
    if (interrupt != nullptr && *interrupt) throw Interrupted();
  }
  /// Reports rows to the observer and throws Interrupted if the job is to stop.
  void report_rows(const char* activity, double share, Index rows) const {
    stop_if_interrupted();
    if (observer != nullptr) observer->on_rows(activity, share, rows);
  }
  /// Passes one line to the observer for display.
  void message(const std::string& text) const {
    if (observer != nullptr) observer->on_message(text);
  }
};

}  // namespace alacarte
