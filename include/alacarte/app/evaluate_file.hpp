#pragma once
// Predictions of rows whose target is known, scored or kept, in flat memory.
#include <alacarte/app/job.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/eval/count_metrics.hpp>
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <variant>
#include <vector>

namespace alacarte {

struct Scores {
  /// Of a model of numbers, of classes, of counts. Scores that need error bars mean nothing for a model of numbers
  /// without variances (FittedModel::has_variance()).
  std::variant<Metrics, ClassMetrics, CountMetrics> metrics;
  double seconds = 0;  ///< spent predicting
};

/// Scores `model` on the rows of a table or rows file ("-" is standard input) that are marked in `selected`, one entry
/// for each data row of the file (all rows when empty; held_out_rows() makes one). Throws DataError when there is no
/// such row or a target is missing, ConfigError for a model of counts without variances, IoError, Interrupted. Memory:
/// one chunk of rows.
Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected = {},
                     const Job& job = {});

/// As the program prints them: one object, null for what the model does not have.
nlohmann::json to_json(const Scores& scores, const FittedModel& model);

/// What is kept of labelled rows: a few numbers each, never the inputs.
struct LabelledRows {
  std::vector<double> means, variances, target;  ///< means and variances row by row, components inside
  Index components = 1;

  Index rows() const { return static_cast<Index>(target.size()); }
  PredictiveDistribution distribution() const;
};

/// Predictions, noise included (variances are 1 where the model has none), and targets of all rows of a file, by a
/// model of numbers. Throws as evaluate_file().
LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const Job& job = {});

}  // namespace alacarte
