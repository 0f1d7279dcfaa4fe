#pragma once
// A posterior behind curves of the inputs: every answer is the inner posterior's at the curves' values.
#include <alacarte/model/posterior.hpp>
#include <memory>

#include "data/input_curves.hpp"

namespace alacarte {

/// Returns the posterior at the curves' values: of one function if `inner` is; null curves: `inner` itself. Its
/// Posterior::curved() names both parts. It saves the curves beside the inner state, under "curves/".
std::unique_ptr<Posterior> behind_curves(std::shared_ptr<const InputCurves> curves, std::unique_ptr<Posterior> inner);

}  // namespace alacarte
