#pragma once
// Explains a model by rows: what its inputs do to the prediction, on average and for one row.
#include <alacarte/app/job.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/explanation.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// What explain() computes.
struct ExplainOptions {
  Index background = 200;         ///< rows, drawn from those given, that are averaged over; >= 1
  Index inputs = 10;              ///< partial dependences: of that many inputs, those that change the predictions most
  Index values = 20;              ///< of a number, in a partial dependence; >= 2
  Index interactions = 4;         ///< inputs whose pairs are looked at, the first of those; 0 or 1: no pairs
  Index repeats = 5;              ///< permutations of each input for its importance; >= 2
  std::optional<Index> row = {};  ///< data row of the file, counted from 1, that is explained by Shapley values
  std::uint64_t seed = 0;         ///< of rows, permutations and orders
  std::string model_name = "model", data_name = "data";  ///< in messages
};

/// Of encoded dense rows; importance counts those whose target is finite, by their weights if they have any. Throws
/// ConfigError with why_no_explanation(), DataError when there are no rows or not that row, Interrupted. Cost: see
/// model/explanation.hpp.
Explanation explain(const FittedModel& model, const Dataset& rows, const ExplainOptions& options, const Job& job = {});

/// explain() of the rows of a table or rows file ("-" is standard input), which are held in memory; the target may be
/// missing. Throws as DatasetStream, too.
Explanation explain_file(const FittedModel& model, const std::string& path, const ExplainOptions& options,
                         const Job& job = {});

}  // namespace alacarte
