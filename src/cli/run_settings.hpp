#pragma once
// Settings of the commands that execute runs of experiments.
#include "experiment/runner.hpp"

namespace alacarte::cli {

/// Returns options to execute runs by `alacarte unit` in the folder, `jobs` at a time (0 = as many as the processors
/// allow) with `threads` each, with the live line, a message for each successful run, and Ctrl-C.
RunnerOptions runner_options(const std::string& folder, int jobs, int threads);

}  // namespace alacarte::cli
