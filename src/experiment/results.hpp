#pragma once
// Results of an experiment: one JSON file per run.
#include <alacarte/core/types.hpp>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>
#include "spectrum/density.hpp"

namespace alacarte {

/// Measures in the tables, over test rows, in target units; accuracy, log_loss and ece are for classification.
enum class Measure { rmse, nlpd, crps, coverage95, accuracy, log_loss, ece, train_seconds, predict_seconds, peak_mb };
/// All measures, in table order.
inline constexpr Measure kMeasures[] = {
    Measure::rmse,     Measure::nlpd, Measure::crps,          Measure::coverage95,      Measure::accuracy,
    Measure::log_loss, Measure::ece,  Measure::train_seconds, Measure::predict_seconds, Measure::peak_mb};
/// Returns the name in CSV files.
inline const char* name_of(Measure measure) {
  static constexpr const char* kNames[] = {"rmse",     "nlpd", "crps",          "coverage95",      "accuracy",
                                           "log_loss", "ece",  "train_seconds", "predict_seconds", "peak_mb"};
  return kNames[static_cast<std::size_t>(measure)];
}

/// One fit of a run, from its result file.
struct FitRecord {
  std::string name;                          ///< name of the member: "gm"
  std::vector<double> trace;                 ///< negative log posterior by iteration; may be empty
  std::vector<double> relevance;             ///< relevance per input; may be empty
  std::shared_ptr<const Spectrum> spectrum;  ///< null: no spectrum is known for the family
  /// Standard deviations by component, in target units, and the noise; empty if read from a result file.
  std::vector<std::pair<std::string, double>> amplitudes;
};

/// One run: a data set, a method, a fold and a seed.
struct RunResult {
  std::string file;            ///< file name without folder; for results of other programs, that of the CSV
  std::string hash;            ///< hash of all settings; "" for results of other programs
  std::string settings;        ///< SHA-256 of rows, mask and recipe; "" if the run failed or another program made it
  std::string trainer;         ///< version (train/version.hpp); "" in results older than trainer versions: the first
  std::string dataset, label;  ///< names
  Index fold = 0;              ///< from 0
  Index folds = 0;             ///< size of the partition by the seed; 0 = a mask, or unknown
  std::int64_t seed = 0;       ///< seed of the run
  bool done = false;           ///< false if it failed
  std::string reason;          ///< reason of a failure
  std::string model;           ///< model of the recipe; empty without one
  Index components = 0, frequencies = 0;      ///< sizes of the recipe's features; 0 = none
  std::string family;                         ///< recipe without these two numbers, for comparison with others
  Index rows = 0, inputs = 0, test_rows = 0;  ///< size of the data set and of the fold; 0 = unknown
  std::map<Measure, double> values;           ///< measures in the file
  std::map<int, double> coverage;             ///< share of test rows inside the central intervals of 50, 90, 95 %
  std::vector<FitRecord> fits;                ///< one per member of a mixture
  std::vector<std::string> input_names;       ///< empty: unknown
  std::vector<double> target, mean, sd;       ///< test rows; may be empty
  std::vector<double> lower, upper;           ///< 95 % intervals of the test rows; empty: mean -+ 1.96 sd
  std::string program, machine;               ///< one line each; may be empty
};

/// Result file that could not be read, or does not count.
struct BrokenFile {
  std::string file, reason;  ///< path; one-line description of the fault
};

/// Input of a report: all results.
struct ResultSet {
  std::string name, description;              ///< from the experiment file; empty without one
  std::vector<std::string> datasets, labels;  ///< in the order of the experiment file; empty without one
  std::map<std::string, Index> tables;        ///< folds of data sets that are user tables; 0 = unknown
  std::vector<RunResult> runs;                ///< in order of file names
  std::vector<BrokenFile> broken;             ///< files that count nowhere
};

/// Parses one result document. Throws ConfigError with the JSON pointer: unknown or missing keys, wrong types, arrays
/// of different lengths, a status that is neither "done" nor "failed". Scores, training and program may hold more keys
/// than are known here.
RunResult parse_result(const nlohmann::json& json);

/// Reads results from a folder (FOLDER/experiment.json if present, and every FOLDER/results/*.json) or from a file that
/// store_results() (stored.hpp) wrote. A result that cannot be read, is malformed or repeats a run goes to `broken`; so
/// do results of a data set and method with other rows, another partition or another recipe than the newest. Throws
/// IoError if there is no results folder or it holds no JSON file, ConfigError if the file was not written by
/// store_results().
ResultSet read_results(const std::string& place);

/// Merges a second experiment for one report over both. A run in both counts once if its hash is the same, and as done
/// if it is done in either; throws ConfigError if the hashes differ.
void add_results(const ResultSet& more, ResultSet& results);

/// Removes from a recipe, as to_json() makes it, the fields that later program versions added if they have their
/// defaults, so that older results still match the recipe. New fields must be listed there.
void forget_defaults(nlohmann::json& recipe);

}  // namespace alacarte
