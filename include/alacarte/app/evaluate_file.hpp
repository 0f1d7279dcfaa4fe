#pragma once
// Predicts rows with known targets and scores or returns the predictions. Inputs are streamed.
#include <alacarte/app/job.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Scores `model` on the rows of a table or rows file ("-" is standard input) marked in `selected`, which has one entry
/// per data row (empty: all rows; held_out_rows() makes one). Throws DataError if no row is selected or a target is
/// missing, ConfigError for a count model without variances, IoError, Interrupted. Memory: one chunk of rows.
Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected = {},
                     const Job& job = {});

/// Returns the scores of models of several targets of a file, which is read once for each. Throws as evaluate_file(),
/// and ConfigError for standard input or a pipe.
std::vector<Scores> evaluate_targets(const std::vector<FittedModel>& models, const std::string& path,
                                     const std::vector<bool>& selected = {}, const Job& job = {});

/// Targets and predictive moments of labelled rows; inputs are not kept.
struct LabelledRows {
  std::vector<double> means, variances, target;  ///< means, variances: (rows x components), row by row; target: (rows)
  Index components = 1;                          ///< number of fits in the mixture
  Vector weights;                                ///< (components), as in PredictiveDistribution
  TargetTransform transform = {};                ///< t of the target, if means and variances are those of t(y)

  Index rows() const { return static_cast<Index>(target.size()); }  ///< returns the number of rows
  PredictiveDistribution distribution() const;                      ///< returns the predictions, noise included
};

/// Returns a regression model's predictions (noise included; variances are 1 if the model has none) and the targets of
/// all rows of a file. Throws as evaluate_file().
LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const Job& job = {});

}  // namespace alacarte
