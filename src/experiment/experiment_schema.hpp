#pragma once
// The JSON schema of experiments, for editors.
#include <nlohmann/json.hpp>

namespace alacarte {

/// A JSON schema (draft 7) of what parse_experiment() reads. "data" of a table is that of recipe_schema().
nlohmann::json experiment_schema();

}  // namespace alacarte
