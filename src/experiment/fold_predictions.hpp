#pragma once
// Predictions of held-out rows: one file per fold, and one joined file.
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/prediction.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Writes the predictions of test rows as CSV: row (data row of the table, from 1), fold (from 0), target; then, for
/// regression and counts, mean, sd_observation, lower_observation and upper_observation (95 %); for classification,
/// label and p(NAME), or value(NAME), for each class. `schema`: names the classes. Throws IoError.
void write_fold_predictions(const std::string& path, Index fold, const Dataset& test, const Prediction& prediction,
                            const Schema& schema);

/// Joins such files into one, by row, then fold. Throws IoError if one cannot be read, DataError if the columns
/// (classes) of the folds differ. Memory: all of them.
void join_fold_predictions(const std::vector<std::string>& paths, const std::string& out);

}  // namespace alacarte
