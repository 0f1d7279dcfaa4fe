#pragma once
// Whether the gradients that a training would follow are right.
#include <alacarte/app/job.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/train/gradient_checker.hpp>
#include <alacarte/inference/objective.hpp>
#include <functional>
#include <string>

namespace alacarte {

/// Of one model of the recipe, at one number of rows.
struct ModelGradientCheck {
  std::string model;  ///< "gm"
  bool has_features = false;
  Index frequencies = 0;  ///< at which it was checked, if it has features
  Index inputs = 0;
  bool first = false;  ///< the first of this model
  EvaluationPlan plan;
  GradientCheck check;
  double worst = 0;  ///< relative error; infinite where a gradient or a difference is not finite
};

/// Encoded rows of a table for the check.
Dataset rows_to_check(const std::string& path, const Recipe& recipe, const Job& job = {});
/// Rows of friedman1, their target made to classes or counts where the recipe learns such.
Dataset rows_to_check(const Recipe& recipe, std::uint64_t seed);

/// Compares the gradient of the evidence with central differences, for each model of a recipe of learner "gp", at a
/// point near its start, with fewer and with more rows than features, as far as `rows` (encoded, raw units) go; at most
/// 16 frequencies. Calls on_result for each comparison and returns the worst relative error. Throws what making the
/// models throws, NumericalError, Interrupted.
double check_gradients(const Recipe& recipe, const Dataset& rows, std::uint64_t seed,
                       const std::function<void(const ModelGradientCheck&)>& on_result, const Job& job = {});

}  // namespace alacarte
