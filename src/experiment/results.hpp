#pragma once
// Results of an experiment: one JSON file for each run.
#include <alacarte/core/types.hpp>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "spectrum/density.hpp"

namespace alacarte {

/// What the tables show of a unit. Test rows; scores in the unit of the target; accuracy, log_loss and ece of classes.
enum class Measure { rmse, nlpd, crps, coverage95, accuracy, log_loss, ece, train_seconds, predict_seconds, peak_mb };
/// All of them, in the order of the tables.
inline constexpr Measure kMeasures[] = {
    Measure::rmse,     Measure::nlpd, Measure::crps,          Measure::coverage95,      Measure::accuracy,
    Measure::log_loss, Measure::ece,  Measure::train_seconds, Measure::predict_seconds, Measure::peak_mb};
/// The name in CSV files.
inline const char* name_of(Measure measure) {
  static constexpr const char* kNames[] = {"rmse",     "nlpd", "crps",          "coverage95",      "accuracy",
                                           "log_loss", "ece",  "train_seconds", "predict_seconds", "peak_mb"};
  return kNames[static_cast<std::size_t>(measure)];
}

/// One fit of a run, as its result file tells it.
struct FitRecord {
  std::string name;                          ///< of the member: "gm"
  std::vector<double> trace;                 ///< negative log posterior by iteration; may be empty
  std::vector<double> relevance;             ///< of the inputs; may be empty
  std::shared_ptr<const Spectrum> spectrum;  ///< null: not of a family with a known one
  /// Standard deviations by component, in the unit of the target, and the noise; empty where only a result file is.
  std::vector<std::pair<std::string, double>> amplitudes;
};

/// One run: a data set, a method, a fold and a seed.
struct RunResult {
  std::string file;      ///< name without folder; that of the CSV for results of other programs
  std::string hash;      ///< of everything that decided it; "" for results of other programs
  std::string settings;  ///< SHA-256 of rows, mask and recipe; "" if it failed, or for results of other programs
  std::string trainer;   ///< its version (train/version.hpp); "" in results from before there were such: the first
  std::string dataset, label;                 ///< names
  Index fold = 0;                             ///< from 0
  Index folds = 0;                            ///< of a partition by the seed; 0 = a mask, or not said
  std::int64_t seed = 0;                      ///< of the run
  bool done = false;                          ///< otherwise it failed
  std::string reason;                         ///< why it failed
  std::string model;                          ///< of the recipe; empty without one
  Index components = 0, frequencies = 0;      ///< of the recipe's features; 0 = has none
  std::string family;                         ///< the recipe without these two numbers, to compare with others
  Index rows = 0, inputs = 0, test_rows = 0;  ///< of the data set and of the fold; 0 = not said
  std::map<Measure, double> values;           ///< those that the file has
  std::map<int, double> coverage;             ///< share of test rows inside the central interval of 50, 90, 95 %
  std::vector<FitRecord> fits;                ///< one for each member of a mixture
  std::vector<std::string> input_names;       ///< empty: not said
  std::vector<double> target, mean, sd;       ///< of test rows; may be empty
  std::string program, machine;               ///< one line each; may be empty
};

/// A result file that could not be read, or does not count.
struct BrokenFile {
  std::string file, reason;  ///< path; what is wrong with it, in one line
};

/// All results that a report is made of.
struct ResultSet {
  std::string name, description;              ///< of the experiment file; empty without one
  std::vector<std::string> datasets, labels;  ///< in the order of the experiment file; empty without one
  std::map<std::string, Index> tables;        ///< data sets that are tables of one's own: their folds; 0 = not said
  std::vector<RunResult> runs;                ///< by file name
  std::vector<BrokenFile> broken;             ///< files that count nowhere
};

/// Reads one result document. Throws ConfigError with the JSON pointer: unknown or missing keys, wrong types, arrays of
/// different lengths, a status that is neither "done" nor "failed". Scores, training and program may hold more keys
/// than are known here.
RunResult parse_result(const nlohmann::json& json);

/// What is at `place`. A folder: FOLDER/experiment.json if it is there, and every FOLDER/results/*.json. A file: what
/// store_results() (stored.hpp) wrote. A result that cannot be read, is malformed or repeats a run goes to `broken`; so
/// do those of a data set and method that were made of other rows, another partition or another recipe than the newest.
/// Throws IoError when there is no results folder or it holds no JSON file, ConfigError when the file was not written
/// by store_results().
ResultSet read_results(const std::string& place);

/// Joins a second experiment, for one report over both. A run that both have counts once when its hash is the same, and
/// as done when it is in one of them; throws ConfigError where the hash is not the same.
void add_results(const ResultSet& more, ResultSet& results);

}  // namespace alacarte
