#pragma once
// The likelihoods, one a file; gaussian_likelihood() is public.
#include <alacarte/model/likelihood.hpp>

namespace alacarte {

const Likelihood& logit_likelihood();
const Likelihood& probit_likelihood();
const Likelihood& poisson_likelihood();
const Likelihood& softmax_likelihood();

}  // namespace alacarte
