#pragma once
// The plan and the outcome of a training, for people and for programs.
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/train/fit.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace alacarte {

/// Several lines: size, the fits with their costs, and time and memory in all. seconds: plan_seconds().
std::string plan_text(const TrainingPlan& plan, int threads, double seconds);
/// The same numbers: {"threads", "concurrent_fits", "total_flops", "memory_bytes", "row_bytes", "seconds",
/// "model_bytes", "fits": [{"name", "rows", "inputs", ..}]}.
nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds);

/// One line on a trained member of a model: its evidence and noise, or its classification errors.
std::string fit_text(const FittedModel& model, std::size_t member);
/// The member's training summary without its trace, with "fit", "model" and, where it has noise, "noise_sd" in the unit
/// of the target.
nlohmann::json fit_json(const FittedModel& model, std::size_t member);

/// How well the training rows are predicted, each without itself, in one line; "" where there are no such scores.
std::string left_out_text(const FittedModel& model);

}  // namespace alacarte
