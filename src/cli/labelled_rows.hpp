#pragma once
// Predictions of rows whose target is known, read and predicted in flat memory.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte::cli {

/// What is kept of the rows: a few numbers each, never the inputs.
struct LabelledRows {
  std::vector<double> means, variances, target;  ///< means and variances row by row, components inside
  Index components = 1;
  double seconds = 0;  ///< of the predictions

  Index rows() const { return static_cast<Index>(target.size()); }
  /// Of all rows; variances are 1 where the model has none.
  PredictiveDistribution distribution(bool has_variance) const;
};

/// The rows of a file marked in `selected` (all when empty). Throws DataError when there is none.
LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                              int threads);

}  // namespace alacarte::cli
