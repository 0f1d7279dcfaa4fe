#pragma once
// Hyperparameters of a kernel or map that a recipe gives by hand: kernel.lengthscale, kernel.amplitude and
// kernel.period of the whole recipe or of a term, whose own values go before those of the whole.
#include <string>
#include <vector>

#include "alacarte/core/parameter_layout.hpp"
#include "training_rows.hpp"

namespace alacarte {

/// Throws ConfigError at the first key by hand that no parameter of the model takes.
void check_by_hand(const Recipe& recipe, const ParameterLayout& layout);

/// Returns true if the recipe gives the values of a slot of its model.
bool is_by_hand(const Recipe& recipe, const ParameterSlot& slot);

/// Returns the names of the slots that the recipe holds at their start ("trained": false).
std::vector<std::string> held_slots(const Recipe& recipe, const ParameterLayout& layout);

/// Sets the values by hand in theta, whose first entries are those of the layout, in the units of the rows. Throws
/// ConfigError for a wrong number of values, or an amplitude of several targets.
void set_kernel_by_hand(const Recipe& recipe, const ParameterLayout& layout, const TrainingRows& rows, Vector& theta);

}  // namespace alacarte
