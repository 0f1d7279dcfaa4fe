#pragma once
// The likelihoods of Laplace's approximation, one a file.
#include <alacarte/model/likelihood.hpp>

namespace alacarte {

const Likelihood& logit_likelihood();
const Likelihood& probit_likelihood();
const Likelihood& poisson_likelihood();
const Likelihood& softmax_likelihood();

}  // namespace alacarte
