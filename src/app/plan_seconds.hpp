#pragma once
// Predicts how long a planned training takes on this machine.
#include <alacarte/train/fit.hpp>

namespace alacarte {

/// Current single-thread speed of a machine. Processors differ by a factor of ten, and a shared one varies daily by
/// two.
struct MachineRates {
  double products = 0;       ///< flops per second of a BLAS matrix product in doubles
  double pair_seconds = 0;   ///< seconds per pair of rows in a Gram matrix, forward and back: kernel part,
  double input_seconds = 0;  ///< and part per input
};

/// Measures the machine: best of eight short runs each, 15 ms and 3 MB. Not thread-safe: sets the BLAS to one thread.
MachineRates measure_machine();

/// Estimates the wall-clock seconds from the plan to the model if all fits use all their iterations; at most
/// plan.seconds, if given. threads: training threads, >= 1. rates: all > 0. Cost: negligible. Throws nothing. Source:
/// measured (experiments/performance, Plans).
double plan_seconds(const TrainingPlan& plan, int threads, const MachineRates& rates);

}  // namespace alacarte
