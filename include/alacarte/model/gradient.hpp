#pragma once
// Slopes: the derivative of the predicted function by each numeric input, in the unit of the target over that of the
// input. The derivative of a Gaussian process is one itself (Rasmussen and Williams 2006, section 9.4), so every slope
// has a variance.
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Returns the encoded inputs that are numbers of the table, ascending: all except the indicators of categories.
std::vector<Index> numeric_inputs(const Schema& schema);

/// Returns "" if `model` has a gradient, otherwise the reason, naming the map or kernel: classes and counts have none,
/// nor sparse rows, nor maps whose features have steps (gcws) or kernels whose processes have no derivative (min-max;
/// exact Matern with nu <= 1).
std::string why_no_gradient(const FittedModel& model);

/// Slopes at some rows.
struct GradientPrediction {
  Matrix mean;      ///< (rows, k) d mean / d input_k: of the mixture, the weighted mean of the fits' slopes
  Matrix variance;  ///< (rows, k) of the slope of f, noise has none; of the mixture, with the spread of the fits; (0,
                    ///< 0) if it is not wanted
};

/// Computes the slopes of f at raw (rows, d), encoded as for FittedModel::predict(), by the encoded inputs `inputs`
/// (k). `variance`: throws NumericalError if the model has none. The result does not depend on `threads`. Throws
/// ConfigError with why_no_gradient(), std::invalid_argument on shapes. Cost: that of predict() for each input; for
/// means alone O(rows D) for each input.
GradientPrediction predict_gradient(const FittedModel& model, const InputView& raw, const std::vector<Index>& inputs,
                                    bool variance, int threads = 1);

}  // namespace alacarte
