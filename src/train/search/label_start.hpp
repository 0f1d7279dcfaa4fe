#pragma once
// training.start "labels": parameters of map or kernel from the gaussian evidence of class indicators, which shares one
// factor among all classes where softmax needs one each (inference/label_evidence.hpp).
#include <optional>

#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Returns the point from which a classification fit goes on. L-BFGS makes training.start_iterations from `starts` (of
/// `layout`, the objective's; the best after probes) on at most training.start_rows rows, drawn by the job's seed;
/// nystrom uses its exact kernel. Then amplitudes are multiplied by the power of two whose softmax evidence (or that of
/// the recipe's likelihood) is best on at most 500 of the rows. Returns nothing if the evidence could be evaluated
/// nowhere, and after an interrupt the best point so far. `context`: observer, interrupt, deadline and clock; the
/// deadline leaves a share to later stages. Memory: one evaluation on those rows, and the rows.
std::optional<Vector> label_start(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                  const std::vector<Vector>& starts, int threads, double memory_bytes,
                                  const FitContext& context);

}  // namespace alacarte
