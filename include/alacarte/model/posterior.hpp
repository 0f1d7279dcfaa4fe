#pragma once
// The posterior of one fit, in standardised units: everything that prediction needs.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/model/prior.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

struct FeatureState;  // model/posteriors.hpp
struct ExactState;
class FitInputs;  // model/fit_inputs.hpp

class FunctionPosterior;

/// Const and thread-safe; every answer is a function of the stored tensors alone, so it is bit-equal after loading.
/// Rows come dense, or by their nonzeros where the map reads those (FeatureMap::sparse_support); otherwise sparse rows
/// are a std::invalid_argument.
class Posterior {
 public:
  virtual ~Posterior() = default;
  /// Returns the number of functions K that the fit has learned: 1, or one for each class.
  virtual Index outputs() const = 0;
  /// Computes latent means (rows, K) and covariances (rows, K(K+1)/2: packed_index() of likelihood.hpp) of all outputs
  /// at x (rows, d), standardised; empty covariances are skipped. Throws NumericalError when covariances are asked of a
  /// posterior without variances. Cost: K times that of FunctionPosterior::predict(), the features once.
  virtual void predict_outputs(const InputView& x, MatRef means, MatRef covariances) const = 0;
  virtual double noise_variance() const { return 0; }  ///< s2, in standardised units squared; 0 without gaussian noise
  virtual bool has_variance() const = 0;               ///< false for decision functions, and if means alone were saved
  /// Puts the state under `prefix`: "offset", "noise_variance", "constant_variance" (1 each); features: "weights",
  /// "centre" (D); dual and exact: "training_inputs" (n, d); exact, gaussian: "alpha", "row_means" (n); and "factor", a
  /// lower triangle packed by columns. mean_only leaves out the parts that only variances need: for features that is
  /// everything that belongs to the training rows.
  virtual void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const = 0;
  /// A posterior of other columns than the standardised inputs, which it makes of them; both are null for one that sees
  /// these themselves.
  struct Behind {
    std::shared_ptr<const FitInputs> inputs;
    const Posterior* inner = nullptr;  ///< the posterior of those columns
  };
  virtual Behind behind() const { return {}; }
  /// Returns this posterior as that of one function with a distribution, or null: several outputs and decision
  /// functions of classifiers have predict_outputs() alone.
  virtual const FunctionPosterior* as_function() const { return nullptr; }
};

/// The posterior of one function: primal (weights and the D x D factor), dual (training inputs and the n x n factor
/// over features, for n < D), or an exact process (math.md, section 1; model/linear_gaussian.hpp has the formulas with
/// a constant mean); an exact process by Laplace's approximation is primal on n features, with their residual variance.
class FunctionPosterior : public Posterior {
 public:
  Index outputs() const final { return 1; }
  void predict_outputs(const InputView& x, MatRef means, MatRef covariances) const final;
  const FunctionPosterior* as_function() const final { return this; }
  /// Computes latent mean and variance of f at x (rows, d), each (rows), standardised. For features the variance is a
  /// sum of squares, so never negative; for an exact process it is a difference, lifted to a few roundings of k(x, x).
  /// An empty variance is skipped. Throws NumericalError when a variance is asked of a mean-only posterior. Cost a row,
  /// beside the features: primal D^2, dual 4nD + 2n^2, exact n^2 flops; the mean alone 2D or 2n.
  virtual void predict(const InputView& x, VecRef mean, VecRef variance) const = 0;
  struct Moments {
    double mean = 0, variance = 0;  ///< moments of f, standardised
  };
  /// Returns latent mean and variance of f at one point x (d), standardised: equal to predict() but for rounding, at
  /// the latency of matrix-vector products. work (one_row_work()) is overwritten; allocates nothing except thread-local
  /// buffers of the feature map in the first call of a thread. Without `variance` it comes back as 0. Throws as
  /// predict(). Cost, beside the features: primal D^2, dual 4nD + 2n^2, exact n^2 flops.
  virtual Moments predict_one(ConstVec x, VecRef work, bool variance) const = 0;
  virtual Index one_row_work() const = 0;  ///< numbers of work space that predict_one() needs
  /// Returns the latent covariance (rows, rows). Throws as predict(). Cost O(rows D^2) or O(rows n^2), memory
  /// O(rows^2).
  virtual Matrix covariance(const InputView& x) const = 0;
  /// Draws `count` whole functions from the posterior, without noise, and evaluates them at x: (rows, count). For
  /// feature posteriors rows may be asked in chunks with an equally seeded stream and belong to the same functions; an
  /// exact process draws jointly. Throws as predict().
  virtual Matrix draws(const InputView& x, Index count, RandomStream& stream) const = 0;
  /// One term of an additive model, at some rows, in standardised units; the means of all add up to f except for a
  /// constant.
  struct TermMoments {
    std::string model;                      ///< name of its map or kernel
    Vector prior_variance, mean, variance;  ///< (rows) each, of the term's own function
  };
  /// Returns the moments at x (rows, d) of each term of FeatureMap::terms() or Kernel::terms(); empty for a model that
  /// is not additive. Throws as predict(). Cost: that of a variance for each term, and for a kernel its Gram matrix of
  /// the training rows, on `threads`.
  virtual std::vector<TermMoments> term_moments(const InputView& x, int threads = 1) const = 0;
  /// Returns true if f has a derivative, and so predict_tangents(): PreparedMap or Kernel has_tangent().
  virtual bool has_tangent() const = 0;
  /// direction(k, first, x_dot), as predict_tangents() calls it.
  using Direction = std::function<void(Index k, Index first, MatRef x_dot)>;
  /// Computes latent means and variances (rows, directions) of the derivatives of f at the dense rows x (rows, d) along
  /// some directions, standardised: direction(k, first, x_dot) fills x_dot (m, d) with the k-th direction at the m rows
  /// from `first` on. Empty variances are skipped. Throws as predict(), and std::invalid_argument without
  /// has_tangent(). Cost: that of predict() for each direction.
  virtual void predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                                MatRef variances) const = 0;
  /// Returns latent mean and variance of the number sum_i weights_i f(x_i), for weights (rows), exactly: those of an
  /// average of f where the weights are 1 / rows. Throws as predict(). Cost, beside the features: primal D^2, dual
  /// 4nD + 2n^2, exact n^2 and the Gram matrix of x, which is also the memory.
  virtual Moments functional(const InputView& x, ConstVec weights, bool variance) const = 0;
  /// The state of a gaussian posterior over features, or null.
  virtual const FeatureState* feature_state() const { return nullptr; }
  virtual const ExactState* exact_state() const { return nullptr; }  ///< the state of an exact process, or null
};

/// Returns posterior.as_function(). Throws std::invalid_argument where there is none.
const FunctionPosterior& function_of(const Posterior& posterior);

/// Loads what save() wrote; the map or kernel must have been loaded first. theta: its parameters; further entries (the
/// noise) are ignored. Throws IoError naming a tensor that does not fit.
std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix, const Prior& prior,
                                          ConstVec theta);

}  // namespace alacarte
