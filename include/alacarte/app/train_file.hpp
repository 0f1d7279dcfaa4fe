#pragma once
// Trains from a data file, in memory if the rows fit, otherwise from disk.
#include <alacarte/app/job.hpp>
#include <alacarte/app/split.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>

namespace alacarte {

/// Options of train_from_file() besides the recipe.
struct TrainFileOptions {
  std::uint64_t seed = 0;                   ///< seed of the draws, starts and subsamples
  Split split;                              ///< rows of the file to train without
  std::string checkpoint;                   ///< "" = none; see FitOptions::checkpoint_path
  bool resume = false;                      ///< resume from the checkpoint if it exists
  double memory_bytes = 0;                  ///< memory limit of the training; 0 = available_memory()
  std::string cache_dir = ".";              ///< folder of the temporary rows file, if needed
  const nlohmann::json* repeat = nullptr;   ///< see FitOptions::repeat
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
/// are read from disk in every pass, a table through a temporary rows file (data/convert.hpp). An interrupt during
/// training returns the best model so far. Throws ConfigError, DataError, IoError, NumericalError, MemoryLimitError,
/// and Interrupted if there is no model yet.
TrainedFile train_from_file(const Recipe& recipe, const std::string& path, const TrainFileOptions& options,
                            const Job& job = {});

}  // namespace alacarte
