#pragma once
// Writes test problems with known noise as CSV: built-in ones, and functions drawn from a recipe's prior.
#include <alacarte/app/job.hpp>
#include <alacarte/core/recipe.hpp>
#include <optional>
#include <string>
#include "data/generators.hpp"

namespace alacarte {

/// Writes `rows` rows of a built-in problem: its inputs and the noisy target y ("-" is standard output). Throws
/// IoError, also if the disk is too small, and Interrupted. Memory: one chunk.
void generate_problem(const Problem& problem, Index rows, std::uint64_t seed, const std::string& path,
                      const Job& job = {});

/// Options of generate_kernel_draw().
struct KernelDrawOptions {
  Index rows = 0, inputs = 2;      ///< n, d
  std::optional<double> noise_sd;  ///< default: the recipe's noise.start; not for counts
  std::uint64_t seed = 0;          ///< seed of the inputs, the function and the noise
};

/// Writes a function drawn from a recipe's prior at its first starting point, on inputs uniform in the unit cube: x1,
/// x2, .., and y, f with the noise of the likelihood (regression or counts). Returns the standard deviation of the
/// noise (student-t: its scale; counts: 0). Throws ConfigError for classification and for rows that exceed the free
/// memory; IoError, NumericalError. Feature maps: psi w, w ~ N(0, I). Exact kernels: a Cholesky factor, cost n^3/3,
/// memory n^2.
double generate_kernel_draw(const Recipe& recipe, const KernelDrawOptions& options, const std::string& path,
                            const Job& job = {});

}  // namespace alacarte
