#pragma once
// Predicts rows with known targets and scores the predictions, or keeps them. Inputs are streamed.
#include <alacarte/app/job.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/eval/scores.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Scores `model` on the rows of a table or rows file ("-" is standard input) that are marked in `selected`, one entry
/// for each data row of the file (all rows when empty; held_out_rows() makes one). Throws DataError when there is no
/// such row or a target is missing, ConfigError for a model of counts without variances, IoError, Interrupted. Memory:
/// one chunk of rows.
Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected = {},
                     const Job& job = {});

/// Scores of models of several targets of a file, which is read once for each. Throws as evaluate_file(), and
/// ConfigError for standard input or a pipe.
std::vector<Scores> evaluate_targets(const std::vector<FittedModel>& models, const std::string& path,
                                     const std::vector<bool>& selected = {}, const Job& job = {});

/// Targets and predictive moments of labelled rows; inputs are not kept.
struct LabelledRows {
  std::vector<double> means, variances, target;  ///< means, variances: (rows x components), row by row; target: (rows)
  Index components = 1;                          ///< fits that the mixture is made of
  Vector weights;                                ///< (components), as of PredictiveDistribution

  Index rows() const { return static_cast<Index>(target.size()); }  ///< number of rows
  PredictiveDistribution distribution() const;                      ///< the predictions, noise included
};

/// Predictions, noise included (variances are 1 where the model has none), and targets of all rows of a file, by a
/// model of numbers. Throws as evaluate_file().
LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const Job& job = {});

}  // namespace alacarte
