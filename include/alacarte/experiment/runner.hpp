#pragma once
// Runs the units of an experiment, each in a process of its own, several at a time, and keeps one result file a unit.
#include <alacarte/experiment/experiment.hpp>
#include <atomic>
#include <string>
#include <vector>

namespace alacarte {

struct RunState {
  std::size_t units = 0, done = 0, failed = 0, running = 0;  ///< done and failed: with those of earlier runs
  double seconds_left = -1;                                  ///< -1 = not known yet
};

/// Called between polls, never from another thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_state(const RunState& state) = 0;
  /// reason: "" when it was done.
  virtual void on_finished(const Unit& unit, const std::string& reason, double seconds) = 0;
};

struct RunOptions {
  std::string folder;                ///< results/, units/, logs/ and locks/ are made below it
  std::vector<std::string> command;  ///< program and arguments that run a unit; UNIT_FILE RESULT_FILE are appended
  int jobs = 1;                      ///< processes at a time
  double seconds = 0;                ///< limit of a unit, then it is killed; 0 = none
  double memory_mb = 0;              ///< limit of a unit's resident memory, then it is killed; 0 = none
  bool retry = false;                ///< units that failed are run again
  RunObserver* observer = nullptr;
  const std::atomic<bool>* interrupt = nullptr;  ///< when set, running units are killed and nothing is recorded of them
};

struct RunSummary {
  std::size_t done = 0, failed = 0, run = 0;  ///< run: by this call
  bool interrupted = false;
};

std::string result_path(const std::string& folder, const Unit& unit);

/// "done", "failed", or "" when there is no result with the unit's hash (an unreadable result counts as none).
std::string result_status(const std::string& folder, const Unit& unit);

/// Runs what is missing, in the order given. A unit belongs to whoever holds the lock on locks/ID.lock, and its process
/// dies with the runner, so several runners may share a folder and a killed one leaves nothing behind but its unit
/// undone. A unit that ends badly leaves a result with "status": "failed" and the reason; its messages are in
/// logs/ID.log. Throws IoError when the folder cannot be written to (nothing is half-written then).
RunSummary run_units(const std::vector<Unit>& units, const RunOptions& options);

}  // namespace alacarte
