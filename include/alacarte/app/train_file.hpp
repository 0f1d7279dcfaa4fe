#pragma once
// Training from a data file, in memory if the rows fit, otherwise from disk.
#include <alacarte/app/job.hpp>
#include <alacarte/app/split.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>

namespace alacarte {

/// How train_from_file() trains, beside the recipe.
struct TrainFileOptions {
  std::uint64_t seed = 0;                   ///< of the draws, the starts and subsamples
  Split split;                              ///< rows of the file to train without
  std::string checkpoint;                   ///< "" = none; as FitOptions::checkpoint_path, and so is `resume`
  bool resume = false;                      ///< goes on from the checkpoint if it is there
  double memory_bytes = 0;                  ///< what the training may take; 0 = available_memory()
  std::string cache_dir = ".";              ///< folder of the temporary rows file, where one is needed
  const TrainingRecord* repeat = nullptr;   ///< as FitOptions::repeat
  const FittedModel* start_from = nullptr;  ///< as FitOptions::start_from
  std::string start_name = "model";         ///< as FitOptions::start_name
};

/// What train_from_file() returns.
struct TrainedFile {
  FittedModel model;    ///< model.training["held_out"] records the split
  Index file_rows = 0;  ///< rows of the file, held-out ones included
};

/// Reads a table (CSV, LIBSVM, NPY, IDX; "-" is standard input) or rows file and fits the recipe to the rows that are
/// not held out (train/fit.hpp). LIBSVM rows stay sparse where takes_sparse_rows(recipe). Rows that do not fit
/// `memory_bytes` are read from disk for every pass, a table by way of a temporary rows file (data/convert.hpp). An
/// interrupt during training gives the best model so far. Throws ConfigError, DataError, IoError, NumericalError,
/// MemoryLimitError, and Interrupted when there is no model yet.
TrainedFile train_from_file(const Recipe& recipe, const std::string& path, const TrainFileOptions& options,
                            const Job& job = {});

}  // namespace alacarte
