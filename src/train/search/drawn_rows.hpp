#pragma once
// training.drawn_rows: steps on the evidence of rows that are drawn anew each time, before L-BFGS on all of them.
//
// The evidence of b rows times n / b, and the priors, have a gradient near that of all n rows (Chen, Zheng, Al Kontar
// and Raskutti 2020, "Stochastic gradient descent in correlated settings", NeurIPS: it is biased, and the search ends
// nearby all the same). Adam takes steps against it, of a length that falls by half a cosine. In the time of one
// evaluation of all rows that is n / b steps: what pays where many frequencies are learned (experiments/optimisers).
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Where training.drawn_steps such steps lead from `start` (of the objective's parameters), or where there is a
/// deadline as many as 0.7 of the time left allow; `start` itself where there are fewer than twice training.drawn_rows
/// rows to draw from, or where no step could be evaluated. Draws from all rows that are in memory, otherwise from at
/// most kMaxPooledRows of them, in `pool_bytes`. The steps are recorded, and repeated. noise_center, memory_bytes: as
/// of make_job_inference(). Throws ConfigError for rows that processes share. Cost: an evaluation of so few rows for
/// each.
Vector train_on_drawn_rows(const FitJob& job, const TrainingRows& rows, double noise_center, const Vector& start,
                           int threads, double memory_bytes, double pool_bytes, const FitContext& context);

}  // namespace alacarte
