#pragma once
// Formats the plan and the outcome of a training, for people and for programs.
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/train/fit.hpp>
#include <string>

namespace alacarte {

/// Describes a plan in several lines: size, fits with their costs, total time and memory. seconds: plan_seconds().
std::string plan_text(const TrainingPlan& plan, int threads, double seconds);
std::string stages_text(const TrainingPlan& plan);  ///< a table of the stages in the order in which they run
/// Describes a trained member of a model in one line: its evidence and noise, or its classification errors.
std::string fit_text(const FittedModel& model, std::size_t member);
/// Returns the standard deviation of the noise in the unit of the target; 0 if the fit has none.
double noise_sd_of(const FittedModel& model, const Member& member);

/// Describes the leave-one-out scores of the training rows in one line; "" if there are none.
std::string left_out_text(const FittedModel& model);

}  // namespace alacarte
