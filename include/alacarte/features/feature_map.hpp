#pragma once
// The contract of every feature map: psi(x) in R^D with k(x, x') = psi(x)^T psi(x'), the signal variance included.
//
//   theta --prepare--> PreparedMap --forward--> Psi          once an evaluation, then once for each chunk of rows
//   theta_bar <--finish-- sums <--backward-- Psi_bar         its adjoint (reverse mode), written by hand
//
// The cotangent of a quantity q is q_bar = d objective / d q. Randomness is drawn when a map is made, from named
// streams; a map is const after that. Methods throw std::invalid_argument where shapes do not fit.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/model_info.hpp>
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/training_statistics.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/features/feature_block.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Floating-point type that a linear predictor computes in. float32 is about twice as fast; its error is about 1e-7
/// times the largest phase (1 at least) of sum_j |psi_j w_j|: length-scales far below the distances cost digits.
enum class FloatType { float64, float32 };

/// Evaluates f(x) = psi(x)^T w for fixed weights w. Const and shared by threads.
class LinearPredictor {
 public:
  virtual ~LinearPredictor() = default;
  /// f (n) += psi(x) w for the rows x (n, d). Allocates nothing after a thread's first call. Throws
  /// std::invalid_argument for other shapes, and for sparse rows where the map does not read them.
  virtual void add(const InputView& x, VecRef f) const = 0;
};

/// A feature map prepared at one theta: precomputed quantities that do not depend on the rows. Const and shared by
/// threads. Each row is handled on its own, so rows may come in chunks of any size. Sparse rows only where
/// sparse_support().inputs, sparse features only where sparse_support().features; std::invalid_argument otherwise.
class PreparedMap {
 public:
  virtual ~PreparedMap() = default;

  /// Features of the rows x (n, d) into psi (n, D), overwritten. Sparse rows give the features of the same rows in a
  /// dense matrix, to rounding, and cost in proportion to their nonzeros.
  virtual void forward(const InputView& x, FeatureBlock psi) const = 0;

  /// Adds the contribution of these rows to `sums` (accumulator_size()), from which finish() forms theta_bar. x (n, d);
  /// psi (n, D) as forward() gave it for x; psi_bar (n, D). Cost about that of forward().
  virtual void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;

  /// forward() into psi (n, D), `between`, which makes psi_bar (n, D) of it, and backward(), for passes that go over
  /// the rows once. Maps whose backward() would compute again what forward() did keep it meanwhile.
  virtual void forward_backward(const InputView& x, MatRef psi, MatRef psi_bar, const std::function<void()>& between,
                                VecRef sums) const;

  /// Adds the cotangent of the rows to x_bar (n, d); x, psi and psi_bar as for backward(). Only where
  /// FeatureMap::has_input_gradient(); std::invalid_argument otherwise. Cost at most that of backward().
  virtual void add_input_gradient(const InputView& x, ConstMat psi, ConstMat psi_bar, MatRef x_bar) const;

  /// psi_dot (n, D), overwritten: the derivative of psi along x_dot (n, d), a direction for each row (forward mode).
  /// psi (n, D) as forward() gave it for the dense rows x. Only where FeatureMap::has_tangent(); std::invalid_argument
  /// otherwise. Cost about that of forward().
  virtual void forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const;

  /// Length of `sums`. They are plain sums over rows, so those of chunks, threads and processes are merged by addition.
  virtual Index accumulator_size() const = 0;

  /// Pulls the sums over all rows back to the parameters: adds to theta_bar (parameters().size()). Once an evaluation.
  virtual void finish(ConstVec sums, VecRef theta_bar) const = 0;

  /// The predictor psi(x)^T w for weights w (D). Maps that can fuse the product into the features, which are then never
  /// stored, and follow `type`; the others evaluate forward() in float64. The predictor must not outlive this map.
  virtual std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights,
                                                            FloatType type = FloatType::float64) const;

  /// What the process has beyond psi^T w, w ~ N(0, I), independent of it (FeatureMap::has_residual()): adds its
  /// variances at the rows x (n, d) to `variance` (n), or the lower triangle of its covariance to `covariance` (n, n).
  /// psi (n, D) as forward() gave it for x. Nothing is added, and `variance` allocates nothing, by default.
  virtual void add_residual_variance(const InputView& /*x*/, ConstMat /*psi*/, VecRef /*variance*/) const {}
  /// See above.
  virtual void add_residual_covariance(const InputView& /*x*/, ConstMat /*psi*/, MatRef /*covariance*/) const {}
  /// Adds the variances of that part's derivative along x_dot (n, d); psi_dot (n, D) as forward_tangent() gave it.
  virtual void add_residual_tangent_variance(const InputView& /*x*/, ConstMat /*x_dot*/, ConstMat /*psi_dot*/,
                                             VecRef /*variance*/) const {}

  /// Number Q of terms in a cheaper form of the Gram matrix, 0 if unsupported:
  ///   psi psi^T = sum_q (phi_q phi_q^T) * cos(zeta_q 1^T - 1 zeta_q^T), entry by entry,
  /// phi_q (n, modulated_width()), zeta_q (n) in radians. Together the phi_q are narrower than psi.
  virtual Index modulated_terms() const { return 0; }
  virtual Index modulated_width() const { return 0; }  ///< columns of every phi_q; 0 if unsupported
  /// phi_q and zeta_q of the rows x (n, d), both overwritten, 0 <= q < modulated_terms().
  virtual void forward_modulated(Index q, const InputView& x, MatRef phi, VecRef zeta) const;
  /// The adjoint of forward_modulated(): adds to the `sums` of backward(). phi as forward_modulated() gave it; phi_bar
  /// (n, modulated_width()), zeta_bar (n).
  virtual void backward_modulated(Index q, const InputView& x, ConstMat phi, ConstMat phi_bar, ConstVec zeta_bar,
                                  VecRef sums) const;
};

