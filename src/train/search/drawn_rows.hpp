#pragma once
// training.drawn_rows: steps on the evidence of rows that are drawn anew each time, before L-BFGS on all of them.
//
// The evidence of b rows times n / b, plus the priors, has a gradient near that of all n rows (Chen, Zheng, Al Kontar
// and Raskutti 2020, "Stochastic gradient descent in correlated settings", NeurIPS: it is biased, and the search ends
// nearby all the same). Adam takes steps against it, whose length falls by half a cosine. One evaluation of all rows
// takes as long as n / b such steps, which pays where many frequencies are learned (experiments/optimisers).
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Returns the point that training.drawn_steps such steps reach from `start` (of the objective's parameters), or with a
/// deadline as many as 0.7 of the time left allow; `start` itself if there are fewer than twice training.drawn_rows
/// rows to draw from, or if no step could be evaluated. Draws from all rows that are in memory, otherwise from at most
/// kMaxPooledRows of them, in `pool_bytes`. Records the steps, and repeats recorded ones. noise_center, memory_bytes:
/// as for make_job_inference(). Throws ConfigError for rows that processes share. Cost: an evaluation on
/// training.drawn_rows rows a step.
Vector train_on_drawn_rows(const FitJob& job, const TrainingRows& rows, double noise_center, const Vector& start,
                           int threads, double memory_bytes, double pool_bytes, const FitContext& context);

}  // namespace alacarte
