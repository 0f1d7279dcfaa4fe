#pragma once
// Predicts rows with known targets and scores or returns the predictions. Inputs are streamed.
#include <alacarte/app/job.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <variant>
#include <vector>

namespace alacarte {

/// Scores of a model on labelled rows, from evaluate_file().
struct Scores {
  /// Scores for regression, classification or counts. Scores that need variances are meaningless for a regression model
  /// without them (FittedModel::has_variance()).
  std::variant<Metrics, ClassMetrics, CountMetrics> metrics;
  double seconds = 0;  ///< prediction time, seconds
  /// Coverage of conformal intervals at one probability.
  struct Intervals {
    double probability = 0;               ///< nominal coverage
    double coverage = 0, mean_width = 0;  ///< share of targets inside; mean width in target units
  };
  std::vector<Intervals> conformal = {};  ///< at 50, 90 and 95 %, if there are enough calibration rows
};

/// Scores `model` on the rows of a table or rows file ("-" is standard input) marked in `selected`, which has one entry
/// per data row (empty: all rows; held_out_rows() makes one). Throws DataError if no row is selected or a target is
/// missing, ConfigError for a count model without variances, IoError, Interrupted. Memory: one chunk of rows.
Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected = {},
                     const Job& job = {});

/// Returns the scores as one JSON object, as `alacarte evaluate` prints it; null for scores that the model lacks.
nlohmann::json to_json(const Scores& scores, const FittedModel& model);

/// Returns the scores of models of several targets: {"targets": {NAME: scores}, "mean": scores without a unit}. Reads
/// the file once per target. Throws as evaluate_file(), and ConfigError for standard input or a pipe.
nlohmann::json evaluate_targets(const std::vector<FittedModel>& models, const std::string& path,
                                const std::vector<bool>& selected = {}, const Job& job = {});

/// Targets and predictive moments of labelled rows; inputs are not kept.
struct LabelledRows {
  std::vector<double> means, variances, target;  ///< means, variances: (rows x components), row by row; target: (rows)
  Index components = 1;                          ///< number of fits in the mixture
  Vector weights;                                ///< (components), as in PredictiveDistribution

  Index rows() const { return static_cast<Index>(target.size()); }  ///< returns the number of rows
  PredictiveDistribution distribution() const;                      ///< returns the predictions, noise included
};

/// Returns a regression model's predictions (noise included; variances are 1 if the model has none) and the targets of
/// all rows of a file. Throws as evaluate_file().
LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const Job& job = {});

}  // namespace alacarte
