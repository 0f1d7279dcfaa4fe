#pragma once
// The description of a trained fit by its hyperparameters.
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json_fwd.hpp>

namespace alacarte {

/// Describes the hyperparameters of a member by its map or kernel (FeatureMap::describe(), Kernel::describe()). The
/// "relevance" of an input that had one value in all training rows is 0, since its spectrum is still the prior.
nlohmann::json describe(const FittedModel& model, const Member& member);

}  // namespace alacarte
