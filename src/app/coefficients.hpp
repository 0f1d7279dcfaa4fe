#pragma once
// Coefficients of a linear model in the units of its columns.
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// mean = intercept + sum_j value_j x_j, with x and the mean in the units of the inputs and the target.
struct LinearCoefficients {
  /// Coefficient of one input.
  struct Coefficient {
    std::string name;          ///< name of the encoded input
    double value = 0;          ///< target units per input unit
    std::optional<double> sd;  ///< posterior standard deviation; empty for a model saved with --mean-only
  };
  double intercept = 0;             ///< mean where all inputs are 0
  std::vector<Coefficient> inputs;  ///< in schema order
};

/// Returns the coefficients of a regression model with one "linear" fit on dense rows that are only scaled by column;
/// nullopt for all other models and beyond 1000 inputs. Cost O(d^3).
std::optional<LinearCoefficients> linear_coefficients(const FittedModel& model);

/// Returns a line for each of the `most` inputs with the largest effect per standard deviation, and the intercept.
std::string coefficients_text(const LinearCoefficients& coefficients, const FittedModel& model, std::size_t most);
/// Returns {"intercept", "inputs": [{"name", "value", "sd"}]}.
nlohmann::json to_json(const LinearCoefficients& coefficients);

}  // namespace alacarte
