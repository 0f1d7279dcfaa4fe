#pragma once
// The plan and the outcome of a training in the log of events.
#include <nlohmann/json.hpp>

#include "app/training_text.hpp"

namespace alacarte::cli {

/// Returns the numbers of plan_text(): {"threads", "concurrent_fits", "total_flops", "memory_bytes", "row_bytes",
/// "seconds", "model_bytes", "fits": [{"name", "rows", "inputs", ..}]}.
nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds);

/// Returns a member's training summary without its trace, with "fit", "model" and any "noise_sd" in the target's unit.
nlohmann::json fit_json(const FittedModel& model, std::size_t member);

}  // namespace alacarte::cli
