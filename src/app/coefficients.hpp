#pragma once
// The coefficients of a linear model in the units of its columns.
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// mean = intercept + sum_j value_j x_j, x in the units of the inputs, the mean in that of the target.
struct LinearCoefficients {
  /// Of one input.
  struct Coefficient {
    std::string name;          ///< of the encoded input
    double value = 0;          ///< units of the target for each unit of the input
    std::optional<double> sd;  ///< posterior standard deviation; none of a model saved with --mean-only
  };
  double intercept = 0;             ///< the mean where all inputs are 0
  std::vector<Coefficient> inputs;  ///< in the order of the schema
};

/// Of a model of numbers that is one fit of "linear" on dense rows that are scaled by column alone; nullopt for all
/// others, and beyond 1000 inputs. Cost O(d^3).
std::optional<LinearCoefficients> linear_coefficients(const FittedModel& model);

/// A line for each of the `most` inputs that move the mean most over their standard deviation, and the intercept.
std::string coefficients_text(const LinearCoefficients& coefficients, const FittedModel& model, std::size_t most);
/// {"intercept", "inputs": [{"name", "value", "sd"}]}.
nlohmann::json to_json(const LinearCoefficients& coefficients);

}  // namespace alacarte
