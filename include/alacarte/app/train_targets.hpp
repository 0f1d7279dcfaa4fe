#pragma once
// Training of several targets from a data file.
#include <alacarte/app/train_file.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// The target columns that `target` of a recipe's data section names, in its order: "price,rent" are two, unless a
/// column has that very name. Opens the file where there is a comma. Throws ConfigError for one that is named twice or
/// left empty, DataError, IoError.
std::vector<std::string> target_columns(const std::string& path, const DataConfig& config);

/// The data section of target t of several: the others are no inputs.
DataConfig config_of_target(const DataConfig& config, const std::vector<std::string>& targets, std::size_t t);

/// Models of several targets of the same rows, in the order of `targets`: with one kernel for all (fit_targets()), or,
/// where recipe.targets says so, one after the other by fit(), whose share of training.seconds is equal. A row without
/// one of the targets is an error, or dropped from all under "missing": "drop". Rows are trained on in memory. After
/// an interrupt independent targets that are still to come take one evaluation each, so that all have a model. Throws
/// as train_from_file(), and ConfigError for what several targets do not have: classes, sparse rows, rows files,
/// options.repeat, options.start_from, and a checkpoint of independent ones.
std::vector<FittedModel> train_targets_from_file(const Recipe& recipe, const std::vector<std::string>& targets,
                                                 const std::string& path, const TrainFileOptions& options,
                                                 const Job& job = {});

}  // namespace alacarte
