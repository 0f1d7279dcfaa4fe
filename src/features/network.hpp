#pragma once
// A dense network h(x) = a(a(.. a(x W_1 + b_1) ..) W_L + b_L): parameters, forward and backward pass, in doubles or
// floats.
#include <string>
#include <vector>

#include "alacarte/core/parameter_layout.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/core/recipe_words.hpp"
#include "alacarte/core/types.hpp"

namespace alacarte {

/// Sizes of a network, whose parameters are one vector: for each layer the weights (in, out), by columns, then the
/// biases (out).
struct NetworkShape {
  Index inputs = 0;                          ///< d
  std::vector<Index> widths;                 ///< units of each layer; no layers: h(x) = x
  Activation activation = Activation::silu;  ///< a(u): silu u / (1 + exp(-u)); tanh; sine
  bool residual = false;                     ///< layers of equal width add their input: h = in + a(in W + b)

  Index outputs() const { return widths.empty() ? inputs : widths.back(); }
  Index layers() const { return static_cast<Index>(widths.size()); }
  Index fan_in(Index layer) const { return layer == 0 ? inputs : widths[static_cast<std::size_t>(layer - 1)]; }
  Index units(Index layer) const { return widths[static_cast<std::size_t>(layer)]; }
  bool adds(Index layer) const { return residual && fan_in(layer) == units(layer); }
  Index widest() const;
  Index parameters() const;  ///< length of the vector

  /// Appends the slots NAME.layer[k].weight and .bias. Prior and start of a weight: N(0, 2 / fan-in) for silu, whose
  /// units pass on half of a variance, else N(0, 1 / fan-in); of a bias N(0, 0.3^2), and 0 at the start.
  void add_slots(const std::string& name, ParameterLayout& layout) const;
  Vector start(RandomStream& stream) const;
  double flops_per_row() const;  ///< operations of forward and backward
};

/// A network at one set of parameters. Const and shared by threads, each with its own tape.
template <class Scalar>
class PreparedNetwork {
 public:
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using View = Eigen::Map<Values>;

  /// Takes parameters (shape.parameters()).
  PreparedNetwork(NetworkShape shape, ConstVec parameters);

  const NetworkShape& shape() const { return shape_; }
  /// Returns the size of the work space for a number of rows.
  Index tape_size(Index rows) const;
  /// Computes h (rows, outputs) of the rows x (rows, d) in the tape, which keeps the slopes for backward() if `slopes`.
  View forward(ConstMat x, bool slopes, Scalar* tape) const;
  /// Adds the gradient for the rows of forward() with slopes to `sums` (shape.parameters()), and to x_bar (rows, d)
  /// unless it is empty. h_bar (rows, outputs). Overwrites the tape.
  void backward(ConstMat h_bar, Scalar* tape, VecRef sums, MatRef x_bar) const;
  /// Returns the derivative of h along x_dot (rows, d) in the tape, for the rows of forward() with slopes.
  View tangent(ConstMat x_dot, Scalar* tape) const;

 private:
  Index cotangent_at(Index rows) const { return tape_size(rows) - 2 * rows * shape_.widest(); }
  void add_layer_gradient(Index layer, const View& in, const View& bar, double* sums) const;

  NetworkShape shape_;
  std::vector<Values> weights_;  // (in, out)
  std::vector<Eigen::Matrix<Scalar, 1, Eigen::Dynamic>> biases_;
};

}  // namespace alacarte
