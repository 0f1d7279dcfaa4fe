#pragma once
// An experiment: data sets x methods x folds x seeds, as strict JSON, and its runs.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "catalogue.hpp"

namespace alacarte {

/// Entry of "datasets" that is an object. Keys: file, name (default: that of the file), folds (default 10) or mask,
/// data (a recipe's data section, which overrides that of the recipes).
struct OwnTable {
  std::string name;             ///< name in the experiment and its report
  std::string file;             ///< path, beside the experiment file or resolved by find_data()
  std::string mask;             ///< CSV of 0/1 with a column per fold; "" = a random partition
  Index folds = 10;             ///< number of folds of the random partition
  nlohmann::json data_section;  ///< keys beside the recipes' own section
};

/// Parses an entry. Throws ConfigError with the JSON pointer: unknown keys, wrong types, both folds and mask, and a
/// data section that no recipe could have.
OwnTable parse_own_table(const nlohmann::json& json, const std::string& pointer);

/// Returns the name of an entry of "datasets": a catalogue name, or a table's name by parse_own_table(). Throws
/// ConfigError.
std::string dataset_name(const nlohmann::json& entry, const std::string& pointer);

/// Returns the options for reading the table: its data section with the defaults of a recipe.
DataConfig data_config(const nlohmann::json& data_section);
/// Returns the section as overrides of a recipe: "/data/KEY=JSON".
std::vector<std::string> data_overrides(const nlohmann::json& data_section);

/// Returns the table as a catalogue entry: group and task "own". Throws ConfigError for a rows file, and what opening
/// the table throws. Cost: a pass over the file to count its rows.
DatasetEntry catalogue_entry(const OwnTable& table, const std::string& data_path, const std::string& mask_path);

/// Values for every data set ("all"), for a group ("small", "medium", "large", "regression") and for one data set (its
/// name). The most specific one wins.
template <class Value>
using ByDatasets = std::map<std::string, Value>;

/// Changes to a recipe: KEY=JSON, as for --set.
using Overrides = std::vector<std::string>;

/// A column of the tables: a recipe, or a baseline without one ("mean", "knn").
struct Method {
  std::string label, recipe, baseline;  ///< heading of the column; name or path of the recipe; or else baseline
  ByDatasets<Overrides> overrides;      ///< applied to its recipe after those of the experiment
};

/// A grid of data sets, methods, folds and seeds, as an experiment file states it.
struct Experiment {
  std::string name, description;           ///< shown in the report
  std::vector<std::string> datasets;       ///< names in the catalogue or in `tables`
  std::vector<OwnTable> tables;            ///< in file order
  std::vector<Method> methods;             ///< columns of the tables
  ByDatasets<Overrides> overrides;         ///< applied to every recipe
  ByDatasets<std::vector<Index>> folds;    ///< none = all folds of a data set
  std::vector<std::uint64_t> seeds = {0};  ///< each makes a separate run
  Index train_rows = 0;                    ///< maximum number of training rows per fold, drawn by the seed; 0 = all
  bool class_numbers = false;              ///< accept classification data sets, by regression on the class index
  int threads = 1;                         ///< threads per run
  double seconds = 0;                      ///< time limit of a run; 0 = none
  double memory_mb = 0;                    ///< memory limit of a run; 0 = none
  std::string paper;                       ///< CSV of published numbers beside the experiment file; "" = none
  /// Versions of other trainers (train/version.hpp) whose results count like this program's.
  std::vector<std::string> trainers;
};

/// Parses an experiment. Keys: name, description, datasets [name | {file, name, folds | mask, data}], recipes [{label,
/// recipe | baseline, overrides}], overrides {group or name: {pointer: value}}, folds ([fold] | {group or name:
/// [fold]}), seeds, train_rows, class_numbers, threads, seconds, memory_mb, paper, trainers. Throws ConfigError with
/// the JSON pointer: unknown keys (with the nearest spelling), wrong types, values out of range, repeated labels.
Experiment parse_experiment(const nlohmann::json& json);

/// One training and its scores, complete for a separate process.
struct Run {
  std::string id;                                                 ///< "servo.GM.f0.s0": name of its result file
  std::string experiment, dataset, label, recipe_name, baseline;  ///< names as in the experiment file
  Index fold = 0, folds = 0;             ///< folds > 0: k-fold by seed; else column `fold` of the mask
  Index train_rows = 0;                  ///< maximum number of training rows; 0 = all
  std::uint64_t seed = 0;                ///< seed of the split, the rows drawn and the training
  int threads = 1;                       ///< threads of its process
  std::string data, mask;                ///< paths
  std::string data_sha256, mask_sha256;  ///< sums of these files
  nlohmann::json recipe;                 ///< resolved; null for baselines
  nlohmann::json data_section;           ///< baseline on a user table: its section; else null, also of the catalogue
  double flops = 0;                      ///< estimated operations, to order the work
  /// CSV for the predictions of all test rows (fold_predictions.hpp); "" = not kept. Not part of the hash.
  std::string predictions;
  /// Other trainers whose results count as this run's; not in its JSON.
  std::vector<std::string> other_trainers;

