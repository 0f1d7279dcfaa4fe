#pragma once
// What the target is, given f: the seam at which Laplace's approximation (inference/inference.hpp, math.md section 8)
// and predictions meet a likelihood. A new one: one file, one line of the registry in src/model/likelihood.cpp, and the
// tests that iterate the registry.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// Place of the pair a >= b among the K(K+1)/2 of K outputs: by columns of the lower triangle.
inline Index packed_index(Index a, Index b, Index outputs) { return b * outputs - b * (b - 1) / 2 + a - b; }
inline Index pair_count(Index outputs) { return outputs * (outputs + 1) / 2; }

/// log p(y | f) of rows, with f (rows, K). Log-concave in f, so that the mode is one. Each row counts weights_i (rows)
/// times. Const and shared by threads. Throws std::invalid_argument on shapes.
class Likelihood {
 public:
  virtual ~Likelihood() = default;
  /// K: functions to be learned, where the target has so many classes (0: is a number).
  virtual Index outputs(Index classes) const = 0;
  /// Sum of weights_i log p(y_i | f_i).
  virtual double value(ConstMat f, ConstVec y, ConstVec weights) const = 0;
  /// The same, with gradient (rows, K) = weights d log p / d f and curvature (rows, pairs) = W, the negative second
  /// derivatives times the weights, both overwritten.
  virtual double derivatives(ConstMat f, ConstVec y, ConstVec weights, MatRef gradient, MatRef curvature) const = 0;
  /// slopes (rows, K), overwritten: half of sum_ab leverages_ab d W_ab / d f_k over all a and b; leverages (rows,
  /// pairs) symmetric in a and b.
  virtual void curvature_slopes(ConstMat f, ConstVec y, ConstVec weights, ConstMat leverages, MatRef slopes) const = 0;
  /// Where Newton's method begins, for a target of this mean: a constant f of every output.
  virtual double start(double target_mean) const = 0;
  /// Standard deviation of f that training begins with.
  virtual double start_sd() const = 0;
  /// "" when y (rows) is what this likelihood is of, or what is wrong with it ("-1 is no count").
  virtual std::string validate_targets(ConstVec y) const = 0;
  /// Of classes: E p(class | f) for f ~ N(means, covariances) of each row: (rows, classes), each row's sum 1 to
  /// rounding. means (rows, K); covariances (rows, pairs), or empty: 0.
  virtual Matrix probabilities(ConstMat means, ConstMat covariances) const;
};

/// Expectations of derivatives()'s gradient and curvature over f ~ N(means, covariances) of each row, by 512 fixed
/// points; shapes as there, covariances (rows, pairs). Cost 512 times that of derivatives().
void expected_derivatives(const Likelihood& likelihood, ConstMat means, ConstMat covariances, ConstVec y,
                          ConstVec weights, MatRef gradient, MatRef curvature);

/// One line of the registry.
struct LikelihoodEntry {
  std::string name;         ///< the recipe's "likelihood"
  std::string description;  ///< one sentence
  std::string formula;
  bool classes = false;   ///< the target is a class, not a number
  Index max_classes = 0;  ///< of them; 0 = any number
  /// nullptr: gaussian, whose posterior is known in closed form (model/linear_gaussian.hpp).
  const Likelihood* likelihood = nullptr;
};

const std::vector<LikelihoodEntry>& likelihoods();
/// nullptr when there is none of that name.
const LikelihoodEntry* find_likelihood(const std::string& name);

/// That of a fit by Laplace's approximation; nullptr for gaussian, and for learners that are no Gaussian process.
const Likelihood* laplace_likelihood(const Recipe& recipe);
/// Whether the target of a recipe is a class: that of a likelihood of classes, or of a classifier.
bool learns_classes(const Recipe& recipe);
/// Whether its class_values() are probabilities; svm has decision values alone.
bool gives_probabilities(const Recipe& recipe);

/// From the outputs of one fit, latent means (rows, outputs) and covariances (as Likelihood::probabilities()), the
/// values (rows, K) of its K classes: each row's sum to 1 where they are probabilities. A fit of one output and two
/// classes speaks for the second one. logistic: the logistic function of each output, divided by their sum (one against
/// the rest, as LIBLINEAR has it); svm: the outputs themselves. Throws std::invalid_argument on shapes.
Matrix class_values(const Recipe& recipe, ConstMat means, ConstMat covariances, Index classes);

/// What follows from likelihood and learner: a class is of any text (data.labels), and only a gaussian target is
/// scaled; so for the members of a mixture. Throws ConfigError for a likelihood that is not registered, and for options
/// that likelihood or learner does not use. fit() does it to its recipe; who reads the data by a recipe must do it
/// before.
Recipe apply_likelihood_defaults(Recipe recipe);

}  // namespace alacarte
