#pragma once
// Kernels that compute values and cotangents a tile of rows at a time; they share the loops over pairs.
#include <alacarte/kernel/kernel.hpp>

namespace alacarte {

/// Rows of a tile, whose values stay in the first-level cache over all inputs.
constexpr Index kTileRows = 512;

class TiledKernel : public Kernel {
 public:
  const ParameterLayout& parameters() const final { return layout_; }
  Index input_count() const final { return inputs_; }
  void gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const final;
  void gram_lower(ConstVec theta, ConstMat x, MatRef gram, int threads) const final;
  void row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const final;
  void diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const final;
  void backward(ConstVec theta, ConstMat x, ConstMat gram, ConstMat gram_bar, VecRef theta_bar,
                int threads) const final;
  void backward_cross(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram, ConstMat gram_bar,
                      VecRef theta_bar) const final;
  void tangent(ConstVec theta, ConstMat x1, ConstMat x1_dot, ConstMat x2, MatRef slope) const final;
  void tangent_variance(ConstVec theta, ConstMat x, ConstMat x_dot, VecRef variance) const final;

  // ---- the parts of a kernel; sums and products call those of their terms

  using Array = Eigen::Ref<Eigen::ArrayXd>;
  using ConstArray = const Eigen::Ref<const Eigen::ArrayXd>&;
  using Tile = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTileRows, 1>;  ///< on the stack

  /// Returns the number of constants of theta, which prepare() computes without allocation.
  virtual Index constant_count() const = 0;
  virtual void prepare(ConstVec theta, VecRef constants) const = 0;
  /// Computes k(x1_i, x2_row) for the rows first, first + 1, .. of x1 into out, at most kTileRows. Must not allocate.
  virtual void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const = 0;
  /// Computes values() to rounding, for training: predictions of a saved model keep the bits of values().
  virtual void training_values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const {
    values(constants, x1, first, x2, row, out);
  }
  /// Returns k(x_row, x_row).
  virtual double variance(ConstVec constants, ConstMat x, Index row) const = 0;

  /// Computes a tile of tangent(), and slope_variance() a row of tangent_variance(); only with has_tangent().
  virtual void tangents(ConstVec constants, ConstMat x1, ConstMat x1_dot, Index first, ConstMat x2, Index row,
                        Array out) const;
  virtual double slope_variance(ConstVec constants, ConstMat x, ConstMat x_dot, Index row) const;

  /// Returns the number of sums over pairs for the gradient. collect() adds a tile's share: `value` is the output of
  /// values() for the same rows, weight_i the cotangent of value_i. scratch: (tile, scratch_count()).
  virtual Index sum_count() const = 0;
  virtual Index scratch_count() const { return 2; }
  virtual void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
                       ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const = 0;
  /// Calls training_values() into `value`, and collect(): for sums, which keep no values of their terms.
  virtual void collect_anew(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray weight,
                            Array value, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const {
    training_values(constants, x1, first, x2, row, value);
    collect(constants, x1, first, x2, row, value, weight, scratch, sums);
  }
  virtual void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const = 0;

 protected:
  explicit TiledKernel(Index input_count);

  Index inputs_;
  ParameterLayout layout_;

 private:
  using Values = void (TiledKernel::*)(ConstVec, ConstMat, Index, ConstMat, Index, Array) const;
  void fill_lower(ConstVec theta, ConstMat x, MatRef gram, int threads, Values of_tile) const;
};

/// Returns length-scales of a distance: one-sided prior on the logarithm below log(2 sqrt(inputs)).
ParameterSlot distance_scale_slot(const std::string& name, Index size, Index inputs);
/// Returns a log amplitude with prior N(0, 1.5), in standard deviations of the target.
ParameterSlot amplitude_slot(const std::string& name);
/// Returns log length-scales of a scalar product: N(log sqrt(inputs), 1.5), a product near 1 of standardised inputs.
ParameterSlot product_scale_slot(const std::string& name, Index size, Index inputs);

/// Returns {"amplitude", "lengthscale", "relevance": 1/lengthscale_j}; one length-scale stands for all inputs.
KernelDescription describe_scales(double amplitude, ConstVec log_lengthscale, Index inputs);

/// Returns the report of a sum or product of terms with these reports. The spectra of a sum add, weighted by the
/// variances; those of a product are convolved, so mean squares add.
KernelDescription describe_terms(std::vector<KernelDescription> terms, Index inputs, bool product);

/// Gives the report of a term that reads inputs first, first + 1, .. zeros for the others of all `inputs`.
void place_inputs(KernelDescription& term, Index first, Index inputs);

/// Replaces the first term of a report by that one's terms.
void open_first_term(KernelDescription& whole);

/// Moves every entry of theta inside the bounds of its slot.
void keep_inside(const ParameterLayout& layout, VecRef theta);

}  // namespace alacarte
