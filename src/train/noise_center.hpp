#pragma once
// The centre of the prior on the noise.
#include <string>

#include "alacarte/core/types.hpp"

namespace alacarte {

/// The noise and the length-scales that a short ARD fit found (noise/noise_prior.hpp).
struct NoiseCenter {
  double value = 0;    ///< in standard deviations of the target
  std::string from;    ///< "ard" or "fixed"
  Vector lengthscale;  ///< (d) of the ARD fit; empty if "fixed"
  Vector more = {};    ///< (T - 1) values of the targets beside the first; empty if "fixed" or if there is one target
};

}  // namespace alacarte
