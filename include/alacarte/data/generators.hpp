#pragma once
// Built-in problems with known noise.
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

struct Problem {
  std::string name, description;
  std::vector<std::string> input_names;
  double noise_sd = 0;  ///< standard deviation of the observation noise, in units of y
  void (*generate)(Index rows, RandomStream& stream, Matrix& inputs, Vector& target) = nullptr;
};

/// friedman1: y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + e, ten inputs U[0,1] of which five are noise, e ~
/// N(0, 1) (Friedman 1991). robot-arm: distance of the tip of an eight-link planar arm from a target, as in the kin
/// family (Corke 1996; Ghahramani's DELVE description), with small noise.
const std::vector<Problem>& problems();
const Problem* find_problem(const std::string& name);

}  // namespace alacarte
