#pragma once
// A sum of decision trees as plain arrays: what boosting leaves, evaluated without the library that trained it.
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace alacarte {

/// One tree: node 0 is its root, and the two children of a node are neighbours.
struct DecisionTree {
  /// A leaf (input -1) has a value. Any other node sends a row to the child `left` where the input, rounded to a float,
  /// is below the threshold, and to left + 1 elsewhere; a NaN goes to the left.
  struct Node {
    std::int32_t input = -1, left = 0;
    double number = 0;  ///< threshold, a float; or value of a leaf
  };
  std::vector<Node> nodes;
};

/// A function of d inputs with c values: a constant of each, and trees that add to one of them each. Const and shared
/// by threads.
class BoostedTrees {
 public:
  BoostedTrees(Index inputs, Index outputs)
      : inputs_(inputs), base_(Vector::Zero(outputs)), scale_(Vector::Ones(outputs)) {}

  /// Adds a tree to one output. Throws std::invalid_argument for nodes that are no tree of these inputs.
  void add(const DecisionTree& tree, Index output);
  /// Adds the trees of another function of as many inputs and outputs, and its constants, all times `factor`.
  void add(const BoostedTrees& other, double factor);
  /// Replaces the values v by (v - shift) / scale, both (c), with scale > 0.
  void standardise(const Vector& shift, const Vector& scale);
  void add_constants(const Vector& constants) { base_ += constants; }  ///< (c)

  Index inputs() const { return inputs_; }        ///< d
  Index outputs() const { return base_.size(); }  ///< c
  Index trees() const { return static_cast<Index>(trees_.size()); }
  Index nodes() const { return static_cast<Index>(nodes_.size()); }

  /// Computes the values (rows, c) at x (rows, d). Cost: the depth of each tree for each row.
  void evaluate(ConstMat x, MatRef values) const;
  Matrix of(ConstMat x) const;                   ///< returns these values
  void of_row(ConstVec x, VecRef values) const;  ///< values (c) of one row, bit-equal, without allocation

  void save(TensorBundle& bundle, const std::string& prefix) const;
  /// Loads what save() wrote. Throws IoError for tensors that are no trees of so many inputs.
  static BoostedTrees load(const TensorBundle& bundle, const std::string& prefix, Index inputs);
  static bool are_in(const TensorBundle& bundle, const std::string& prefix);  ///< true if save() wrote there

 private:
  /// A node as it is walked: a leaf has the threshold NaN, which no input reaches, and is its own left child.
  struct Step {
    float threshold;
    std::int32_t input, left;
  };
  struct Tree {
    std::int32_t first, output, depth;
  };

  void append(const DecisionTree& tree, Index output);
  /// Returns the place after the last node of the t-th tree.
  std::size_t end_of(std::size_t t) const {
    return t + 1 < trees_.size() ? static_cast<std::size_t>(trees_[t + 1].first) : nodes_.size();
  }

  Index inputs_;
  Vector base_, scale_;  // (c) value = base + sum of leaves / scale
  std::vector<Tree> trees_;
  std::vector<Step> nodes_;
  std::vector<double> values_;  // of the leaves; 0 for other nodes
};

}  // namespace alacarte
