#pragma once
// Explains a model on given rows: the effect of its inputs on average and for one row.
#include <alacarte/app/job.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/explanation.hpp>
#include <optional>
#include <string>

namespace alacarte {

/// Options of explain().
struct ExplainOptions {
  Index background = 200;         ///< number of sampled rows to average over; >= 1
  Index inputs = 10;              ///< number of partial dependences, most influential inputs first
  Index values = 20;              ///< grid points of a numeric input in a partial dependence; >= 2
  Index interactions = 4;         ///< number of leading inputs whose pairs are examined; 0 or 1: no pairs
  Index repeats = 5;              ///< permutations of each input for its importance; >= 2
  std::optional<Index> row = {};  ///< data row to explain by Shapley values, counted from 1
  std::uint64_t seed = 0;         ///< seed of rows, permutations and orders
  std::string model_name = "model", data_name = "data";  ///< names in messages
};

/// Explains a model on encoded dense rows. Importance uses the rows with a finite target, weighted by their weights if
/// any. Throws ConfigError with why_no_explanation(), DataError if there are no rows or not that row, Interrupted.
/// Cost: see model/explanation.hpp.
Explanation explain(const FittedModel& model, const Dataset& rows, const ExplainOptions& options, const Job& job = {});

/// Explains a model on the rows of a table or rows file ("-" is standard input), held in memory; targets may be
/// missing. Throws as explain() and DatasetStream.
Explanation explain_file(const FittedModel& model, const std::string& path, const ExplainOptions& options,
                         const Job& job = {});

}  // namespace alacarte
