#pragma once
// Length-scales of classes, counts and numbers with outliers, before any fit: those at which a working response is most
// probable. Numbers with Gaussian noise have an ARD fit in place of this (train/noise/noise_prior.hpp).
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Tells whether any of the fits begins at length-scales, and is of a likelihood without an ARD fit.
bool needs_response(const std::vector<FitJob>& jobs);

/// Returns the working response (n, K) that stands for the functions of a likelihood at targets y (n): indicators of
/// the classes, logarithms of counts y + 1/2, and otherwise y within three units. Its columns are centred and have a
/// mean variance of 1, unless all rows are alike.
Matrix working_response(const Likelihood& likelihood, ConstVec y, Index classes, ConstVec offsets = Vector());

/// Returns the length-scales (d) of an exact Gaussian kernel under which the working response of at most 250 rows is
/// most probable, among candidate_lengthscales(); nothing unless they are far below those at which fits begin, and
/// ahead of these by more than chance explains. Cost: four factors of 250 rows for each candidate, some 20 ms.
std::optional<Vector> response_lengthscales(const Recipe& recipe, const TrainingRows& rows, RandomStream stream);

}  // namespace alacarte
