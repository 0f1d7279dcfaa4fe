#pragma once
// The contract of every feature map: psi(x) with k(x, x') = psi(x)^T psi(x'), the prior scale inside the features.
//
//   theta --prepare--> PreparedMap --forward--> Psi          once an evaluation, then once a chunk of rows
//   theta_bar <--finish-- sums <--backward-- Psi_bar         the same chain backwards, by hand
//
// Randomness is drawn when a map is made, from named streams; a map is const after that.
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/training_view.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// What depends on theta but not on rows. Const and shared by threads; every method is row-local, so it streams.
class PreparedMap {
 public:
  virtual ~PreparedMap() = default;

  /// Features of a chunk. x (rows, d) standardised inputs; psi (rows, D) is overwritten.
  virtual void forward(ConstMat x, MatRef psi) const = 0;

  /// Adds the chunk's share of the cotangents to `sums` (accumulator_size()). psi must be what forward() gave for x;
  /// psi_bar (rows, D) is d objective / d psi.
  virtual void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;

  /// Number of row sums that backward() collects; they are plain sums, so threads and ranks merge them by addition.
  virtual Index accumulator_size() const = 0;

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

  /// Floating-point operations of forward + backward for one row (for the plan).
  virtual double flops_per_row() const = 0;
};

/// One line of the registry of feature maps.
struct FeatureMapEntry {
  std::string name;         ///< recipe's "model"
  std::string description;  ///< one sentence for --help and the schema
  std::unique_ptr<FeatureMap> (*make)(const FeatureConfig&, Index input_count, const RandomStreams&);
  std::unique_ptr<FeatureMap> (*load)(const FeatureConfig&, Index input_count, const TensorBundle&,
                                      const std::string& prefix);
};

/// rbf, ard, fsard, fsgbard, gm, pwl, ssgpr.
const std::vector<FeatureMapEntry>& feature_maps();
/// nullptr when there is no such map.
const FeatureMapEntry* find_feature_map(const std::string& name);

}  // namespace alacarte
