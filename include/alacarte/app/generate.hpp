#pragma once
// Writes test problems with known noise as CSV: the built-in ones, and functions drawn from the prior of a recipe.
#include <alacarte/app/job.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/generators.hpp>
#include <optional>
#include <string>

namespace alacarte {

/// Writes `rows` rows of a built-in problem: its inputs and the noisy target y ("-" is standard output). Throws
/// IoError, also when the disk cannot hold them, Interrupted. Memory: one chunk.
void generate_problem(const Problem& problem, Index rows, std::uint64_t seed, const std::string& path,
                      const Job& job = {});

/// What generate_kernel_draw() writes.
struct KernelDrawOptions {
  Index rows = 0, inputs = 2;      ///< n, d
  std::optional<double> noise_sd;  ///< nothing: the recipe's noise.start; none of counts
  std::uint64_t seed = 0;          ///< of the inputs, the function and the noise
};

/// Writes a function drawn from the prior of a recipe at its first starting point, on inputs uniform in the unit cube:
/// x1, x2, .., and y, f with the noise of the recipe's likelihood, numbers or counts. Returns the standard deviation of
/// the noise, of student-t its scale, of counts 0. Throws ConfigError for a recipe of classes, for rows that need more
/// memory than is left; IoError, NumericalError. Feature maps: psi w, w ~ N(0, I). Exact kernels: a Cholesky factor,
/// cost n^3/3, memory n^2.
double generate_kernel_draw(const Recipe& recipe, const KernelDrawOptions& options, const std::string& path,
                            const Job& job = {});

}  // namespace alacarte
