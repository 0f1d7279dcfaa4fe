#pragma once
// Compares the gradients that training follows with finite differences.
#include <alacarte/app/job.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/inference/objective.hpp>
#include <alacarte/optimise/gradient_checker.hpp>
#include <functional>
#include <string>

namespace alacarte {

/// Gradient check of one model of the recipe at one number of rows.
struct ModelGradientCheck {
  std::string model;          ///< "gm"
  bool has_features = false;  ///< a feature map; otherwise an exact kernel
  Index frequencies = 0;      ///< number of frequencies in the check; 0 without features
  Index inputs = 0;           ///< d
  bool first = false;         ///< first check of this model
  EvaluationPlan plan;        ///< form and sizes of the evaluation that was checked
  GradientCheck check;        ///< analytic and numeric slopes by entry of theta, the worst first
  double tolerance = 1e-5;    ///< largest acceptable error; 1e-3 in mixed precision
  double worst = 0;           ///< largest relative error; infinite if a gradient or a difference is not finite
};

/// The check with the largest ratio of error to tolerance.
struct GradientAgreement {
  double worst = 0;                                  ///< relative error
  double tolerance = 1e-5;                           ///< of that check
  bool holds() const { return worst <= tolerance; }  ///< the worst error is acceptable
};

/// Reads and encodes the rows of a table for check_gradients(). Throws DataError, ConfigError, IoError.
Dataset rows_to_check(const std::string& path, const Recipe& recipe, const Job& job = {});
/// Generates rows of friedman1; the target is converted to classes or counts if the likelihood needs them.
Dataset rows_to_check(const Recipe& recipe, std::uint64_t seed);

/// Compares the gradient of the negative log evidence with central differences for each model of a recipe with learner
/// "gp": at a point near its first start, with fewer and with more rows than features as far as `rows` (encoded, raw
/// units) suffice, and with at most 16 frequencies. The objective is the one that training minimises: class weights,
/// precision and initial noise included. Calls on_result after each comparison and returns the worst. Throws what
/// constructing the models throws, NumericalError, Interrupted.
GradientAgreement check_gradients(const Recipe& recipe, const Dataset& rows, std::uint64_t seed,
                                  const std::function<void(const ModelGradientCheck&)>& on_result, const Job& job = {});

}  // namespace alacarte
