#pragma once
// One run of an experiment: train on the rows outside a fold, score training and test rows, and record the provenance.
#include <alacarte/experiment/experiment.hpp>
#include <alacarte/model/fitted_model.hpp>

namespace alacarte {

/// The result document without "status": data, program, machine, recipe, train, test, training, seconds, peak_mb,
/// predictions (test rows, at most 2000). Scores are in the unit of the target, and standardised beside it. Throws what
/// reading and training throw. Cost: a training, and predictions of all rows.
nlohmann::json execute_run(const Run& run);

/// The frame every result has, done or failed: format, status, reason, experiment, unit, hash.
nlohmann::json result_frame(const Run& run, const std::string& status, const std::string& reason);

}  // namespace alacarte
