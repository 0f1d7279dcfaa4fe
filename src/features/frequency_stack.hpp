#pragma once
// The interface to m random frequencies w_i = scale_i r_i ./ lengthscale, however the rows r_i are drawn; maps with a
// radial spectral density use it. A FrequencySource holds the draws; at one theta it makes a FrequencyStack, which
// evaluates cosine and sine features and their adjoint. n points, d inputs; u = x W^T are phases in radians.
#include <memory>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/core/recipe.hpp"
#include "alacarte/features/fastfood.hpp"
#include "alacarte/features/feature_map.hpp"
#include "features/pair_features.hpp"

namespace alacarte {

/// Law of the rows r_i: gaussian rows are standard normal in R^d; unit rows have length 1 and uniform directions;
/// cauchy rows have independent standard Cauchy entries.
enum class RowLaw { gaussian, unit, cauchy };

/// Frequencies at one theta. Const and shared by threads. Methods throw std::invalid_argument on shapes.
class FrequencyStack {
 public:
  virtual ~FrequencyStack() = default;
  /// Computes psi (n, 2m) = amplitude [cos u, sin u] of x (n, d), overwritten.
  virtual void forward(ConstMat x, MatRef psi) const = 0;
  /// Adds the adjoint of forward() to `sums` (accumulator_size()): psi is the output of forward(), psi_bar (n, 2m).
  virtual void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;
  /// Computes the phases u (n, m) of x (n, d) in radians, overwritten.
  virtual void project(ConstMat x, MatRef u) const = 0;
  /// Returns a predictor of psi w for weights w (2m) without stored psi; nullptr if forward() is as good.
  virtual std::unique_ptr<LinearPredictor> linear_predictor(ConstVec /*weights*/, FloatType) const { return nullptr; }
  virtual Index accumulator_size() const = 0;
  /// Returns cotangents of log amplitude, log length-scales (d) and, if learn_scales was set, log scales (m) from the
  /// sums over all rows; gaussian and signs stay empty.
  virtual Fastfood::Pullback finish(ConstVec sums) const = 0;
  virtual Matrix frequencies() const = 0;  ///< (m, d) radians per unit of x
};

/// The features of a stack as a prepared map; derived classes interpret the sums.
class PreparedStack : public PreparedMap {
 public:
  void forward(const InputView& x, FeatureBlock psi) const final { stack_->forward(x.dense(), psi.dense()); }
  void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const final {
    stack_->backward(x.dense(), psi, psi_bar, sums);
  }
  void forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const final {
    require(x_dot.rows() == x.rows() && psi.cols() == psi_dot.cols() && psi_dot.rows() == x.rows(),
            "feature map: shapes");
    auto phase_dot = psi_dot.leftCols(psi.cols() / 2);
    stack_->project(x_dot, phase_dot);
    pair_tangent(psi, phase_dot, psi_dot);
  }
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const final {
    auto fused = stack_->linear_predictor(weights, type);
    return fused ? std::move(fused) : PreparedMap::linear_predictor(weights, type);
  }
  Index accumulator_size() const final { return stack_->accumulator_size(); }

 protected:
  explicit PreparedStack(std::unique_ptr<FrequencyStack> stack) : stack_(std::move(stack)) {}
  Fastfood::Pullback pullback(ConstVec sums) const {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    return stack_->finish(sums);
  }

 private:
  std::unique_ptr<FrequencyStack> stack_;
};

/// The rows r_i as drawn. Const and shared by threads.
class FrequencySource {
 public:
  virtual ~FrequencySource() = default;
  Index inputs() const { return inputs_; }            ///< d
  Index frequencies() const { return frequencies_; }  ///< m
  /// Returns the stack with these scales (m) and length-scales (d). learn_scales: the scales are parameters, so
  /// backward() collects their cotangent as well.
  virtual std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                                bool learn_scales) const = 0;
  /// Saves the draws under names beginning with `prefix`; load_frequencies() reads them.
  virtual void save(TensorBundle& bundle, const std::string& prefix) const = 0;
  /// Returns the floating-point operations of forward() and backward() for one point, without sines and cosines.
  virtual double flops(bool learn_scales) const = 0;

