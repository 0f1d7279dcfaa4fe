#pragma once
// m random frequencies behind one face, whatever their directions are made of: what a map with a radial law is built
// on. A source holds the draws; at one theta it gives a stack, which has features of pairs and their adjoint.
#include <memory>
#include <string>

#include "alacarte/core/recipe.hpp"
#include "alacarte/features/fastfood.hpp"
#include "alacarte/features/feature_map.hpp"

namespace alacarte {

/// Rows of a source before they are scaled: gaussian rows are standard normal in R^d; unit rows have length 1 in R^d
/// and uniform directions; cauchy rows have independent standard Cauchy entries.
enum class RowLaw { gaussian, unit, cauchy };

/// Frequencies at one theta. Const and shared by threads.
class FrequencyStack {
 public:
  virtual ~FrequencyStack() = default;
  /// psi (n, 2m) = amplitude [cos u, sin u].
  virtual void forward(ConstMat x, MatRef psi) const = 0;
  /// Adds to sums (accumulator_size()); psi as forward() gave it.
  virtual void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;
  /// psi w, fused; nullptr where the stack has nothing better than forward().
  virtual std::unique_ptr<FeatureSum> sum(ConstVec weights, Arithmetic arithmetic) const = 0;
  virtual Index accumulator_size() const = 0;
  /// log_lengths (m) only where they were asked for.
  virtual Fastfood::Pullback finish(ConstVec sums) const = 0;
  virtual Matrix frequencies() const = 0;  ///< (m, d) radians per unit of x
};

class FrequencySource {
 public:
  virtual ~FrequencySource() = default;
  virtual Index inputs() const = 0;
  virtual Index frequencies() const = 0;
  /// Rows times scales (m), divided by lengthscale (d). learn_scales: collect what their cotangent needs.
  virtual std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                                bool learn_scales) const = 0;
  virtual void save(TensorBundle& bundle, const std::string& prefix) const = 0;
  /// Of forward and backward of one row, without sines.
  virtual double flops(bool learn_scales) const = 0;
};

/// What else is drawn once for each frequency: levels (m) in (0, 1) of its length, a seed for other draws, and whether
/// all of it is to be stored.
struct FrequencyDraws {
  std::unique_ptr<FrequencySource> source;
  Vector levels;
  RandomStream lengths, offsets;
  bool stored = true;
};

/// By recipe.features.draws. Throws ConfigError for draws that cannot make such rows.
FrequencyDraws draw_frequencies(const Recipe& recipe, RowLaw law, Index inputs, const RandomStreams& streams);
/// From what save() of the source put there; levels stay empty unless nothing is stored.
FrequencyDraws load_frequencies(const Recipe& recipe, RowLaw law, Index inputs, const TensorBundle& bundle,
                                const std::string& prefix);

/// Phases by a linear product; projected_stack() makes a stack of it.
class Projection {
 public:
  virtual ~Projection() = default;
  virtual Index inputs() const = 0;
  virtual Index frequencies() const = 0;
  /// turns (n, m) = u / 2 pi of x (n, d), overwritten.
  virtual void project(ConstMat x, MatRef turns) const = 0;
  /// x_bar (n, d) = phase_bar rows, phase_bar (n, m) of phases in radians; overwritten.
  virtual void pull_back(ConstMat phase_bar, MatRef x_bar) const = 0;
  virtual Matrix rows() const = 0;  ///< (m, d) radians per unit of x
};

std::unique_ptr<FrequencyStack> projected_stack(std::unique_ptr<const Projection> projection, double amplitude,
                                                bool learn_scales);

/// rows (m, d) in memory: dense Gaussian, orthogonal and Sobol draws, and Cauchy entries.
std::unique_ptr<FrequencySource> dense_source(Matrix rows);
/// Rows made again from a hash of key and place in every pass. key < 2^53.
std::unique_ptr<FrequencySource> hashed_source(RowLaw law, Index inputs, Index frequencies, std::uint64_t key);
/// Hadamard products; base_lengths (m): lengths of the rows before they are scaled.
std::unique_ptr<FrequencySource> fastfood_source(std::shared_ptr<const FastfoodDraws> draws, Vector base_lengths);
/// Pi F B with F a Hartley matrix; base_lengths as above.
struct HartleyDraws {
  Index inputs = 0, frequencies = 0, length = 1, blocks = 0;
  Vector signs;                           ///< (blocks l)
  std::vector<std::int32_t> permutation;  ///< (blocks l) within each block
  HartleyDraws(Index inputs, Index frequencies, const RandomStreams& streams);
  HartleyDraws(Index inputs, Index frequencies, const TensorBundle& bundle, const std::string& prefix);
};
std::unique_ptr<FrequencySource> hartley_source(HartleyDraws draws, Vector base_lengths);

/// 1 / length over the inputs of the rows of a source whose rows have length 1 over the padded inputs.
Vector inverse_lengths(const FrequencySource& source);

}  // namespace alacarte
