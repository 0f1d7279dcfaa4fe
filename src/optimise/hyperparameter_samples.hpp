#pragma once
// training.samples: hyperparameters drawn from their posterior in place of the one that maximises it.
//
// Hamiltonian Monte Carlo (Duane et al. 1987; Neal 2011, "MCMC using Hamiltonian dynamics", sections 5.3 and 5.4.1)
// samples exp(-NL - penalty). A chain from the mode theta^ knows its shape. In the coordinates z = H^1/2 (theta -
// theta^) the posterior is nearly N(0, I); H is the Hessian at the mode by differences of gradients, with its
// eigenvalues lifted to 0.3. Each transition makes six leapfrog steps; ten transitions tune the step so that three
// quarters of the proposals are accepted.
//
// With few rows for each input the mode is far from what is probable: it takes noise for a function of many inputs, in
// a peak that is narrow and that a short chain does not leave. A chain from a starting point takes steps of a fifth of
// a log unit in every direction, ten in each of forty transitions of warm-up and in each later one.
//
// On a hundred rows the evidence determines length-scales and noise only within factors. Single values make error bars
// too narrow, and the mean over samples predicts better (experiments/samples).
#include <functional>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/inference/objective.hpp"

namespace alacarte {

/// A draw of theta.
struct HyperparameterSample {
  Vector theta;             ///< the objective's parameters().size() entries
  double log_evidence = 0;  ///< at theta, without priors
  double objective = 0;     ///< at theta, with priors
};

/// A chain after its warm-up.
struct HyperparameterSamples {
  std::vector<HyperparameterSample> samples;  ///< one after each transition
  double acceptance = 0;                      ///< mean probability that a proposal is accepted
  Index evaluations = 0;                      ///< including warm-up and differences
};

/// Beginning of a chain.
enum class ChainStart { at_mode, away_from_mode };

/// Returns the evaluations for `samples` samples of `trained` trained entries, with one for each posterior.
Index sampling_evaluations(Index trained, Index samples, ChainStart start = ChainStart::at_mode);

/// Called before each difference and transition, by all ranks together, with the evaluations so far and the objective
/// at the chain's position; false ends the chain.
using SamplingGoesOn = std::function<bool(Index evaluations, double objective)>;

/// Draws `samples` samples, or fewer if `goes_on` returns false, with the priors as part of the density. first
/// (objective.parameters().size()): the mode, or another point with `away_from_mode`. The objective's warm start is
/// forgotten first, so the samples are the same bits whatever it evaluated before. A proposal that cannot be evaluated
/// is rejected. Throws NumericalError if `first` cannot be evaluated. Cost: sampling_evaluations(), less the
/// posteriors.
HyperparameterSamples sample_hyperparameters(Objective& objective, const Vector& first, Index samples,
                                             RandomStream& stream, const SamplingGoesOn& goes_on,
                                             ChainStart start = ChainStart::at_mode);

}  // namespace alacarte
