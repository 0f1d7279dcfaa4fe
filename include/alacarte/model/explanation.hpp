#pragma once
// Explanations of predictions: the posterior mean averaged over rows with some inputs held, with error bars. An average
// of f is a linear functional of the posterior, so its variance is exact: it takes the covariances between rows into
// account and is not the average of the rows' variances.
//
// Rows are encoded and dense, in the unit of the table (rows, d). Functions throw std::invalid_argument on shapes and
// for models with why_no_explanation(). All results are in the unit of the target; those of a mixture of fits count the
// spread of the fits into the standard deviation. Nothing depends on `threads`.
#include <alacarte/model/fitted_model.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Returns "" if f can be explained, otherwise the reason: models of classes or counts, and of sparse rows, cannot.
std::string why_no_explanation(const FittedModel& model);

/// An input of the table: a number, or a category, whose indicators only change together.
struct ExplainedInput {
  std::string name;                     ///< name of the column
  Index first = 0, width = 1;           ///< its encoded columns
  std::vector<std::string> categories;  ///< empty for numbers
};
/// Returns all inputs, in the order of the schema.
std::vector<ExplainedInput> explained_inputs(const Schema& schema);

/// A value of an input, as it is encoded and as a table has it.
struct InputValue {
  Vector encoded;     ///< (width)
  double number = 0;  ///< the value of a number; 0 for a category
  std::string label;  ///< the value as text
};
/// Returns the value of an input in a row; an unknown category is "(none)".
InputValue value_of(const ExplainedInput& input, ConstMat row);
/// Returns values to set an input to. For a number these are all its values in `rows`, if there are at most `count`,
/// else as many quantiles, evenly from 5 to 95 %, ascending; for a category all of its values.
std::vector<InputValue> typical_values(const ExplainedInput& input, ConstMat rows, Index count);

/// Mean and standard deviation of a number under the posterior; the latter is 0 for a model without variances.
struct Estimate {
  double mean = 0;  ///< posterior mean, in the unit of the target
  double sd = 0;    ///< its standard deviation
};
/// Estimates sum_i weights_i f(row_i). Cost: FunctionPosterior::functional() of each fit.
Estimate estimate_sum(const FittedModel& model, ConstMat rows, ConstVec weights);

/// The average of f over the rows with one input set to each of its values (Friedman 2001, section 8.2).
struct PartialDependence {
  ExplainedInput input;            ///< the input that is set
  std::vector<InputValue> values;  ///< its values, from typical_values()
  std::vector<Estimate> f;         ///< the average at each value
  double spread = 0;  ///< standard deviation of the means over the values: how much f changes with the input
};
/// Computes the dependence at no more than `count` values of a number. Throws as FunctionPosterior::functional(). Cost:
/// estimate_sum() for each value.
PartialDependence partial_dependence(const FittedModel& model, ConstMat rows, const ExplainedInput& input, Index count,
                                     int threads = 1);

/// Joint effect of two inputs beyond their separate effects, by the averages of f over the rows:
///   I(a, b) = f(both set) - f(first set to a) - f(second set to b) + f(none set);
/// zero everywhere for functions in which the two add up.
struct Interaction {
  ExplainedInput first;                   ///< set to a
  ExplainedInput second;                  ///< set to b
  std::vector<InputValue> first_values;   ///< values of a
  std::vector<InputValue> second_values;  ///< values of b
  Matrix mean, sd;                        ///< (first_values, second_values) of I
  double strength = 0;                    ///< root mean square of the means
};
/// Computes the interaction at no more than `count` values of a number. Throws as FunctionPosterior::functional().
/// Cost: estimate_sum() for each pair of values.
Interaction interaction(const FittedModel& model, ConstMat rows, const ExplainedInput& first,
                        const ExplainedInput& second, Index count, int threads = 1);

/// Increase of the mean prediction's error when an input is permuted among the rows (Breiman 2001, section 10).
struct PermutationImportance {
  std::vector<ExplainedInput> inputs;  ///< sorted by falling increase
  Vector increase;                     ///< (inputs) rise of the root mean squared error, averaged over the permutations
  Vector standard_error;               ///< (inputs) standard error of that average
  double rmse = 0;                     ///< root mean squared error of the rows as they are
};
/// Permutes each input `repeats` >= 2 times. target (rows); weights (rows) of squared errors, or empty. Cost: a mean
/// prediction of all rows for each input and permutation.
PermutationImportance permutation_importance(const FittedModel& model, ConstMat rows, ConstVec target, ConstVec weights,
                                             Index repeats, std::uint64_t seed, int threads = 1);

