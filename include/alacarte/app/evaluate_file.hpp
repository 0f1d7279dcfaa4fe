#pragma once
// Predicts rows with known targets and scores the predictions, or keeps them. Inputs are streamed.
#include <alacarte/app/job.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/eval/count_metrics.hpp>
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

namespace alacarte {

/// Scores of a model on some rows, by evaluate_file().
struct Scores {
  /// For a regression, classification or count model. Scores that need variances are meaningless for a regression model
  /// without them (FittedModel::has_variance()).
  std::variant<Metrics, ClassMetrics, CountMetrics> metrics;
  double seconds = 0;  ///< spent predicting
  /// Of a model with conformal calibration: its intervals of one probability.
  struct Intervals {
    double probability = 0;               ///< that they promise
    double coverage = 0, mean_width = 0;  ///< share of the targets inside; in the unit of the target
  };
  std::vector<Intervals> conformal = {};  ///< of 50, 90 and 95 %, as far as there are enough calibration rows
};

/// Scores `model` on the rows of a table or rows file ("-" is standard input) that are marked in `selected`, one entry
/// for each data row of the file (all rows when empty; held_out_rows() makes one). Throws DataError when there is no
/// such row or a target is missing, ConfigError for a model of counts without variances, IoError, Interrupted. Memory:
/// one chunk of rows.
Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected = {},
                     const Job& job = {});

/// The scores as one JSON object, in the form that `alacarte evaluate` prints; null for scores that the model does not
/// have.
nlohmann::json to_json(const Scores& scores, const FittedModel& model);

/// The scores of models of several targets of a file, which is read once for each: {"targets": {NAME: scores}, "mean":
/// of the scores without a unit}. Throws as evaluate_file(), and ConfigError for standard input or a pipe.
nlohmann::json evaluate_targets(const std::vector<FittedModel>& models, const std::string& path,
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
