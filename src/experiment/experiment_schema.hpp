#pragma once
// JSON schema of experiments, for editors.
#include <nlohmann/json.hpp>

namespace alacarte {

/// Returns a JSON schema (draft 7) of the input of parse_experiment(). "data" of a table is that of recipe_schema().
nlohmann::json experiment_schema();

}  // namespace alacarte
