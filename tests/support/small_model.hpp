#pragma once
// A fitted model of every registered kind, small and untrained (its parameters are a starting point): what save, load
// and predict need, without the trainer.
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Names of all feature maps, then all kernels.
std::vector<std::string> registered_models();

/// Rows of a small regression problem with two inputs of different scale and a target far from zero.
struct SmallProblem {
  Schema schema;
  Dataset rows;
};
SmallProblem small_problem(Index rows);

/// One member for each name, in the order given; features of 6 frequencies, 2 components.
FittedModel small_model(const std::vector<std::string>& names, const SmallProblem& problem);

}  // namespace alacarte
