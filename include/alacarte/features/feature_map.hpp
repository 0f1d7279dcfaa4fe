#pragma once
// The contract of every feature map: psi(x) with k(x, x') = psi(x)^T psi(x'), the prior scale inside the features.
//
//   theta --prepare--> PreparedMap --forward--> Psi          once an evaluation, then once a chunk of rows
//   theta_bar <--finish-- sums <--backward-- Psi_bar         the same chain backwards, by hand
//
// Randomness is drawn when a map is made, from named streams; a map is const after that.
#include <alacarte/core/model_card.hpp>
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/sparse_rows.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/training_view.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// What a fused prediction computes in. float32 is about twice as fast and wrong by about 1e-6 of sum |psi_j w_j|.
enum class Arithmetic { float64, float32 };

/// f(x) = psi(x)^T w for weights that stay: what the mean of a prediction costs. Const and shared by threads.
class FeatureSum {
 public:
  virtual ~FeatureSum() = default;
  /// f (rows) += psi(x) w, x (rows, d) standardised inputs. Allocates nothing after a thread's first call.
  virtual void add(ConstMat x, VecRef f) const = 0;
};

/// What depends on theta but not on rows. Const and shared by threads; every method is row-local, so it streams.
class PreparedMap {
 public:
  virtual ~PreparedMap() = default;

  /// Features of a chunk. x (rows, d) standardised inputs; psi (rows, D) is overwritten.
  virtual void forward(ConstMat x, MatRef psi) const = 0;

  /// Whether there is forward_sparse(): what forward() gives for the same rows, to rounding, at the cost of their
  /// nonzeros. Chunks of x may be cut by SparseView::middle.
  virtual bool takes_sparse() const { return false; }
  virtual void forward_sparse(const SparseView& x, MatRef psi) const;

  /// Whether most features are zero, for sparse rows at least, so that there are the features by their nonzeros:
  /// psi (rows, D) is overwritten, never dense. From sparse rows only if takes_sparse(), too.
  virtual bool gives_sparse() const { return false; }
  virtual void sparse_features(ConstMat x, SparseRows& psi) const;
  virtual void sparse_features(const SparseView& x, SparseRows& psi) const;

  /// Adds the chunk's share of the cotangents to `sums` (accumulator_size()). psi must be what forward() gave for x;
  /// psi_bar (rows, D) is d objective / d psi.
  virtual void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;

  /// psi w for weights (D). Maps that can, fuse the sum into the features, which then are never stored; the others go
  /// through forward() in float64, whatever is asked. What comes back must not outlive this map.
  virtual std::unique_ptr<FeatureSum> sum(ConstVec weights, Arithmetic arithmetic = Arithmetic::float64) const;

  /// Number of row sums that backward() collects; they are plain sums, so threads and ranks merge them by addition.
  virtual Index accumulator_size() const = 0;

  /// A Gram matrix of fewer features than psi has, where a map is such:
  ///   psi psi^T = sum_q (phi_q phi_q^T) * cos(zeta_q 1^T - 1 zeta_q^T), entry by entry,
  /// phi_q (rows, modulated_width()), zeta_q (rows) radians. 0 parts: it is not.
  virtual Index modulated_parts() const { return 0; }
  virtual Index modulated_width() const { return 0; }
  /// As forward() and backward(), of part q; zeta_bar (rows).
  virtual void forward_part(Index q, ConstMat x, MatRef phi, VecRef zeta) const;
  virtual void backward_part(Index q, ConstMat x, ConstMat phi, ConstMat phi_bar, ConstVec zeta_bar, VecRef sums) const;

  /// Pulls the merged sums back to theta: adds to theta_bar (parameters().size()). Once an evaluation.
  virtual void finish(ConstVec sums, VecRef theta_bar) const = 0;
};

/// The frequencies of a map at one theta.
struct FrequencyRows {
  Matrix rows;    ///< (m, d) radians per unit of the standardised input; their negatives belong to them
  Vector shares;  ///< (m) of the kernel's variance; they sum to 1
};

class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual const ParameterLayout& parameters() const = 0;
  virtual Index input_count() const = 0;    ///< d
  virtual Index feature_count() const = 0;  ///< D
  virtual std::unique_ptr<PreparedMap> prepare(ConstVec theta) const = 0;

  /// The k-th starting point (size of parameters()), drawn from `stream`; all values finite and inside the bounds.
  virtual Vector start(const TrainingView& view, Index k, RandomStream& stream) const = 0;

  /// What was learned, for people and reports: {"relevance": [d numbers], "amplitude": .., "components": [...], ...}.
  /// relevance[j] is the root mean square frequency along input j under the learned spectrum, in radians per unit of
  /// the standardised input: 0 means the input has no influence.
  virtual nlohmann::json describe(ConstVec theta) const = 0;

  /// What the cosines and sines of psi are taken of; no rows for maps without any (linear). Cost O(m d log d).
  virtual FrequencyRows frequencies(ConstVec theta) const = 0;

  /// Puts everything drawn or chosen at construction under names beginning with `prefix`.
  virtual void save(TensorBundle& bundle, const std::string& prefix) const = 0;

  /// Of an additive map: its terms, and where the features of each lie. Empty where f is one piece.
  struct TermFeatures {
    std::string model;
    Index first = 0, count = 0;
  };
  virtual std::vector<TermFeatures> terms() const { return {}; }

  /// Bytes of an evaluation beside its features, D x D matrices and a few numbers a feature, with this many threads
  /// (for the plan).
  virtual double work_bytes(int) const { return 0; }

  /// Floating-point operations of forward + backward for one row (for the plan).
  virtual double flops_per_row() const = 0;
};

/// One line of the registry of feature maps. Both read recipe.features, recipe.kernel and recipe.terms, and only the
/// keys that the card lists: model/registered.hpp refuses the others. They throw ConfigError for settings that do not
/// fit; load() throws IoError for tensors that do not.
struct FeatureMapEntry : ModelCard {
  /// `view`: of the training rows; maps that take nothing from data do not look at it.
  std::unique_ptr<FeatureMap> (*make)(const Recipe&, Index input_count, const RandomStreams&, const TrainingView& view);
  std::unique_ptr<FeatureMap> (*load)(const Recipe&, Index input_count, const TensorBundle&, const std::string& prefix);
};

const std::vector<FeatureMapEntry>& feature_maps();
/// nullptr when there is no such map.
const FeatureMapEntry* find_feature_map(const std::string& name);

}  // namespace alacarte
