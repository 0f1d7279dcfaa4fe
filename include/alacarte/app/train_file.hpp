#pragma once
// Trains from a data file, in memory if the rows fit, otherwise from disk; holds rows out, trains several targets, and
// teaches a trained model further rows.
#include <alacarte/app/job.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/model/training_record.hpp>
#include <alacarte/model/update.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

// Selects held-out rows of a file: by a mask, as one fold of a partition, or as a share.

/// At most one of: `mask` with `fold`; `folds` with `fold`; `holdout`. A split with the same seed holds out the same
/// rows in training and evaluation. Partition and share are random; of whole groups under DataConfig::group; under
/// DataConfig::time a fold tests a window of time, and is trained on what is before it, and a share is the last one.
struct Split {
  std::string mask;        ///< CSV of 0/1: a row per data row, a column per fold (data/splits.hpp)
  Index fold = -1;         ///< held-out fold, from 0
  Index folds = 0;         ///< number of folds of the random partition
  double holdout = 0;      ///< random share, between 0 and 1
  std::uint64_t seed = 0;  ///< seed of the random partition or share
  /// Returns true if any rows are held out.
  bool given() const { return !mask.empty() || fold >= 0 || folds > 0 || holdout > 0; }
};

/// Marks the held-out rows of a file with `rows` data rows; empty if no split is given. Random splits of classes are
/// stratified: classes() is called if needed and returns the class of each row (read_classes()); null for a numeric
/// target. columns: those of all rows, by which shares and folds are split instead, whatever the classes. Throws as
/// read_mask(), k_fold(), hold_out(), and ConfigError for fewer than two groups, for fewer groups than folds, and for
/// no more distinct times than folds.
std::vector<bool> held_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes,
                                const SplitColumns& columns = {});
/// Marks the rows that a training leaves out: those held out, and with folds in time all later ones. Throws as
/// held_out_rows().
std::vector<bool> left_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes,
                                const SplitColumns& columns = {});
/// Marks the held-out rows of the file at `path`, read with this schema. Throws DataError unless it has `expected_rows`
/// data rows (0 = any number), and as above.
std::vector<bool> held_out_rows(const Split& split, const std::string& path, const Schema& schema,
                                Index expected_rows = 0);

/// Returns the record of a split in the model file, which reproduces the held-out rows; nothing if no split is given.
/// rows: data rows of the file. data: has the column, if any, by which the rows were split.
std::optional<SplitRecord> record_of(const Split& split, Index rows, const DataConfig& data = {});
Split split_of(const SplitRecord& record);  ///< throws IoError for a malformed record

/// Options of train_from_file() besides the recipe.
struct TrainFileOptions {
  std::uint64_t seed = 0;                   ///< seed of the draws, starts and subsamples
  Split split;                              ///< rows of the file to train without
  std::string checkpoint;                   ///< "" = none; see FitOptions::checkpoint_path
  bool resume = false;                      ///< resume from the checkpoint if it exists
  double memory_bytes = 0;                  ///< memory limit of the training; 0 = available_memory()
  std::string cache_dir = ".";              ///< folder of the temporary rows file, if needed
  const TrainingRecord* repeat = nullptr;   ///< see FitOptions::repeat
  const FittedModel* start_from = nullptr;  ///< see FitOptions::start_from
  std::string start_name = "model";         ///< see FitOptions::start_name
};

/// Result of train_from_file().
struct TrainedFile {
  FittedModel model;    ///< model.training["held_out"] records the split
  Index file_rows = 0;  ///< rows of the file, held-out ones included
};

/// Reads a table (CSV, LIBSVM, NPY, IDX; "-" is standard input) or rows file and fits the recipe to the rows that are
/// not held out (train/fit.hpp). LIBSVM rows stay sparse if takes_sparse_rows(recipe). Rows that exceed `memory_bytes`
/// are read from disk in every pass, a table through a temporary rows file (data/rows_file.hpp). An interrupt during
/// training returns the best model so far. Throws ConfigError, DataError, IoError, NumericalError, MemoryLimitError,
/// and Interrupted if there is no model yet.
TrainedFile train_from_file(const Recipe& recipe, const std::string& path, const TrainFileOptions& options,
                            const Job& job = {});

// Trains several targets from a data file.

/// Returns the target columns that `target` of a recipe's data section names, in its order: "price,rent" means two,
/// unless a column has that very name. Opens the file if there is a comma. Throws ConfigError for an empty or repeated
/// name, DataError, IoError.
std::vector<std::string> target_columns(const std::string& path, const DataConfig& config);

/// Returns the data section of target t of several; the other targets are not inputs.
DataConfig config_of_target(const DataConfig& config, const std::vector<std::string>& targets, std::size_t t);

/// Trains models of several targets of the same rows, in the order of `targets`: with one kernel for all
/// (fit_targets()) or, if recipe.targets says so, one after the other by fit() with equal shares of training.seconds. A
/// row without one of the targets is an error, or dropped from all under "missing": "drop". Rows are held in memory.
/// After an interrupt each remaining independent target takes one evaluation, so that all have a model. Throws as
/// train_from_file(), and ConfigError for what several targets do not support: classification, sparse rows, rows files,
/// options.repeat, options.start_from, and a checkpoint of independent targets.
std::vector<FittedModel> train_targets_from_file(const Recipe& recipe, const std::vector<std::string>& targets,
                                                 const std::string& path, const TrainFileOptions& options,
                                                 const Job& job = {});

// Adds the rows of a file to a model, in constant memory for models of features.

/// Returns the model of its rows and those of a table or rows file with the target column ("-" is standard input), read
/// once in chunks; options.threads and options.data come from the job and the path. Throws as ModelUpdate, DataError
/// for rows that do not fit the model or no rows, IoError, Interrupted.
FittedModel update_from_file(const FittedModel& model, const std::string& path, UpdateOptions options,
                             const Job& job = {});

}  // namespace alacarte
