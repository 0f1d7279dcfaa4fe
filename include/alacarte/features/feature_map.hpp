#pragma once
// The contract of every feature map, and the buffer that it writes to: psi(x) in R^D with k(x, x') = psi(x)^T psi(x'),
// the signal variance included.
//
//   theta --prepare--> PreparedMap --forward--> Psi          once an evaluation, then once for each chunk of rows
//   theta_bar <--finish-- sums <--backward-- Psi_bar         its adjoint (reverse mode), written by hand
//
// The cotangent of a quantity q is q_bar = d objective / d q. Randomness is drawn when a map is made, from named
// streams; a map is const after that. Methods throw std::invalid_argument if shapes do not fit.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/model_info.hpp>
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/training_statistics.hpp>
#include <alacarte/core/types.hpp>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace alacarte {

// Output buffer of a feature map.

/// Destination of n rows of D features, in someone else's memory, which must outlive the block: a dense column-major
/// matrix (n, D) or SparseRows, which grow as they are filled. Either is overwritten. Cheap to copy.
class FeatureBlock {
 public:
  /// psi (n, D): anything convertible to MatRef, such as writable matrices and blocks of columns or rows.
  template <class Dense>
  requires std::is_convertible_v<Dense, MatRef> FeatureBlock(Dense&& psi) {
    MatRef view(psi);
    dense_ = view.data();
    stride_ = view.outerStride();
    rows_ = view.rows();
    cols_ = view.cols();
  }
  FeatureBlock(SparseRows& psi) : sparse_(&psi) {}  ///< writes CSR rows

  bool is_sparse() const { return sparse_ != nullptr; }  ///< true if features are written as CSR rows
  /// Returns the matrix (n, D). Throws std::invalid_argument for sparse features.
  MatRef dense() const;
  /// Returns the CSR rows. Throws std::invalid_argument for dense features.
  SparseRows& sparse() const;

 private:
  double* dense_ = nullptr;
  Index stride_ = 0, rows_ = 0, cols_ = 0;
  SparseRows* sparse_ = nullptr;
};

/// Floating-point type that a linear predictor computes in. float32 is about twice as fast; its error is about 1e-7
/// times the largest phase (1 at least) of sum_j |psi_j w_j|: length-scales far below the distances cost digits.
enum class FloatType { float64, float32 };

/// Evaluates f(x) = psi(x)^T w for fixed weights w. Const and shared by threads.
class LinearPredictor {
 public:
  virtual ~LinearPredictor() = default;
  /// Adds psi(x) w to f (n) for the rows x (n, d). Allocates nothing after a thread's first call. Throws
  /// std::invalid_argument for other shapes, and for sparse rows if the map does not read them.
  virtual void add(const InputView& x, VecRef f) const = 0;
};

/// A feature map prepared at one theta: precomputed quantities that do not depend on the rows. Const and shared by
/// threads. Rows are independent, so they may come in chunks of any size. Sparse rows require sparse_support().inputs,
/// sparse features sparse_support().features; both throw std::invalid_argument otherwise.
class PreparedMap {
 public:
  virtual ~PreparedMap() = default;

  /// Computes the features of the rows x (n, d) into psi (n, D), overwritten. Sparse rows give the features of the same
  /// rows in a dense matrix, to rounding, at a cost proportional to their nonzeros.
  virtual void forward(const InputView& x, FeatureBlock psi) const = 0;

  /// Adds the contribution of these rows to `sums` (accumulator_size()), from which finish() forms theta_bar. x (n, d);
  /// psi (n, D), the output of forward() for x; psi_bar (n, D). Costs about as much as forward().
  virtual void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;

  /// Calls forward() into psi (n, D), `between`, which computes psi_bar (n, D) from it, and backward(), for passes that
  /// go over the rows once. Maps whose backward() would recompute intermediates of forward() keep them meanwhile.
  virtual void forward_backward(const InputView& x, MatRef psi, MatRef psi_bar, const std::function<void()>& between,
                                VecRef sums) const;

  /// Adds the cotangent of the rows to x_bar (n, d); x, psi and psi_bar as for backward(). Throws std::invalid_argument
  /// without FeatureMap::has_input_gradient(). Costs at most as much as backward().
  virtual void add_input_gradient(const InputView& x, ConstMat psi, ConstMat psi_bar, MatRef x_bar) const;

