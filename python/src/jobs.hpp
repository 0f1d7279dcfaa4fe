#pragma once
// Long work called from Python: releases the GIL, stops on Ctrl-C, and reports progress to a Python function.
#include <pybind11/pybind11.h>

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "optimise/trainer.hpp"

namespace alacarte::python {

/// Collects the progress of training threads for the thread that has the GIL.
class Relay final : public TrainingObserver {
 public:
  /// progress: None, or a function called with one dict per record.
  explicit Relay(pybind11::object progress) : progress_(std::move(progress)), wanted_(!progress_.is_none()) {}
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& message) override;

  /// Calls the Python function for the records since the last call. Requires the GIL; throws what it raises.
  void deliver();
  std::vector<std::string> messages();  ///< returns all messages so far

 private:
  pybind11::object progress_;
  const bool wanted_;
  std::mutex mutex_;
  std::deque<Progress> records_;
  std::vector<std::string> messages_;
};

/// Calls work(interrupt) on a new thread and waits for it without the GIL, polling Python's signals and `relay` (may be
/// null). If either raises, the interrupt flag is set and the exception is thrown after the work has ended, in place of
/// the work's own. The new thread also keeps OpenMP's team away from the calling thread, whose process may fork later.
/// Trainings run one at a time (`alone`): the number of BLAS threads is global.
void run_job(const std::function<void(const std::atomic<bool>& interrupt)>& work, bool alone, Relay* relay = nullptr);

/// Calls short work on the calling thread, which keeps the GIL, with a single-threaded BLAS: under the lock of the
/// trainings, or during one with its number of threads.
void run_briefly(const std::function<void()>& work);

/// Stops running work and waits for its end, for the exit of the interpreter.
void stop_jobs();

/// Clears the registry in a child process after fork(), where none of the parent's work runs.
void forget_jobs();

}  // namespace alacarte::python
