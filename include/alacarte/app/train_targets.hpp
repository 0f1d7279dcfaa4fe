#pragma once
// Trains several targets from a data file.
#include <alacarte/app/train_file.hpp>
#include <string>
#include <vector>

namespace alacarte {

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

}  // namespace alacarte