  /// Computes psi_dot (n, D), overwritten: the derivative of psi along x_dot (n, d), a direction for each row (forward
  /// mode). psi (n, D) is the output of forward() for the dense rows x. Throws std::invalid_argument without
  /// FeatureMap::has_tangent(). Costs about as much as forward().
  virtual void forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const;

  /// Returns the length of `sums`. They are sums over rows: add those of chunks, threads and processes to merge them.
  virtual Index accumulator_size() const = 0;

  /// Pulls the sums over all rows back to the parameters: adds to theta_bar (parameters().size()). Once an evaluation.
  virtual void finish(ConstVec sums, VecRef theta_bar) const = 0;

  /// Returns a predictor psi(x)^T w for weights w (D). Maps that can fuse the product into the features never store
  /// them, and follow `type`; the others evaluate forward() in float64. The predictor must not outlive this map.
  virtual std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights,
                                                            FloatType type = FloatType::float64) const;

  /// Adds the variances, at the rows x (n, d), of the part of the process beyond psi^T w, w ~ N(0, I), and independent
  /// of it (FeatureMap::has_residual()), to `variance` (n). psi (n, D) is the output of forward() for x. By default
  /// nothing is added or allocated.
  virtual void add_residual_variance(const InputView& /*x*/, ConstMat /*psi*/, VecRef /*variance*/) const {}
  /// Adds the means of that part, which are 0 by default, to `mean` (n).
  virtual void add_residual_mean(const InputView& /*x*/, VecRef /*mean*/) const {}
  /// Adds the lower triangle of the covariance of that part to `covariance` (n, n).
  virtual void add_residual_covariance(const InputView& /*x*/, ConstMat /*psi*/, MatRef /*covariance*/) const {}
  /// Adds the variances of that part's derivative along x_dot (n, d); psi_dot (n, D) is that of forward_tangent().
  virtual void add_residual_tangent_variance(const InputView& /*x*/, ConstMat /*x_dot*/, ConstMat /*psi_dot*/,
                                             VecRef /*variance*/) const {}

  /// Returns the number Q of terms in a cheaper form of the Gram matrix, 0 if unsupported:
  ///   psi psi^T = sum_q (phi_q phi_q^T) * cos(zeta_q 1^T - 1 zeta_q^T), entry by entry,
  /// phi_q (n, modulated_width()), zeta_q (n) in radians. Together the phi_q are narrower than psi.
  virtual Index modulated_terms() const { return 0; }
  virtual Index modulated_width() const { return 0; }  ///< columns of every phi_q; 0 if unsupported
  /// Computes phi_q and zeta_q of the rows x (n, d), both overwritten, 0 <= q < modulated_terms().
  virtual void forward_modulated(Index q, const InputView& x, MatRef phi, VecRef zeta) const;
  /// Adds the adjoint of forward_modulated() to the `sums` of backward(). phi is the output of forward_modulated();
  /// phi_bar (n, modulated_width()), zeta_bar (n).
  virtual void backward_modulated(Index q, const InputView& x, ConstMat phi, ConstMat phi_bar, ConstVec zeta_bar,
                                  VecRef sums) const;
};

/// The spectral points of a stationary kernel's features, each standing for itself and its negative.
struct FrequencyRows {
  Matrix rows;    ///< (m, d) angular frequencies, radians per unit of the standardised input
  Vector shares;  ///< (m) fraction of the signal variance at each; they sum to 1
};

/// Capabilities of a map with sparse matrices.
struct SparseSupport {
  bool inputs = false;    ///< true if it reads CSR rows at a cost proportional to their nonzeros
  bool features = false;  ///< true if features are sparse, at least for sparse rows; forward() can write SparseRows
};

class FeatureMap;

/// A map with random effects of levels as the sum of the effects of one column and the rest, so that inference need not
/// form the indicators of the levels.
struct LevelSplit {
  std::shared_ptr<const FeatureMap> rest;  ///< reads the same rows; null: there are no random effects
  Index column = 0, levels = 0;            ///< input with the codes 0 .. levels - 1
  Index parameter = 0;  ///< entry of theta with the log standard deviation; the others are the rest's
  /// Returns the parameters of the rest.
  Vector rest_of(ConstVec theta) const {
    Vector own(theta.size() - 1);
    own << theta.head(parameter), theta.tail(theta.size() - parameter - 1);
    return own;
  }
};