 protected:
  FrequencySource(Index inputs, Index frequencies) : inputs_(inputs), frequencies_(frequencies) {}
  const Index inputs_, frequencies_;
};

/// A source, with the random numbers for the rest of each frequency.
struct FrequencyDraws {
  std::unique_ptr<FrequencySource> source;
  Vector levels;         ///< (m) in (0, 1): quantile levels of the lengths
  RandomStream lengths;  ///< for laws that draw lengths themselves
  RandomStream offsets;  ///< for random phase offsets
  bool stored = true;    ///< true: a model file holds the draws; false: they are made again from a key
};

/// Draws by the method recipe.features.draws. Throws ConfigError for methods without rows of this law.
FrequencyDraws draw_frequencies(const Recipe& recipe, RowLaw law, Index inputs, const RandomStreams& streams);
/// Reads the tensors of the source's save(); `levels` stays empty if draws are stored. Throws IoError.
FrequencyDraws load_frequencies(const Recipe& recipe, RowLaw law, Index inputs, const TensorBundle& bundle,
                                const std::string& prefix);

/// The linear product u = x W^T and its adjoint, for projected_stack().
class Projection {
 public:
  virtual ~Projection() = default;
  Index inputs() const { return inputs_; }            ///< d
  Index frequencies() const { return frequencies_; }  ///< m
  /// Computes turns (n, m) = u / 2 pi of x (n, d), overwritten.
  virtual void project(ConstMat x, MatRef turns) const = 0;
  /// Computes x_bar (n, d) = phase_bar W for phase_bar (n, m), the cotangent of u; overwritten.
  virtual void pull_back(ConstMat phase_bar, MatRef x_bar) const = 0;
  virtual Matrix rows() const = 0;  ///< W (m, d), radians per unit of x

 protected:
  Projection(Index inputs, Index frequencies) : inputs_(inputs), frequencies_(frequencies) {}
  const Index inputs_, frequencies_;
};

/// Returns the stack of cosines and sines of a projection. learn_scales: see FrequencySource::stack().
std::unique_ptr<FrequencyStack> projected_stack(std::unique_ptr<const Projection> projection, double amplitude,
                                                bool learn_scales);

/// Returns rows (m, d) stored as a dense matrix: Gaussian, orthogonal and Sobol draws, and Cauchy entries.
std::unique_ptr<FrequencySource> dense_source(Matrix rows);
/// Returns rows computed anew in every pass, each entry a hash of key and position. key < 2^53.
std::unique_ptr<FrequencySource> hashed_source(RowLaw law, Index inputs, Index frequencies, std::uint64_t key);
/// Returns the stack of these Fastfood blocks, some of whose diagonals are learned.
std::unique_ptr<FrequencyStack> fastfood_stack(Fastfood fastfood, const FastfoodDraws& draws, FastfoodLearned learned,
                                               double amplitude);
/// Returns Fastfood rows; base_lengths (m): the lengths of r_i over the padded inputs.
std::unique_ptr<FrequencySource> fastfood_source(std::shared_ptr<const FastfoodDraws> draws, Vector base_lengths);
/// The random part of ceil(m / l) blocks Pi F B, F the Hartley matrix of size l.
struct HartleyDraws {
  Index inputs = 0, frequencies = 0;      ///< d, m
  Index length = 1, blocks = 0;           ///< l, ceil(m / l)
  Vector signs;                           ///< (blocks l) the diagonals of B
  std::vector<std::int32_t> permutation;  ///< (blocks l) Pi, within each block
  HartleyDraws(Index inputs, Index frequencies, const RandomStreams& streams);
  HartleyDraws(Index inputs, Index frequencies, const TensorBundle& bundle, const std::string& prefix);
};
/// Returns rows of these blocks; base_lengths (m): the lengths of r_i over the padded inputs.
std::unique_ptr<FrequencySource> hartley_source(HartleyDraws draws, Vector base_lengths);

/// Returns (m) 1 / |r_i| over the d inputs, for a source whose rows have length 1 over the padded inputs.
Vector inverse_lengths(const FrequencySource& source);

}  // namespace alacarte
