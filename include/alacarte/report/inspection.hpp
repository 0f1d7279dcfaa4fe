#pragma once
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace alacarte::cli {

/// All there is to say of a model: {"model", "seed", "target", "inputs", "training", "recipe", "fits": [{"model",
/// "description" (FeatureMap::describe), "inputs": [{"name", "relevance", "lengthscale"}] by falling relevance,
/// "noise_sd", "parameters": {slot: values}, "summary"}]}. Lengths and noise in the user's units.
nlohmann::json inspection(const FittedModel& model);

/// The same for people; `most_inputs` lines of each ranking.
std::string inspection_text(const nlohmann::json& document, Index most_inputs);

}  // namespace alacarte::cli
