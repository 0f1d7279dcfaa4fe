#pragma once
// The options of a training from a file as those of the fit, once for one target and for several.
#include "alacarte/app/train_file.hpp"
#include "alacarte/train/fit.hpp"

namespace alacarte {

/// Returns the options that fit() takes. Threads and memory are the smallest of all ranks, so that all plan alike; the
/// default memory limit is the machine's memory, shared among the ranks on it, because training more slowly is better
/// than being killed. All ranks call it together.
FitOptions fit_options(const TrainFileOptions& options, const Job& job);

}  // namespace alacarte
