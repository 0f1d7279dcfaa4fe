#pragma once
// What a trained fit says of itself.
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

/// What the map or kernel of a member tells of its hyperparameters (FeatureMap::describe(), Kernel::describe()).
/// The "relevance" of an input that had one value in all training rows is 0: it has taught its spectrum nothing, and
/// what stands there is the prior.
nlohmann::json describe(const FittedModel& model, const Member& member);

}  // namespace alacarte
