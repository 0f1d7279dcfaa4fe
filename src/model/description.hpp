#pragma once
// The description of a trained fit by its hyperparameters.
#include <alacarte/model/fitted_model.hpp>

namespace alacarte {

/// What the map or kernel of a member tells of its hyperparameters (FeatureMap::describe(), ExactKernel::describe()).
/// The relevance of an input that had one value in all training rows is 0: it has taught its spectrum nothing, and
/// what stands there is the prior.
KernelDescription describe(const FittedModel& model, const Member& member);

}  // namespace alacarte
