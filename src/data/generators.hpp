#pragma once
// Built-in problems with known noise.
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// A problem with known noise.
struct Problem {
  std::string name, description;         ///< name on the command line; one sentence
  std::vector<std::string> input_names;  ///< (d) columns of its CSV
  double noise_sd = 0;                   ///< standard deviation of the observation noise, in units of y
  /// Draws `rows` inputs (rows, d) and noisy targets (rows), both overwritten.
  void (*generate)(Index rows, RandomStream& stream, Matrix& inputs, Vector& target) = nullptr;
};

/// Returns the problems, which draw row by row, so the first rows do not depend on the number of rows:
///   friedman1  y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + e, ten inputs U[0,1] of which five are noise,
///              e ~ N(0, 1) (Friedman 1991)
///   robot-arm  y = |p - (4, 2)| + e, p = sum_{i=1..8} (cos a_i, sin a_i), a_i = joint_1 + ... + joint_i: distance of
///              the tip of a planar arm of eight unit links from a point, joint angles U[-pi/4, pi/4] radians,
///              e ~ N(0, 0.05^2); after the kin family of data sets (Corke 1996; Ghahramani's DELVE description)
const std::vector<Problem>& problems();
/// Returns the problem of that name, or nullptr.
const Problem* find_problem(const std::string& name);

}  // namespace alacarte
