#pragma once
// Executes the runs of an experiment, each in a process of its own, several at a time, and keeps one result file a run.
#include <atomic>
#include <functional>
#include <string>
#include <vector>
#include "experiment.hpp"

namespace alacarte {

/// An experiment with the file it was read from.
struct ExperimentFile {
  std::string path, text;  ///< where it lies; what it holds, byte for byte
  Experiment experiment;   ///< the same, read
};

/// Throws IoError, and ConfigError as parse_experiment().
ExperimentFile read_experiment_file(const std::string& path);

/// expand() with the catalogue that ships; recipes lie beside the experiment or are found by name, data where
/// find_data() looks.
std::vector<Run> expand(const ExperimentFile& file, const RunFilter& filter, ExpandRemarks& remarks);

/// Makes the folder of the results and keeps in it what they are made from, the experiment and the published numbers,
/// so that a report needs nothing else. Throws ConfigError when it holds another experiment, IoError.
void keep_experiment(const ExperimentFile& file, const std::string& folder);

/// Trains on the rows outside the fold and scores training and test rows. The result document without "status": data,
/// program, machine, recipe, train, test, training, seconds, peak_mb, predictions (test rows, at most 2000). Scores are
/// in the unit of the target, and standardised beside it. Throws what reading and training throw. Cost: a training, and
/// predictions of all rows.
nlohmann::json execute_run(const Run& run);

/// The frame every result has, done or failed: format, status, reason, experiment, trainer, unit, hash.
nlohmann::json result_frame(const Run& run, const std::string& status, const std::string& reason);

/// How far the runs of an experiment are.
struct RunnerState {
  std::size_t runs = 0, done = 0, failed = 0, running = 0;  ///< done and failed: with those of earlier calls
  double seconds_left = -1;                                 ///< -1 = not known yet
};

/// So long a runner of another machine may be silent, unless an option says otherwise.
inline constexpr double kLeaseSeconds = 60;

/// How execute_runs() runs.
struct RunnerOptions {
  std::string folder;                ///< results/, units/, logs/, leases/ and runners/ are made below it
  std::vector<std::string> command;  ///< program and arguments that execute a run; UNIT_FILE RESULT_FILE are appended
  int jobs = 1;                      ///< processes at a time
  double seconds = 0;                ///< limit of a run, then it is killed; 0 = none
  double memory_mb = 0;              ///< limit of a run's resident memory, then it is killed; 0 = none
  bool retry = false;                ///< failed runs are executed again
  double lease_seconds = kLeaseSeconds;          ///< a runner on another machine that is silent for so long is dead
  const std::atomic<bool>* interrupt = nullptr;  ///< set: runs in progress are killed and given back
  const std::atomic<bool>* wind_down = nullptr;  ///< set: no further run is started, those in progress are completed
  /// Called between polls, never from another thread, where they are given. reason: "" when it was done.
  std::function<void(const RunnerState&)> on_state = {};
  /// Of a run, with its reason, "" when it was done, and its time.
  std::function<void(const Run&, const std::string& reason, double seconds)> on_finished = {};
};

/// What execute_runs() did.
struct RunnerSummary {
  std::size_t done = 0, failed = 0, executed = 0;  ///< executed: by this call
  bool interrupted = false;                        ///< some runs were not begun or not finished
};

std::string result_path(const std::string& folder, const Run& run);  ///< FOLDER/results/ID.json

/// "done", "failed", or "" when there is no result that the run accepts (an unreadable result counts as none).
std::string result_status(const std::string& folder, const Run& run);

/// The runner that has a lease of the run, "HOST-PROCESS", or "".
std::string held_by(const std::string& folder, const Run& run);

/// Executes the missing runs, in the order given. A run belongs to the runner that holds its lease (leases/ID), and its
/// process ends with the runner, so several runners, also on several machines, may share a folder. The runs of a killed
/// one are taken over, by one runner each, and what it left half written is removed. A run that ends badly leaves a
/// result with "status": "failed" and the reason; its messages are in logs/ID.log. Throws IoError when the folder
/// cannot be written to (nothing is half-written then).
RunnerSummary execute_runs(const std::vector<Run>& runs, const RunnerOptions& options);

}  // namespace alacarte
