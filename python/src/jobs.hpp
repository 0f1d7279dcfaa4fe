#pragma once
// Long work called from Python: the GIL is free, Ctrl-C stops it, and its progress reaches a Python function.
#include <pybind11/pybind11.h>

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "optimise/trainer.hpp"

namespace alacarte::python {

/// Collects what a training tells, from its threads, for the thread that has the GIL.
class Relay final : public TrainingObserver {
 public:
  /// `progress`: called with one dict for each record, or None.
  explicit Relay(pybind11::object progress) : progress_(std::move(progress)), wanted_(!progress_.is_none()) {}
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& message) override;

  /// Calls the Python function for what has come since the last call. With the GIL; throws what it raises.
  void deliver();
  std::vector<std::string> messages();  ///< all so far

 private:
  pybind11::object progress_;
  const bool wanted_;
  std::mutex mutex_;
  std::deque<Progress> records_;
  std::vector<std::string> messages_;
};

/// Calls work(interrupt) on a thread of its own and waits for it without the GIL, looking for Python's signals and
/// `relay` (may be null) between. What either raises sets the interrupt flag and is thrown when the work has ended, in
/// place of what the work threw. A thread of its own also keeps OpenMP's team away from the calling thread, whose
/// process may fork later. Trainings run one at a time (`alone`): the number of BLAS threads is the process's.
void run_job(const std::function<void(const std::atomic<bool>& interrupt)>& work, bool alone, Relay* relay = nullptr);

/// Calls short work on the calling thread, which keeps the GIL, with a single-threaded BLAS: under the lock of the
/// trainings, or while one runs with the threads that it has.
void run_briefly(const std::function<void()>& work);

/// Stops the work that runs and waits for its end: for the exit of the interpreter.
void stop_jobs();

/// In a child process after fork(), in which none of the parent's work runs.
void forget_jobs();

}  // namespace alacarte::python
