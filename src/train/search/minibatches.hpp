#pragma once
// Training on minibatches, for maps whose parameters are too many for the evidence of all rows: the features learn to
// predict nine tenths of the rows, with a linear read-out; the held-out rows then determine noise and amplitude, so
// that error bars hold although the features are overfitted.
#include <optional>

#include "alacarte/model/training_record.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

struct MinibatchResult : MinibatchRecord {
  Vector theta;  ///< the objective's: parameters of the map, and noise
};

/// Trains features on rows.source, and chooses the round by rows.held_out. Begins at `start` (layout.size(), as the
/// result's theta) and makes network.epochs passes over the rows, which are kept in memory if they take no more than
/// `max_bytes`, and are read in every pass otherwise. Steps follow half a cosine, over as many passes as the deadline
/// allows; the parameters are those of the round (a pass, or 2^15 rows of it) with the smallest held-out error. They
/// are the same bits with any number of threads, except the noise and amplitude, which are sums over threads. Records
/// the steps and the plan of rounds, and repeats recorded ones. Ranks that share the rows make each step together: they
/// send one sum of the gradient. Throws NumericalError if no round left finite parameters, and what reading throws.
MinibatchResult train_on_minibatches(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                     const Vector& start, int threads, double max_bytes, const FitContext& context);

}  // namespace alacarte