/// The spectral points of a stationary kernel's features, each standing for itself and its negative.
struct FrequencyRows {
  Matrix rows;    ///< (m, d) angular frequencies, radians per unit of the standardised input
  Vector shares;  ///< (m) fraction of the signal variance at each; they sum to 1
};

/// What a map can do with sparse matrices.
struct SparseSupport {
  bool inputs = false;    ///< reads CSR rows without laying them out, at a cost proportional to their nonzeros
  bool features = false;  ///< most features are zero, at least of sparse rows, and forward() can write SparseRows
};

/// A feature map with its random draws made: psi as a function of theta and x.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual const ParameterLayout& parameters() const = 0;  ///< the entries of theta: slots, bounds, priors
  virtual Index input_count() const = 0;                  ///< d
  virtual Index feature_count() const = 0;                ///< D
  /// Precomputes what depends on theta only. theta (parameters().size()); std::invalid_argument for another length.
  virtual std::unique_ptr<PreparedMap> prepare(ConstVec theta) const = 0;
  /// prepare() for training on minibatches: its products may be in floats. The same unless a map says otherwise.
  virtual std::unique_ptr<PreparedMap> prepare_single(ConstVec theta) const { return prepare(theta); }
  /// Returns true if its prepared maps have add_input_gradient(), so that another map may stand before it.
  virtual bool has_input_gradient() const { return false; }
  /// Whether psi has a derivative by x, so that its prepared maps have a forward_tangent(): false where psi has steps.
  virtual bool has_tangent() const { return false; }
  virtual SparseSupport sparse_support() const { return {}; }  ///< nothing, unless a map says otherwise
  /// Whether f has a part beyond psi^T w: that of an exact kernel beyond its training rows. Such a map is made of those
  /// rows by inference, and the posterior saves it, not the model.
  virtual bool has_residual() const { return false; }

  /// The k-th initial theta (parameters().size()) for training rows with these statistics, drawn from `stream`; all
  /// values finite and inside the bounds.
  virtual Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const = 0;

  /// What theta means, for reports: {"relevance": [d numbers], "amplitude": .., "components": [...], ...}.
  /// relevance[j] is the root mean square frequency along input j under the spectral density (for maps without
  /// frequencies 1/lengthscale or its like), in radians per unit of the standardised input: 0 means that the input has
  /// no influence. amplitude is a prior standard deviation of f, in units of the target.
  virtual nlohmann::json describe(ConstVec theta) const = 0;

  /// The frequencies whose cosines and sines make psi; no rows for maps without any (linear). Cost O(m d log d).
  virtual FrequencyRows frequencies(ConstVec /*theta*/) const { return {}; }

  /// (d) radians of a typical phase for each unit of an input, beyond whose digits the features are bounded
  /// (model/bounded_features.hpp); empty for maps without phases. Of frequencies() the median of |frequency|; the cost
  /// is theirs.
  virtual Vector phase_rates(ConstVec theta) const;

  /// Puts everything drawn or chosen at construction under names beginning with `prefix`; FeatureMapEntry::load reads
  /// it. theta is not part of it.
  virtual void save(TensorBundle& bundle, const std::string& prefix) const = 0;

  /// One term of an additive model f = f_1 + .. + f_T.
  struct TermFeatures {
    std::string model;                ///< name of its map
    Index first = 0, count = 0;       ///< its features are the columns first .. first + count - 1 of psi
    const FeatureMap* map = nullptr;  ///< lives as long as the sum
    Index first_parameter = 0;        ///< its parameters begin here in theta
  };
  /// The terms in order; empty for a map that is not additive.
  virtual std::vector<TermFeatures> terms() const { return {}; }

  /// Bytes of work space of an evaluation with this many threads, beyond the features, D x D matrices and a few numbers
  /// a feature; an estimate for the memory plan.
  virtual double work_bytes(int /*threads*/) const { return 0; }

  /// Floating-point operations of forward() and backward() for one row; an estimate for the plan.
  virtual double flops_per_row() const = 0;
};

/// An entry of the registry of feature maps. make() and load() read recipe.features, recipe.kernel and recipe.terms,
/// and of these only the keys that ModelInfo::keys lists: model/registered.hpp refuses others. They throw ConfigError
/// for settings that do not fit; load() throws IoError for tensors that do not.
struct FeatureMapEntry : ModelInfo {
  /// statistics: of the training rows, used by maps that are fitted to data (landmarks, spreads).
  std::unique_ptr<FeatureMap> (*make)(const Recipe&, Index input_count, const RandomStreams&,
                                      const TrainingStatistics& statistics);
  /// The map whose save() wrote `prefix` into the bundle, bit for bit.
  std::unique_ptr<FeatureMap> (*load)(const Recipe&, Index input_count, const TensorBundle&, const std::string& prefix);
};

/// All registered maps, in the order of `alacarte kernels`.
const std::vector<FeatureMapEntry>& feature_maps();
/// The entry of that name; nullptr if there is none.
const FeatureMapEntry* find_feature_map(const std::string& name);

}  // namespace alacarte
