#pragma once
// Executes the runs of an experiment, each in its own process, several at a time, and keeps one result file per run.
#include <atomic>
#include <functional>
#include <string>
#include <vector>
#include "experiment.hpp"

namespace alacarte {

/// An experiment and the file it was read from.
struct ExperimentFile {
  std::string path, text;  ///< path; contents, byte for byte
  Experiment experiment;   ///< parsed contents
};

/// Reads the file. Throws IoError, and ConfigError as parse_experiment().
ExperimentFile read_experiment_file(const std::string& path);

/// Expands an experiment with the shipped catalogue; finds recipes beside it or by name, data by find_data().
std::vector<Run> expand(const ExperimentFile& file, const RunFilter& filter, ExpandRemarks& remarks);

/// Makes the folder of the results and keeps the experiment and the published numbers in it, so that a report needs
/// nothing else. Throws ConfigError if it holds another experiment, IoError.
void keep_experiment(const ExperimentFile& file, const std::string& folder);

/// Trains on the rows outside the fold and scores training and test rows. Returns the result document without "status":
/// data, program, machine, recipe, train, test, training, seconds, peak_mb, predictions (test rows, at most 2000).
/// Scores are in target units, and also standardised. Throws what reading and training throw. Cost: a training, and
/// predictions of all rows.
nlohmann::json execute_run(const Run& run);

/// Returns the fields of every result, done or failed: format, status, reason, experiment, trainer, unit, hash.
nlohmann::json result_frame(const Run& run, const std::string& status, const std::string& reason);

/// Progress of the runs of an experiment.
struct RunnerState {
  std::size_t runs = 0, done = 0, failed = 0, running = 0;  ///< done and failed include earlier calls
  double seconds_left = -1;                                 ///< -1 = unknown
};

/// Default silence, in seconds, after which a runner on another machine counts as dead.
inline constexpr double kLeaseSeconds = 60;

/// Options of execute_runs().
struct RunnerOptions {
  std::string folder;                ///< parent of results/, units/, logs/, leases/ and runners/
  std::vector<std::string> command;  ///< program and arguments that execute a run; UNIT_FILE RESULT_FILE are appended
  int jobs = 1;                      ///< concurrent processes
  double seconds = 0;                ///< time limit of a run, after which it is killed; 0 = none
  double memory_mb = 0;              ///< limit of a run's resident memory, beyond which it is killed; 0 = none
  bool retry = false;                ///< execute failed runs again
  double lease_seconds = kLeaseSeconds;          ///< silence after which a runner on another machine counts as dead
  const std::atomic<bool>* interrupt = nullptr;  ///< if set, runs in progress are killed and given back
  const std::atomic<bool>* wind_down = nullptr;  ///< if set, no further run starts; those in progress are completed
  /// Called between polls, never from another thread. reason: "" if the run was done.
  std::function<void(const RunnerState&)> on_state = {};
  /// Called after a run with its reason, "" if it was done, and its time.
  std::function<void(const Run&, const std::string& reason, double seconds)> on_finished = {};
};

/// Summary of execute_runs().
struct RunnerSummary {
  std::size_t done = 0, failed = 0, executed = 0;  ///< executed: in this call
  bool interrupted = false;                        ///< true if some runs were not started or not finished
};

std::string result_path(const std::string& folder, const Run& run);  ///< returns FOLDER/results/ID.json

/// Returns "done", "failed", or "" if there is no result that the run accepts (an unreadable result counts as none).
std::string result_status(const std::string& folder, const Run& run);

/// Returns the runner that holds a lease of the run, "HOST-PROCESS", or "".
std::string held_by(const std::string& folder, const Run& run);

/// Executes the missing runs in the given order. A run belongs to the runner that holds its lease (leases/ID), and its
/// process ends with the runner, so several runners on several machines may share a folder. The runs of a killed runner
/// are taken over, by one runner each, and its half-written files are removed. A failed run leaves a result with
/// "status": "failed" and the reason; its messages are in logs/ID.log. Throws IoError if the folder cannot be written
/// to (nothing is half-written then).
RunnerSummary execute_runs(const std::vector<Run>& runs, const RunnerOptions& options);

}  // namespace alacarte