/// A feature map with its random draws made: psi as a function of theta and x.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual const ParameterLayout& parameters() const = 0;  ///< the entries of theta: slots, bounds, priors
  virtual Index input_count() const = 0;                  ///< d
  virtual Index feature_count() const = 0;                ///< D
  /// Precomputes what depends only on theta (parameters().size()). Throws std::invalid_argument for another length.
  virtual std::unique_ptr<PreparedMap> prepare(ConstVec theta) const = 0;
  /// Calls prepare() for training on minibatches: some maps then compute products in floats.
  virtual std::unique_ptr<PreparedMap> prepare_single(ConstVec theta) const { return prepare(theta); }
  /// Returns true if its prepared maps have add_input_gradient(), so that another map may stand before it.
  virtual bool has_input_gradient() const { return false; }
  /// Returns true if psi has a derivative by x, so that prepared maps have forward_tangent(); false for steps.
  virtual bool has_tangent() const { return false; }
  virtual SparseSupport sparse_support() const { return {}; }  ///< nothing, unless a map says otherwise
  /// Returns true if f has a part beyond psi^T w: that of an exact kernel outside its training rows. Inference makes
  /// such a map from those rows, and the posterior saves it, not the model.
  virtual bool has_residual() const { return false; }

  /// Returns the k-th initial theta (parameters().size()) for training rows with these statistics, drawn from `stream`;
  /// all values are finite and inside the bounds.
  virtual Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const = 0;

  /// Describes theta for reports.
  virtual KernelDescription describe(ConstVec theta) const = 0;

  /// Returns the frequencies whose cosines and sines make psi; no rows for maps without any. Cost O(m d log d).
  virtual FrequencyRows frequencies(ConstVec /*theta*/) const { return {}; }

  /// Returns (d) radians of a typical phase for each unit of an input, which bound the features
  /// (model/bounded_features.hpp); empty for maps without phases. By default the median |frequency| of frequencies(),
  /// at their cost.
  virtual Vector phase_rates(ConstVec theta) const;

  /// Saves everything drawn or chosen at construction under names beginning with `prefix`; FeatureMapEntry::load reads
  /// it. theta is not part of it.
  virtual void save(TensorBundle& bundle, const std::string& prefix) const = 0;

  /// One term of an additive model f = f_1 + .. + f_T.
  struct TermFeatures {
    std::string model;                ///< name of its map
    Index first = 0, count = 0;       ///< its features are the columns first .. first + count - 1 of psi
    const FeatureMap* map = nullptr;  ///< lives as long as the sum
    Index first_parameter = 0;        ///< its parameters begin here in theta
    Index first_input = 0;            ///< its inputs begin here
  };
  /// Returns the terms in order; empty for a map that is not additive.
  virtual std::vector<TermFeatures> terms() const { return {}; }

  /// Returns the split of the random effects with most levels; its rest is null for a map without any.
  virtual LevelSplit level_split() const { return {}; }

  /// Estimates the bytes of work space of an evaluation with this many threads, beyond the features, D x D matrices and
  /// a few numbers a feature, for the memory plan.
  virtual double work_bytes(int /*threads*/) const { return 0; }

  /// Estimates the floating-point operations of forward() and backward() for one row, for the plan.
  virtual double flops_per_row() const = 0;
};

/// An entry of the registry of feature maps. make() and load() read recipe.features, recipe.kernel and recipe.terms,
/// and of these only the keys that ModelInfo::keys lists: model/registered.hpp refuses others. They throw ConfigError
/// for settings that do not fit; load() throws IoError for tensors that do not.
struct FeatureMapEntry : ModelInfo {
  /// statistics of the training rows are used by maps that are fitted to data (landmarks, spreads).
  std::unique_ptr<FeatureMap> (*make)(const Recipe&, Index input_count, const RandomStreams&,
                                      const TrainingStatistics& statistics);
  /// Loads the map whose save() wrote `prefix` into the bundle, bit for bit.
  std::unique_ptr<FeatureMap> (*load)(const Recipe&, Index input_count, const TensorBundle&, const std::string& prefix);
};

/// Returns all registered maps, in the order of `alacarte kernels`.
const std::vector<FeatureMapEntry>& feature_maps();
/// Returns the entry of that name, or nullptr.
const FeatureMapEntry* find_feature_map(const std::string& name);

}  // namespace alacarte
