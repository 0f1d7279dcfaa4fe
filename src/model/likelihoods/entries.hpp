#pragma once
// The likelihoods; gaussian_likelihood() is public.
#include <alacarte/model/likelihood.hpp>

namespace alacarte {

const Likelihood &logit_likelihood(), &probit_likelihood(), &poisson_likelihood(), &softmax_likelihood(),
    &student_t_likelihood(), &negative_binomial_likelihood();

}  // namespace alacarte
