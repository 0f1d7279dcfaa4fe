#pragma once
// Predictions of rows whose target is known, read and predicted in flat memory.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <functional>
#include <string>
#include <vector>

namespace alacarte::cli {

/// Calls body(prediction, target) for chunks of the rows of a file marked in `selected` (all when empty); returns the
/// seconds that predicting took. Noise is included; variances are 1 where the model has none. Throws DataError when
/// there is no row.
double predict_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                        int threads, const std::function<void(const PredictiveDistribution&, const Vector&)>& body);

/// The same of a model of classes: their scores, and the seconds.
struct ClassScores {
  ClassMetrics metrics;
  double seconds = 0;
};
ClassScores score_classes(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                          int threads);

/// The same of a model of counts, which must have variances.
double predict_labelled_counts(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                               int threads, const std::function<void(const CountDistribution&, const Vector&)>& body);

/// What is kept of the rows: a few numbers each, never the inputs.
struct LabelledRows {
  std::vector<double> means, variances, target;  ///< means and variances row by row, components inside
  Index components = 1;

  Index rows() const { return static_cast<Index>(target.size()); }
  PredictiveDistribution distribution() const;
};

/// All rows of a file. Throws as predict_labelled.
LabelledRows keep_labelled(const FittedModel& model, const std::string& path, int threads);

}  // namespace alacarte::cli
