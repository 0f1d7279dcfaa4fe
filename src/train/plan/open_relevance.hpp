#pragma once
// Few rows for many inputs: the evidence leaves open which inputs matter, and samples take the place of its maximum.
#include "auto_recipe.hpp"
#include "optimise/hyperparameter_samples.hpp"

namespace alacarte {

/// Returns true for tables so short that the mode of the length-scales takes noise for a function of the inputs
/// (experiments/relevance), and that samples of them are cheap.
bool leaves_relevance_open(Index rows, Index inputs);

/// Returns the place where samples of a fit begin: away from the mode for an exact kernel with Gaussian noise on such a
/// table, otherwise at the mode.
ChainStart chain_start(const Recipe& fit, Index rows, Index inputs);

/// Lets one fit of an exact kernel on such a table sample its hyperparameters (`samples` of them, unless the recipe
/// says how many, or none), with a wide prior on the noise: the usual one is centred by an ARD fit, which fits the
/// noise as well. Settings by hand stay. Nothing changes without priors.
void sample_open_relevance(Recipe& fit, Index samples);

/// Applies this to each exact kernel of the recipe, if its noise is Gaussian and even, the table is such a one, and
/// neither max_model_mb nor flops forbid it. Any other recipe comes back as it is.
Recipe with_open_relevance(Recipe recipe, const TableSize& size);

}  // namespace alacarte
