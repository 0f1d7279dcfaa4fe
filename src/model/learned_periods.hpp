#pragma once
// The periods of a fit, in the inputs' own units.
#include <alacarte/core/model_info.hpp>
#include <alacarte/data/dataset.hpp>
#include <vector>

namespace alacarte {

/// Brings the periods of a description into the inputs' own units; does nothing where rows are scaled, which leaves
/// inputs none.
void give_units(const Standardizer& standardizer, KernelDescription& description);

/// Returns the periods (d lists) that a description with units holds: those of periodic kernels and, where they last,
/// those of the mean frequencies of spectra: a period below a third of the input's range and the component's
/// length-scale, with a hundredth of the variance. Returns no lists where rows are scaled.
std::vector<std::vector<double>> learned_periods(const Standardizer& standardizer,
                                                 const KernelDescription& description);

}  // namespace alacarte