  /// Returns the version of the trainer that this program would use (train/version.hpp). Baselines do not train: always
  /// that of version 0.1.
  std::string trainer() const;
  /// Returns the SHA-256 of everything that determines the result: format, data, mask, fold, seed, training rows,
  /// threads, recipe or baseline, trainer. Results older than trainer versions have the hash of version 1.
  std::string hash() const { return hash(trainer()); }
  std::string hash(const std::string& by_trainer) const;  ///< hash of the same run by a trainer of this version
  /// Returns true if a result with that hash counts as this run's: by this program's trainer or one of other_trainers.
  bool accepts(const std::string& result_hash) const;
};

nlohmann::json to_json(const Run& run);         ///< returns the contents of a unit file
Run run_from_json(const nlohmann::json& json);  ///< throws ConfigError on a malformed document

/// Callbacks of expand() that find recipes and data.
struct ExperimentSources {
  /// Reads a recipe by name, with overrides KEY=JSON; throws ConfigError and IoError.
  std::function<Recipe(const std::string& name, const std::vector<std::string>& overrides)> recipe;
  std::function<std::string(const DatasetEntry&)> data;  ///< path; throws IoError if missing
  std::function<std::string(const DatasetEntry&)> mask;  ///< path; throws IoError if missing
  /// Path of a file that a user table names; throws IoError if missing.
  std::function<std::string(const std::string&)> file = {};
};

/// Selection of runs: "" = any. fold -1 = any.
struct RunFilter {
  std::string dataset, label;  ///< names
  Index fold = -1;             ///< from 0; -1 = any
};

/// Remarks of expand() on data sets.
struct ExpandRemarks {
  std::vector<std::string> lines;   ///< for people: data sets left out or with files that differ
  std::vector<std::string> absent;  ///< names of the data sets left out
};

/// Returns all runs, cheap ones first (ties in file order). `remarks` gets a line for each data set left out because
/// its files are missing, and for each whose files differ from the catalogue's sums. Throws ConfigError for names that
/// are not in the catalogue or no regressions, folds that do not exist and a filter that matches nothing. Cost: reads
/// every data file once for its SHA-256.
std::vector<Run> expand(const Experiment& experiment, const Catalogue& catalogue, const ExperimentSources& sources,
                        const RunFilter& filter, ExpandRemarks& remarks);

/// Estimates the floating-point operations of training a recipe on n rows of d inputs, from the cost formulas of
/// inference/inference.hpp: an order of magnitude, without drawing any map.
double estimated_flops(const Recipe& recipe, Index rows, Index inputs);

/// Returns a JSON schema (draft 7) of the input of parse_experiment(). "data" of a table is that of recipe_schema().
nlohmann::json experiment_schema();

}  // namespace alacarte
