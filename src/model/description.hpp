#pragma once
// Description of a trained fit by its hyperparameters.
#include <alacarte/model/fitted_model.hpp>

namespace alacarte {

/// Returns the hyperparameters of a member's map or kernel (FeatureMap::describe(), Kernel::describe()). The relevance
/// of an input with one value in all training rows is 0: only the prior determines its spectrum.
KernelDescription describe(const FittedModel& model, const Member& member);

}  // namespace alacarte
