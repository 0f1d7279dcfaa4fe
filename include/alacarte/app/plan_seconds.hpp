#pragma once
// How long a planned training takes on this machine.
#include <alacarte/train/fit.hpp>

namespace alacarte {

/// How fast a machine is now, on one thread. Processors differ by a factor of ten, and a shared one from day to day by
/// two.
struct MachineRates {
  double products = 0;       ///< operations a second of a matrix product in doubles, by the BLAS
  double pair_seconds = 0;   ///< of two rows in a Gram matrix, forward and back: seconds of their kernel,
  double input_seconds = 0;  ///< and of each input
};

/// The best of eight short runs each: 15 ms and 3 MB. Not thread-safe: the BLAS is on one thread meanwhile.
MachineRates measure_machine();

/// Seconds of the clock from the plan to the model, for fits that end at their last iteration; at most plan.seconds,
/// where that is given. threads: at least 1, of the training. rates: all above 0. Cost: that of the formula. Throws
/// nothing. Source: measured (experiments/performance, Plans).
double plan_seconds(const TrainingPlan& plan, int threads, const MachineRates& rates);

}  // namespace alacarte
