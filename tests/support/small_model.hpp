#pragma once
// Small, untrained models of every registered kind (at a starting point), to test save, load and predict without
// training.
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Returns the names of all feature maps, then all kernels.
std::vector<std::string> registered_models();

/// Rows of a small regression problem with two inputs of different scale and a target far from zero.
struct SmallProblem {
  Schema schema;
  Dataset rows;
};
SmallProblem small_problem(Index rows);

/// Returns a model with one member per name, in the given order; features of 6 frequencies, 2 components.
FittedModel small_model(const std::vector<std::string>& names, const SmallProblem& problem);

}  // namespace alacarte