/// Returns the root mean square change of the mean prediction when an input is permuted among the rows, once: (inputs
/// of explained_inputs()). It shows quickly which inputs matter, without targets.
Vector influence(const FittedModel& model, ConstMat rows, std::uint64_t seed, int threads = 1);

/// Shapley values of one prediction by sampled permutations (Strumbelj and Kononenko 2014): the change by each input
/// when the inputs of a row of `rows` become those of the explained row one after the other, averaged over orders and
/// rows.
struct ShapleyValues {
  std::vector<ExplainedInput> inputs;    ///< inputs in the order of the schema
  std::vector<InputValue> values;        ///< values of the row
  std::vector<Estimate> shapley;         ///< sampled values, whose means add up to prediction - average, to rounding
  std::optional<Vector> sampling_error;  ///< (inputs) standard error for the orders sampled; none of one pair
  double prediction = 0;                 ///< mean prediction of the row
  double average = 0;                    ///< average of the mean predictions of `rows`
  Index orders = 0;                      ///< permutations drawn in all
};
/// Explains row (1, d). pairs: permutations drawn for each row, each with its reverse. Cost: 2 pairs rows (inputs + 1)
/// mean predictions, and estimate_sum() of 4 pairs rows for each input of a model with variances.
ShapleyValues shapley_values(const FittedModel& model, ConstMat rows, ConstMat row, Index pairs, std::uint64_t seed,
                             int threads = 1);

/// Results of explain(), in target units, or those of the transformed target.
struct Explanation {
  std::string target;                                      ///< name of the column
  Index rows = 0, background = 0;                          ///< rows given and rows averaged over
  bool variances = true;                                   ///< true if estimates have standard deviations
  std::vector<PartialDependence> partial_dependence = {};  ///< in order of decreasing spread
  std::vector<Interaction> interactions = {};              ///< in order of decreasing strength
  std::optional<PermutationImportance> importance = {};    ///< empty without any target
  Index importance_rows = 0, repeats = 0;                  ///< rows with a target; permutations of each input
  std::optional<ShapleyValues> shapley = {};               ///< Shapley values of `row`
  Index row = 0;                                           ///< explained data row, counted from 1; 0: none
  std::string transform = {};  ///< TargetTransform::text() if f is of the transformed target; importance is not
};

/// mean = intercept + sum_j value_j x_j, with x and the mean in the units of the inputs and the target.
struct LinearCoefficients {
  /// Coefficient of one input.
  struct Coefficient {
    std::string name;          ///< name of the encoded input
    double value = 0;          ///< target units per input unit
    std::optional<double> sd;  ///< posterior standard deviation; empty for a model saved with --mean-only
  };
  double intercept = 0;             ///< mean where all inputs are 0
  std::vector<Coefficient> inputs;  ///< in schema order
};

// Slopes: the derivative of the predicted function by each numeric input, in the unit of the target over that of the
// input. The derivative of a Gaussian process is one itself (Rasmussen and Williams 2006, section 9.4), so every slope
// has a variance.

/// Returns the encoded inputs that are numbers of the table, ascending: all except the indicators of categories.
std::vector<Index> numeric_inputs(const Schema& schema);

/// Returns "" if `model` has a gradient; otherwise the reason, naming the map or kernel: classes and counts have none,
/// nor have sparse rows, maps whose features have steps (gcws) or kernels whose processes have no derivative (min-max;
/// exact Matern with nu <= 1).
std::string why_no_gradient(const FittedModel& model);

/// Slopes at some rows.
struct GradientPrediction {
  Matrix mean;      ///< (rows, k) d mean / d input_k: of the mixture, the weighted mean of the fits' slopes
  Matrix variance;  ///< (rows, k) of the slope of f, noise has none; of the mixture, with the spread of the fits; (0,
                    ///< 0) if it is not wanted
};

/// Computes the slopes of f at raw (rows, d), encoded as for FittedModel::predict(), by the encoded inputs `inputs`
/// (k). `variance`: throws NumericalError if the model has none. The result does not depend on `threads`. Throws
/// ConfigError with why_no_gradient(), std::invalid_argument on shapes. Cost: that of predict() for each input; for
/// means alone O(rows D) for each input.
GradientPrediction predict_gradient(const FittedModel& model, const InputView& raw, const std::vector<Index>& inputs,
                                    bool variance, int threads = 1);

}  // namespace alacarte
