#pragma once
// An experiment: data sets x methods x folds x seeds, as strict JSON, and the runs it stands for.
#include <alacarte/core/recipe.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "catalogue.hpp"
#include "own_table.hpp"

namespace alacarte {

/// What holds for every data set ("all"), for those of a group ("small", "medium", "large", "regression") and for one
/// (its name). Where several hold for a data set, the later in this order wins.
template <class Value>
using ByDatasets = std::map<std::string, Value>;

/// Changes of a recipe: KEY=JSON, as --set takes them.
using Overrides = std::vector<std::string>;

/// A column of the tables: a recipe, or a baseline that needs none ("mean", "knn").
struct Method {
  std::string label, recipe, baseline;  ///< heading of the column; name or path of the recipe, or in its place baseline
  ByDatasets<Overrides> overrides;      ///< of its recipe, after those of the experiment
};

/// A grid of data sets, methods, folds and seeds, as an experiment file states it.
struct Experiment {
  std::string name, description;           ///< for the report
  std::vector<std::string> datasets;       ///< names: of the catalogue, or of one of `tables`
  std::vector<OwnTable> tables;            ///< in the order of the file
  std::vector<Method> methods;             ///< columns of the tables
  ByDatasets<Overrides> overrides;         ///< of every recipe
  ByDatasets<std::vector<Index>> folds;    ///< nothing that holds = all of a data set
  std::vector<std::uint64_t> seeds = {0};  ///< each is a run of its own
  Index train_rows = 0;                    ///< largest number of training rows of a fold, drawn by the seed; 0 = all
  bool class_numbers = false;              ///< classification data sets too: regression on the number of the class
  int threads = 1;                         ///< of one run
  double seconds = 0;                      ///< limit of one run; 0 = none
  double memory_mb = 0;                    ///< limit of one run; 0 = none
  std::string paper;                       ///< CSV with the published numbers, beside the experiment file; "" = none
  /// Versions of other trainers (train/version.hpp) whose results count beside those of this program's.
  std::vector<std::string> trainers;
};

/// Keys: name, description, datasets [name | {file, name, folds | mask, data}], recipes [{label, recipe | baseline,
/// overrides}], overrides {group or name: {pointer: value}}, folds ([fold] | {group or name: [fold]}), seeds,
/// train_rows, class_numbers, threads, seconds, memory_mb, paper, trainers. Throws ConfigError with the JSON pointer:
/// unknown keys (with the nearest spelling), wrong types, values out of range, labels given twice.
Experiment parse_experiment(const nlohmann::json& json);

/// One training and its scores: all that a process needs to know.
struct Run {
  std::string id;                                                 ///< "servo.GM.f0.s0": name of its result file
  std::string experiment, dataset, label, recipe_name, baseline;  ///< names, as the experiment file has them
  Index fold = 0, folds = 0;             ///< folds > 0: k-fold by seed; else column `fold` of the mask
  Index train_rows = 0;                  ///< largest number of training rows; 0 = all
  std::uint64_t seed = 0;                ///< of the split, the rows drawn and the training
  int threads = 1;                       ///< of its process
  std::string data, mask;                ///< paths
  std::string data_sha256, mask_sha256;  ///< of these files
  nlohmann::json recipe;                 ///< resolved; null for baselines
  nlohmann::json data_section;           ///< of a baseline on a table of one's own; else null
  double flops = 0;                      ///< estimated, for the order of work
  /// CSV for the predictions of all test rows (fold_predictions.hpp); "" = not kept. No part of the hash.
  std::string predictions;
  /// Other trainers whose results count as this run's; not part of its JSON.
  std::vector<std::string> other_trainers;

  /// Version of the trainer that this program would run it with (train/version.hpp). Baselines do not train: always
  /// that of version 0.1.
  std::string trainer() const;
  /// SHA-256 of everything that decides the result: format, data, mask, fold, seed, training rows, threads, recipe or
  /// baseline, trainer. Results from before there were versions of trainers have the hash of version 1.
  std::string hash() const { return hash(trainer()); }
  std::string hash(const std::string& by_trainer) const;  ///< of the same run by a trainer of this version
  /// Whether a result of that hash counts as this run's: by this program's trainer or one of other_trainers.
  bool accepts(const std::string& result_hash) const;
};

nlohmann::json to_json(const Run& run);         ///< as a unit file has it
Run run_from_json(const nlohmann::json& json);  ///< throws ConfigError on a malformed document

/// Callbacks by which expand() finds recipes and data.
struct ExperimentSources {
  /// By name, with overrides KEY=JSON; throws ConfigError and IoError.
  std::function<Recipe(const std::string& name, const std::vector<std::string>& overrides)> recipe;
  std::function<std::string(const DatasetEntry&)> data;  ///< path; throws IoError where there is none
  std::function<std::string(const DatasetEntry&)> mask;  ///< path; throws IoError where there is none
  /// Path of a file that a table of one's own names; throws IoError where there is none.
  std::function<std::string(const std::string&)> file = {};
};

/// Which runs to take: "" = any. fold -1 = any.
struct RunFilter {
  std::string dataset, label;  ///< names
  Index fold = -1;             ///< from 0; -1 = any
};

/// What expand() says of data sets.
struct ExpandRemarks {
  std::vector<std::string> lines;   ///< for people: left out since its files are not there, or they differ
  std::vector<std::string> absent;  ///< names of those that were left out
};

/// All runs, cheap ones first (ties in the order of the file). `remarks` gets a line for each data set that is left
/// out because its files are not there, and for each whose files differ from the catalogue's sums. Throws ConfigError
/// for names that are not in the catalogue or no regressions, folds that do not exist and a filter that fits nothing.
/// Cost: reads every data file once for its SHA-256.
std::vector<Run> expand(const Experiment& experiment, const Catalogue& catalogue, const ExperimentSources& sources,
                        const RunFilter& filter, ExpandRemarks& remarks);

/// Floating-point operations that training a recipe on n rows of d inputs will take, from the cost formulas of
/// inference/inference.hpp: an order of magnitude, without drawing any map.
double estimated_flops(const Recipe& recipe, Index rows, Index inputs);

}  // namespace alacarte
