#pragma once
// How the commands that execute runs of experiments do it.
#include "experiment/runner.hpp"

namespace alacarte::cli {

/// Runs as `alacarte unit` in the folder, `jobs` at a time (0 = as many as the processors hold) of `threads` each, with
/// the live line, a message for each run that ends well, and Ctrl-C.
RunnerOptions runner_options(const std::string& folder, int jobs, int threads);

}  // namespace alacarte::cli
