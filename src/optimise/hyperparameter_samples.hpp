#pragma once
// training.samples: hyperparameters drawn from their posterior in place of the one that maximises it.
//
// Hamiltonian Monte Carlo (Duane et al. 1987; Neal 2011, "MCMC using Hamiltonian dynamics", sections 5.3 and 5.4.1) on
// exp(-NL - penalty), begun at the mode theta^. Coordinates are z = H^1/2 (theta - theta^), in which the posterior is
// nearly N(0, I), H the Hessian at the mode by differences of gradients, with its eigenvalues lifted to 0.3. Each
// transition is six leapfrog steps; ten of them set the step for three quarters of the proposals to be accepted.
//
// On a hundred rows the evidence leaves length-scales and noise open by factors. One value of each makes error bars too
// narrow, and the mean over samples predicts better (experiments/samples).
#include <functional>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/inference/objective.hpp"

namespace alacarte {

/// A draw of theta.
struct HyperparameterSample {
  Vector theta;             ///< of the objective: parameters().size()
  double log_evidence = 0;  ///< there, priors left out
  double objective = 0;     ///< there, priors included
};

/// A chain after its warm-up.
struct HyperparameterSamples {
  std::vector<HyperparameterSample> samples;  ///< one after each transition
  double acceptance = 0;                      ///< mean probability that a proposal is accepted
  Index evaluations = 0;                      ///< warm-up and differences included
};

/// Evaluations that so many samples of so many trained entries take, with one for the posterior of each.
Index sampling_evaluations(Index trained, Index samples);

/// Asked before each difference and transition, by all ranks together, with the evaluations so far and the objective
/// where the chain stands.
using SamplingGoesOn = std::function<bool(Index evaluations, double objective)>;

/// So many samples, or those before `goes_on` said no, with the priors as part of the density. mode:
/// objective.parameters().size(). The objective's warm start is forgotten first, so that the samples are the same bits
/// whatever it evaluated before. A proposal that cannot be evaluated is rejected. Throws NumericalError where the mode
/// cannot be. Cost: sampling_evaluations(), less the posteriors.
HyperparameterSamples sample_hyperparameters(Objective& objective, const Vector& mode, Index samples,
                                             RandomStream& stream, const SamplingGoesOn& goes_on);

}  // namespace alacarte
