#pragma once
// Which fits are trained on minibatches, and how many rows a training holds out for them and for the weights.
#include <string>
#include <vector>

#include "fit_jobs.hpp"

namespace alacarte {

/// Tells whether a fit of this recipe is trained on minibatches.
bool uses_minibatches(const Recipe& recipe);
/// Tells whether its likelihood allows it: gaussian, or one without parameters of its own, with noise of one size.
bool takes_minibatches(const Recipe& recipe);

/// Tells whether minibatches have a place for so many levels of random effects: of a number, up to 1000, since every
/// row of a batch has an indicator of each.
bool takes_levels(const Recipe& recipe, Index levels);

/// Leaves one start and one evaluation of the evidence to such a fit. With fewer than 100 rows, or more levels than it
/// takes, it becomes a fit by evidence, and a note says so. Throws ConfigError for rows with weights or several
/// targets, for a likelihood with parameters of its own, and for parameters that are held by hand.
void plan_minibatches(const TrainingRows& rows, FitJob& job, std::vector<std::string>& notes);

/// Tells whether so many rows are enough to hold a tenth of them out: at least 100.
bool can_hold_out(Index rows);
/// Tells whether a training holds rows out: they weigh the fits and choose what minibatches end with, and posteriors
/// take them at the end.
bool holds_out(const Recipe& recipe, Index rows);
/// Largest number of rows that are held out.
inline constexpr Index kMaxHeldOut = 10'000;
/// Returns a tenth of the rows, at most kMaxHeldOut.
Index held_out_rows(Index rows);

}  // namespace alacarte
