#pragma once
// Scores of a model, whatever it predicts.
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/eval/count_metrics.hpp>
#include <alacarte/eval/metrics.hpp>
#include <variant>
#include <vector>

namespace alacarte {

/// Scores of a model on some rows, by evaluate_file().
struct Scores {
  /// For a regression, classification or count model. Scores that need variances are meaningless for a regression model
  /// without them (FittedModel::has_variance() in the room model).
  std::variant<Metrics, ClassMetrics, CountMetrics> metrics;
  double seconds = 0;  ///< spent predicting
  /// Of a model with conformal calibration: its intervals of one probability.
  struct Intervals {
    double probability = 0;               ///< that they promise
    double coverage = 0, mean_width = 0;  ///< share of the targets inside; in the unit of the target
  };
  std::vector<Intervals> conformal = {};  ///< of 50, 90 and 95 %, as far as there are enough calibration rows
};

}  // namespace alacarte
