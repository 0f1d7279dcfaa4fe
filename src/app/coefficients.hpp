#pragma once
// The coefficients of a linear model in the units of its columns.
#include <alacarte/model/explanation.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <optional>
#include <string>

namespace alacarte {

/// Returns the coefficients of a regression model that is one fit of "linear" on dense rows that are scaled by column
/// alone; nullopt for all others, and beyond 1000 inputs. Cost O(d^3).
std::optional<LinearCoefficients> linear_coefficients(const FittedModel& model);

/// Returns a line for each of the `most` inputs with the largest effect per standard deviation, and the intercept.
std::string coefficients_text(const LinearCoefficients& coefficients, const FittedModel& model, std::size_t most);

/// Random effect of the levels of a column.
struct RandomEffect {
  std::string name;
  Index levels = 0;
  double sd = 0;  ///< in target units
};

/// Returns the random effects of a fit with this description, in the order of Schema::level_counts().
std::vector<RandomEffect> random_effects(const FittedModel& model, const KernelDescription& description);

}  // namespace alacarte
