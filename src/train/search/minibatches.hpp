#pragma once
// Training on minibatches, for maps whose parameters are too many for the evidence of all rows: the features learn to
// predict nine tenths of the rows, with a linear read-out; the rows that they never saw then say how large noise and
// amplitude are, so that error bars hold although the features were bent to the others.
#include <optional>

#include "alacarte/model/training_record.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

struct MinibatchResult : MinibatchRecord {
  Vector theta;  ///< of the objective: the map's parameters and the noise
};

/// rows: rows.source to learn from, and rows.held_out. From `start` (layout.size(), as the result's theta), with
/// network.epochs passes over the rows, which are kept in memory where they take no more than `max_bytes`, and are read
/// in every pass otherwise. Steps follow half a cosine, over as many passes as the deadline leaves time for; the
/// parameters are those of the round (a pass, or 2^15 rows of it) whose held-out error was smallest. The same bits with
/// any number of threads up to the noise and amplitude, which are sums over threads. Steps and the plan of rounds are
/// recorded, and repeated. Ranks that share the rows make each step together: they send one sum of the gradient. Throws
/// NumericalError where no round left finite parameters, and what reading throws.
MinibatchResult train_on_minibatches(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                     const Vector& start, int threads, double max_bytes, const FitContext& context);

}  // namespace alacarte
