#pragma once
// Predictions of the rows that a fold holds out, as a file for each fold and as one for all.
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/prediction.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// The predictions of test rows as CSV: row (data row of the table, from 1), fold (from 0), target; then, of numbers
/// and counts, mean, sd_observation, lower_observation and upper_observation (95 %), of classes label and p(NAME), or
/// value(NAME), for each class. `schema`: names the classes. Throws IoError.
void write_fold_predictions(const std::string& path, Index fold, const Dataset& test, const Prediction& prediction,
                            const Schema& schema);

/// Joins such files into one, by row, then fold. Throws IoError where one cannot be read, and DataError where the folds
/// do not have the same columns (classes). Memory: all of them.
void join_fold_predictions(const std::vector<std::string>& paths, const std::string& out);

}  // namespace alacarte
