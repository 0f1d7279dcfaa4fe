#pragma once
// Observation models p(y | f): the interface between inference (in closed form, or by Laplace's approximation:
// inference/inference.hpp, math.md section 8), prediction and a likelihood. A new likelihood is one class, one line of
// the registry in src/model/likelihood.cpp, and is covered by the tests that iterate the registry.
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Index of the pair (a, b), a >= b, in the packed lower triangle (by columns) of a K x K matrix, K = `outputs`.
inline Index packed_index(Index a, Index b, Index outputs) { return b * outputs - b * (b - 1) / 2 + a - b; }
inline Index pair_count(Index outputs) { return outputs * (outputs + 1) / 2; }  ///< entries of such a triangle

/// Kind of a target: numbers, places of classes, or counts (whole numbers from 0 up).
enum class TargetKind { numbers, classes, counts };

/// Noise as a discrete mixture of N(f, variance).
struct NoiseMixture {
  Matrix components;  ///< (J, 2) weights, of sum 1, and variances
  /// (K, 2) logarithms of weights, and variances, of further normals: so rare that they count in densities far out
  /// alone
  Matrix far;
};

/// log p(y | f) of rows, with f (rows, K); log-concave in f, so the mode is unique, except for student-t, whose W is
/// its expectation over y. Row i has weight weights_i (weights: (rows)). Const and shared by threads. Throws
/// std::invalid_argument on shapes.
///
/// A likelihood with parameters of its own (parameters()) stands in the registry at their prior means; at() is the same
/// one elsewhere.
class Likelihood {
 public:
  virtual ~Likelihood() = default;
  virtual TargetKind target() const = 0;  ///< kind of the target
  /// Returns the largest number of classes; 0 = no limit, or the target is no class.
  virtual Index max_classes() const { return 0; }
  /// Returns true if the posterior of f is Gaussian, known in closed form (model/linear_gaussian.hpp). Inference then
  /// learns the noise variance; value() and the derivatives below have the noise as the unit of y and f.
  virtual bool is_conjugate() const { return false; }
  /// Returns K, the number of latent functions, for a target with `classes` classes (0 = no classes).
  virtual Index outputs(Index classes) const = 0;
  /// Returns the sum of weights_i log p(y_i | f_i).
  virtual double value(ConstMat f, ConstVec y, ConstVec weights) const = 0;
  /// Returns value(); gradient (rows, K) = weights d log p / d f and curvature (rows, pairs) = W, the negative second
  /// derivatives times the weights, are overwritten. With several outputs the curvature may have K columns for its
  /// diagonal alone, or none where it is not needed.
  virtual double derivatives(ConstMat f, ConstVec y, ConstVec weights, MatRef gradient, MatRef curvature) const = 0;
  /// Fills slopes (rows, K) with half of sum_ab leverages_ab d W_ab / d f_k over all a and b; leverages (rows, pairs)
  /// symmetric in a and b, or (rows, K) if they are zero off the diagonal.
  virtual void curvature_slopes(ConstMat f, ConstVec y, ConstVec weights, ConstMat leverages, MatRef slopes) const = 0;
  /// Returns the initial value of f (all rows and outputs) for Newton's method, given the mean of the target.
  virtual double start(double target_mean) const = 0;
  /// Returns the initial prior standard deviation of f in training, given that of the target.
  virtual double start_sd(double target_sd) const = 0;
  /// Checks targets y (rows): returns "" if they are in the domain of the likelihood, else the fault ("-1 is no
  /// count").
  virtual std::string validate_targets(ConstVec y) const = 0;
  /// Returns the parameters that are learned beside the kernel's, with priors in the unit of y and f; those that
  /// `noise` sets by hand are not trainable, and their prior mean is the value. None by default.
  virtual ParameterLayout parameters(const NoiseConfig& noise) const;
  /// Returns this likelihood at values theta (size of parameters()); null where it has none.
  virtual std::unique_ptr<Likelihood> at(const NoiseConfig& noise, ConstVec theta) const;
  /// Adds to bar (size of parameters()) the slopes by the parameters at constant f: those of -sum weights log p + sum
  /// leverages weights W / 2 where leverages (rows, pairs) is not empty, those of sum moved weights g where moved
  /// (rows, K) is not empty.
  virtual void parameter_slopes(ConstMat f, ConstVec y, ConstVec weights, ConstMat leverages, ConstMat moved,
                                VecRef bar) const;
  /// Returns true if W is the same for every f and y, so that it is summed once in a search for the mode.
  virtual bool has_constant_curvature() const { return false; }
  /// Returns the variance of y given f, for numbers that are not conjugate. 0 by default.
  virtual double noise_variance() const { return 0; }
  /// Returns y given f, for numbers, as a mixture. Empty by default: one component with noise_variance().
  virtual NoiseMixture noise_mixture() const { return {}; }
  /// Returns a of the variance u + a u^2 of counts at the mean u = exp(f). 0 by default.
  virtual double dispersion() const { return 0; }
  /// Returns true if the scale of the target is learned from its quartiles, which outliers do not move.
  virtual bool wants_robust_scale() const { return false; }
  /// Returns class probabilities E p(class | f), f ~ N(means, covariances) for each row: (rows, classes); rows sum to 1
  /// up to rounding. means (rows, K); covariances (rows, pairs), or empty for 0. Only for likelihoods of classes.
  virtual Matrix probabilities(ConstMat means, ConstMat covariances) const;
};

