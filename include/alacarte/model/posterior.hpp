#pragma once
// The posterior of one fit, in standardised units: everything that prediction needs.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

struct FeatureState;  // model/posteriors.hpp
struct ExactState;

/// Rows come dense, or by their nonzeros where the map reads those (FeatureMap::sparse_support); otherwise sparse rows
/// are a std::invalid_argument.
/// Primal (weights and the D x D factor), dual (training inputs and the n x n factor over features, for n < D), or an
/// exact process (math.md, section 1; model/linear_gaussian.hpp has the formulas with a constant mean); an exact
/// process by Laplace's approximation is primal on n features, with their residual variance. Const and thread-safe;
/// every answer is a function of the stored tensors alone, so it is bit-equal after loading.
class Posterior {
 public:
  virtual ~Posterior() = default;
  /// Latent mean and variance of f at x (rows, d), each (rows), standardised. For features the variance is computed as
  /// a sum of squares, so never negative; for an exact process it is a difference, lifted to a few roundings of
  /// k(x, x). Pass an empty variance to skip it. Throws NumericalError when a variance is asked of a mean-only
  /// posterior. Cost a row, beside the features: primal D^2, dual 4nD + 2n^2, exact n^2 flops; the mean alone 2D or 2n.
  virtual void predict(const InputView& x, VecRef mean, VecRef variance) const = 0;
  /// Number of functions K that the fit has learned: 1, or one for each class.
  virtual Index outputs() const { return 1; }
  /// Latent means (rows, K) and covariances (rows, K(K+1)/2: packed_index() of likelihood.hpp) of all outputs; pass
  /// empty covariances to skip them. Of one output it is predict(). Cost: K times that of predict(), the features once.
  virtual void predict_outputs(const InputView& x, MatRef means, MatRef covariances) const;
  /// Latent mean and variance of f at one point x (d), standardised: what predict() gives, to rounding, at the latency
  /// of matrix-vector products. work (one_row_work()) is overwritten; allocates nothing except thread-local buffers of
  /// the feature map in the first call of a thread. Without `variance` it comes back as 0. Throws as predict(). Cost,
  /// beside the features: primal D^2, dual 4nD + 2n^2, exact n^2 flops.
  struct Moments {
    double mean = 0, variance = 0;  ///< of f, standardised
  };
  virtual Moments predict_one(ConstVec x, VecRef work, bool variance) const = 0;  ///< see Moments
  virtual Index one_row_work() const = 0;  ///< numbers of work space that predict_one() needs
  /// Latent covariance (rows, rows). Cost O(rows D^2) or O(rows n^2), memory O(rows^2).
  /// Throws as predict().
  virtual Matrix covariance(const InputView& x) const = 0;
  /// `count` whole functions drawn from the posterior, without noise, evaluated at x: (rows, count). For feature
  /// posteriors rows may be asked in chunks with an equally seeded stream and belong to the same functions; an exact
  /// process draws jointly. Throws as predict().
  virtual Matrix draws(const InputView& x, Index count, RandomStream& stream) const = 0;
  /// One term of an additive model, at some rows, in standardised units; the means of all add up to f but for a
  /// constant.
  struct TermMoments {
    std::string model;                      ///< name of its map or kernel
    Vector prior_variance, mean, variance;  ///< (rows) each, of the term's own function
  };
  /// Moments at x (rows, d) of each term of FeatureMap::terms() or Kernel::terms(); empty for a model that is not
  /// additive. Throws as predict(). Cost: that of a variance for each term, and for a kernel its Gram matrix of the
  /// training rows, on `threads`.
  virtual std::vector<TermMoments> term_moments(const InputView& x, int threads = 1) const;
  /// Whether f has a derivative, and so predict_tangents(): PreparedMap or Kernel has_tangent(), one output.
  virtual bool has_tangent() const { return false; }
  /// direction(k, first, x_dot), as predict_tangents() calls it.
  using Direction = std::function<void(Index k, Index first, MatRef x_dot)>;
  /// Latent means and variances (rows, directions) of the derivatives of f at the dense rows x (rows, d) along some
  /// directions, standardised: direction(k, first, x_dot) fills x_dot (m, d) with the k-th direction at the m rows
  /// from `first` on. Pass empty variances to skip them. Throws as predict(), and std::invalid_argument without
  /// has_tangent(). Cost: that of predict() for each direction.
  virtual void predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                                MatRef variances) const;
  /// Latent mean and variance of the number sum_i weights_i f(x_i), for weights (rows), exactly: that of an average of
  /// f where they are 1 / rows. Throws as predict(), and std::invalid_argument with more than one output. Cost, beside
  /// the features: primal D^2, dual 4nD + 2n^2, exact n^2 and the Gram matrix of x, which is also the memory.
  virtual Moments functional(const InputView& x, ConstVec weights, bool variance) const;
  virtual double noise_variance() const = 0;  ///< s2, in standardised units squared
  virtual bool has_variance() const = 0;      ///< false: means alone were saved
  /// Puts the state under `prefix`: "offset", "noise_variance", "constant_variance" (1 each); features: "weights",
  /// "centre" (D); dual and exact: "training_inputs" (n, d); exact, gaussian: "alpha", "row_means" (n); and "factor", a
  /// lower triangle packed by columns. mean_only leaves out what only variances need: for features that is everything
  /// of the training rows.
  virtual void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const = 0;
  /// What it was made of, where it is that of the gaussian likelihood over features, or of an exact process; else null.
  virtual const FeatureState* feature_state() const { return nullptr; }
  virtual const ExactState* exact_state() const { return nullptr; }  ///< see feature_state()
};

/// The counterpart of save(); the map or kernel must have been loaded first. theta: its parameters; further entries
/// (the noise) are not looked at. Throws IoError naming a tensor that does not fit.
std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix,
                                          std::shared_ptr<const FeatureMap> map, ConstVec theta);
/// Of an exact kernel.
std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix,
                                          std::shared_ptr<const Kernel> kernel, ConstVec theta);

}  // namespace alacarte
