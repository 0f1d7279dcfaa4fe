#pragma once
// A posterior behind what its fit saw of the inputs: every answer is the inner posterior's at those columns.
#include <alacarte/model/posterior.hpp>
#include <memory>

#include "model/fit_inputs.hpp"

namespace alacarte {

/// Returns the posterior of the columns that `inputs` makes of standardised rows: of one function if `inner` is; null
/// inputs: `inner` itself. Its Posterior::behind() names both parts. It saves curves beside the inner state, under
/// "curves/"; trees are saved once for all fits of a model (FittedModel::save()).
std::unique_ptr<Posterior> behind_inputs(std::shared_ptr<const FitInputs> inputs, std::unique_ptr<Posterior> inner);

}  // namespace alacarte