/// Computes the expectations of gradient and curvature of derivatives() over f ~ N(means, covariances) of each row, by
/// 512 fixed points; shapes as there, covariances (rows, pairs). Cost 512 times that of derivatives().
void expected_derivatives(const Likelihood& likelihood, ConstMat means, ConstMat covariances, ConstVec y,
                          ConstVec weights, MatRef gradient, MatRef curvature);

/// An entry of the registry of likelihoods.
struct LikelihoodEntry {
  std::string name;              ///< the recipe's "likelihood"
  std::string description;       ///< one sentence
  std::string formula;           ///< formula of p(y | f)
  const Likelihood& likelihood;  ///< lives as long as the program
};

const std::vector<LikelihoodEntry>& likelihoods();  ///< the registry
/// Returns nullptr when there is none of that name.
const LikelihoodEntry* find_likelihood(const std::string& name);
const Likelihood& gaussian_likelihood();  ///< numbers with gaussian noise; its evidence has closed form

/// Returns the likelihood of a Gaussian process. Throws ConfigError for one that is not registered,
/// std::invalid_argument for the learners svm and logistic, which have none.
const Likelihood& likelihood_of(const Recipe& recipe);
/// Returns the likelihood of a recipe at theta, the values of its own parameters (size 0: it has none, or they are at
/// their start); owned is set where it is not that of the registry, and must live as long as the result is used.
const Likelihood& likelihood_at(const Recipe& recipe, ConstVec theta, std::unique_ptr<Likelihood>& owned);
/// Returns the kind of a recipe's target: that of its likelihood, or classes for a classifier. Throws ConfigError as
/// likelihood_of().
TargetKind target_kind(const Recipe& recipe);
/// Returns true if class_values() are probabilities; svm has decision values alone.
bool gives_probabilities(const Recipe& recipe);

struct RefusedTarget {
  Index row;        ///< its row, from 0
  std::string why;  ///< text of Likelihood::validate_targets()
};
/// Returns the first target of y (rows) that is not in the domain of the likelihood. Cost O(rows).
std::optional<RefusedTarget> refused_target(const Likelihood& likelihood, ConstVec y);

/// Computes the values (rows, K) of K classes from the outputs of one fit, latent means (rows, outputs) and covariances
/// (as Likelihood::probabilities()): each row's sum to 1 where they are probabilities. A fit of one output and two
/// classes speaks for the second one. logistic: the logistic function of each output, divided by their sum (one against
/// the rest, as LIBLINEAR has it); svm: the outputs themselves. Throws std::invalid_argument on shapes.
Matrix class_values(const Recipe& recipe, ConstMat means, ConstMat covariances, Index classes);

/// Sets the defaults that likelihood and learner imply: data.labels for targets that are classes, and no scaling of
/// targets that are not gaussian; also for the members of a mixture. Throws ConfigError for a likelihood that is not
/// registered and for options that likelihood or learner does not use. fit() applies it; call it before reading data by
/// a recipe.
Recipe apply_likelihood_defaults(Recipe recipe);

}  // namespace alacarte
