#pragma once
// Formats the plan and the outcome of a training, for people and for programs.
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/train/fit.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace alacarte {

/// Describes a plan in several lines: size, fits with their costs, total time and memory. seconds: plan_seconds().
std::string plan_text(const TrainingPlan& plan, int threads, double seconds);
/// Returns the plan as {"threads", "concurrent_fits", "total_flops", "memory_bytes", "row_bytes", "seconds",
/// "model_bytes", "fits": [{"name", "rows", "inputs", ..}]}.
nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds);

/// Describes a trained member of a model in one line: its evidence and noise, or its classification errors.
std::string fit_text(const FittedModel& model, std::size_t member);
/// Returns the member's training summary without its trace, with "fit", "model" and, for noise, "noise_sd" in target
/// units.
nlohmann::json fit_json(const FittedModel& model, std::size_t member);

/// Describes the leave-one-out scores of the training rows in one line; "" if there are none.
std::string left_out_text(const FittedModel& model);

}  // namespace alacarte
