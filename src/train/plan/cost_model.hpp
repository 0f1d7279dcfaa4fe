#pragma once
// Estimates of the operations and the nominal seconds of training, by which "auto" chooses its members, rows_in_time()
// the rows, plans their evaluations, and fits share the clock. They depend on no clock, so that plans are the same on
// every machine. Operations are floating-point operations in doubles (docs/math.md, sections 1, 8 and 9); n: rows, D:
// features, d: inputs.
#include "fit_jobs.hpp"

namespace alacarte {

// ---- speed

/// Nominal operations of a processor thread in a second of training.
inline constexpr double kNominalFlops = 1.5e10;
/// Time of an operation on floats in the small products of minibatches, which stay in the caches, over that of a
/// nominal operation (kin40k: 75 GFLOP/s on two threads).
inline constexpr double kFloatTime = 0.2;

/// Returns the operations that so many threads make in these seconds.
inline double nominal_flops(double seconds, int threads = 1) { return seconds * kNominalFlops * threads; }
/// Returns the seconds that so many threads take for these operations.
inline double nominal_seconds(double flops, int threads) { return flops / (kNominalFlops * threads); }
/// Returns the operations of "auto" where neither time nor operations were asked for.
double default_flops(double rows);

// ---- an evaluation: one value and gradient of the evidence

/// Returns 3 n D^2 + D^3 for a Gaussian posterior without the map itself, or 3 n^2 D + n^3 for fewer rows than
/// features.
double feature_flops(double n, double features);
/// Returns the operations of an exact kernel, or of a sum of as many as the recipe has terms: n^3 for factor and
/// inverse, and for each kernel n^2 (120 + 10 d) for the exponentials, distances and derivatives of all pairs.
double exact_flops(const Recipe& recipe, double n, double inputs);
/// Returns the factor by which Laplace's approximation takes longer than feature_flops(): steps to the mode for each
/// function of a softmax; 1 for a Gaussian likelihood. classes: 0 where the target is a number.
double laplace_factor(const Recipe& recipe, Index classes);
/// Returns that factor for exact_flops(): there the approximation works on as many features as rows (30 n^3 for each
/// function).
double laplace_factor_of_exact(const Recipe& recipe, Index classes);
/// Returns the operations of an evaluation of so many functions of so many features (exact kernels: as many as rows),
/// without the map itself.
double class_flops(double n, double features, double outputs);
/// Tells whether the evidence takes the joint curvature of several functions, as far as memory allows it.
bool is_joint(const FitJob& job, Index classes);
/// Returns the map of a job without the levels that its evidence for one target eliminates; null for a kernel.
std::shared_ptr<const FeatureMap> solved_map(const FitJob& job);
/// Returns the operations of an evaluation of a job. targets: columns of the target; classes: 0 where it is a number.
double evaluation_flops(const FitJob& job, double n, double inputs, double targets, Index classes);
/// Returns the threads that an evaluation is worth: `threads`, or one below 1e9 operations, since a factorisation wakes
/// and joins threads many times, in microseconds each, but in milliseconds on a busy machine. Results of one thread are
/// the same bits with any number of them.
int useful_threads(const FitJob& job, double n, Index classes, int threads);

// ---- a fit

/// Returns the operations of a fit of a job with so many evaluations of `evaluation` operations each; for minibatches,
/// of its passes and its posterior.
double fit_flops(const FitJob& job, double evaluation, double n, double evaluations);
/// Returns the operations of an exact fit with its subsample, posterior and samples; with zero iterations, those of one
/// evaluation: a value without its gradient, and a posterior, are half of one each (sml, 3700 rows: 1.2 s and 1.1 s).
double exact_fit_flops(const Recipe& member, double n, double inputs);
/// Returns the operations of the mixtures of spectra of "auto" with so many frequencies a component: two without
/// samples of the hyperparameters, otherwise one.
double spectra_flops(double n, double inputs, Index frequencies, Index samples);
/// Returns the operations of a fit on subsamples before its iterations on all rows: probes on the first, the doublings,
/// and the posterior of all rows. map: operations for the features of a row.
double subsample_flops(double n, double features, double map);
/// Returns the operations of one pass of a network's minibatches over n rows.
double pass_flops(const Recipe& network, double n, double inputs);
/// Returns the operations of the posterior of a network for classes after its passes.
double network_posterior_flops(const Recipe& recipe, double n, Index classes);

/// Returns the passes of minibatches as a number of evaluations of this plan; 0 for other fits.
Index minibatch_evaluations(const FitJob& job, const EvaluationPlan& plan);
/// Returns the evaluations beside those of L-BFGS: samples of the hyperparameters, and steps on rows drawn anew.
Index evaluations_beside(const Recipe& fit, const EvaluationPlan& plan, Index inputs);

// ---- the noise

/// Returns the operations of learn_left_out_noise() for so many rows.
double left_out_noise_flops(Index rows, Index inputs);
/// Returns the largest number of rows, up to `most`, for which these operations suffice.
Index left_out_noise_rows(Index most, Index inputs, double flops);

}  // namespace alacarte
