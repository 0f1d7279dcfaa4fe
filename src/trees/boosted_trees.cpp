#include "boosted_trees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxNodes = std::numeric_limits<std::int32_t>::max();
constexpr Index kRowBlock = 64;  // rows that walk a tree together: their steps do not wait for each other

/// Returns the depth of a tree: the number of steps to its deepest leaf; -1 for nodes that are no tree. Children come
/// after their parents, so that one pass suffices.
int depth_of(const std::vector<DecisionTree::Node>& nodes, Index inputs) {
  std::vector<int> depth(nodes.size(), -1);
  if (nodes.empty()) return -1;
  depth[0] = 0;
  int deepest = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const DecisionTree::Node& node = nodes[k];
    if (depth[k] < 0 || !std::isfinite(node.number)) return -1;
    deepest = std::max(deepest, depth[k]);
    if (node.input == -1) continue;
    const auto left = static_cast<std::size_t>(node.left);
    if (node.input < -1 || node.input >= inputs || node.left <= static_cast<std::int32_t>(k) ||
        left + 1 >= nodes.size() || depth[left] >= 0 || depth[left + 1] >= 0 ||
        std::abs(node.number) > std::numeric_limits<float>::max())
      return -1;
    depth[left] = depth[left + 1] = depth[k] + 1;
  }
  return deepest;
}

}  // namespace

void BoostedTrees::append(const DecisionTree& tree, Index output) {
  require(nodes() + static_cast<Index>(tree.nodes.size()) <= kMaxNodes, "BoostedTrees: too many nodes");
  const auto first = static_cast<std::int32_t>(nodes_.size());
  trees_.push_back({first, static_cast<std::int32_t>(output), depth_of(tree.nodes, inputs_)});
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const DecisionTree::Node& node = tree.nodes[k];
    const bool is_leaf = node.input < 0;
    nodes_.push_back({is_leaf ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(node.number),
                      is_leaf ? 0 : node.input, first + (is_leaf ? static_cast<std::int32_t>(k) : node.left)});
    values_.push_back(is_leaf ? node.number : 0);
  }
}

void BoostedTrees::add(const DecisionTree& tree, Index output) {
  require(output >= 0 && output < outputs() && depth_of(tree.nodes, inputs_) >= 0, "BoostedTrees: nodes of no tree");
  append(tree, output);
}

void BoostedTrees::add(const BoostedTrees& other, double factor) {
  require(other.inputs_ == inputs_ && other.outputs() == outputs(), "BoostedTrees: functions of other shapes");
  require(nodes() + other.nodes() <= kMaxNodes, "BoostedTrees: too many nodes");
  const auto before = static_cast<std::int32_t>(nodes_.size());
  for (std::size_t t = 0; t < other.trees_.size(); ++t) {
    Tree tree = other.trees_[t];
    for (auto k = static_cast<std::size_t>(tree.first); k < other.end_of(t); ++k) {
      Step step = other.nodes_[k];
      step.left += before;
      nodes_.push_back(step);
      values_.push_back(factor * other.values_[k] / other.scale_[tree.output] * scale_[tree.output]);
    }
    tree.first += before;
    trees_.push_back(tree);
  }
  base_ += factor * other.base_;
}

void BoostedTrees::standardise(const Vector& shift, const Vector& scale) {
  require(shift.size() == outputs() && scale.size() == outputs() && scale.minCoeff() > 0, "BoostedTrees: no scale");
  base_ = (base_ - shift).cwiseQuotient(scale);
  scale_ = scale_.cwiseProduct(scale);
}

void BoostedTrees::evaluate(ConstMat x, MatRef values) const {
  require(x.cols() == inputs_ && values.rows() == x.rows() && values.cols() == outputs(), "BoostedTrees: other shapes");
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Floats block(kRowBlock, inputs_);
  Matrix sums(kRowBlock, outputs());
  std::array<std::int32_t, kRowBlock> at{};
  for (Index first = 0; first < x.rows(); first += kRowBlock) {
    const Index count = std::min(kRowBlock, x.rows() - first);
    block.topRows(count) = x.middleRows(first, count).cast<float>();
    sums.setZero();
    for (const Tree& tree : trees_) {
      std::fill_n(at.begin(), count, tree.first);
      for (std::int32_t step = 0; step < tree.depth; ++step) {
        const float* row = block.data();
        for (Index i = 0; i < count; ++i, row += inputs_) {
          const Step& node = nodes_[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])];
          at[static_cast<std::size_t>(i)] = node.left + (row[node.input] >= node.threshold ? 1 : 0);
        }
      }
      double* sum = sums.col(tree.output).data();
      for (Index i = 0; i < count; ++i) sum[i] += values_[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])];
    }
    for (Index c = 0; c < outputs(); ++c)
      values.col(c).segment(first, count) = base_[c] + sums.col(c).head(count).array() / scale_[c];
  }
}

Matrix BoostedTrees::of(ConstMat x) const {
  Matrix values(x.rows(), outputs());
  evaluate(x, values);
  return values;
}

void BoostedTrees::of_row(ConstVec x, VecRef values) const {
  require(x.size() == inputs_ && values.size() == outputs(), "BoostedTrees: a row of other shape");
  values.setZero();
  for (const Tree& tree : trees_) {
    auto at = static_cast<std::size_t>(tree.first);
    for (std::int32_t step = 0; step < tree.depth; ++step) {
      const Step& node = nodes_[at];
      const std::int32_t right = static_cast<float>(x[node.input]) >= node.threshold ? 1 : 0;
      at = static_cast<std::size_t>(node.left) + static_cast<std::size_t>(right);
    }
    values[tree.output] += values_[at];
  }
  values = base_.array() + values.array() / scale_.array();
}

bool BoostedTrees::are_in(const TensorBundle& bundle, const std::string& prefix) {
  return bundle.contains(prefix + "base");
}

void BoostedTrees::save(TensorBundle& bundle, const std::string& prefix) const {
  std::vector<std::int32_t> sizes, outputs, inputs, left;
  Vector numbers(nodes());
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const auto first = static_cast<std::size_t>(trees_[t].first);
    sizes.push_back(static_cast<std::int32_t>(end_of(t) - first));
    outputs.push_back(trees_[t].output);
    for (std::size_t k = first; k < end_of(t); ++k) {
      const bool is_leaf = std::isnan(nodes_[k].threshold);
      inputs.push_back(is_leaf ? -1 : nodes_[k].input);
      left.push_back(is_leaf ? 0 : nodes_[k].left - trees_[t].first);
      numbers[static_cast<Index>(k)] = is_leaf ? values_[k] : static_cast<double>(nodes_[k].threshold);
    }
  }
  bundle.put_vector(prefix + "base", base_);
  bundle.put_vector(prefix + "scale", scale_);
  bundle.put_integers(prefix + "sizes", sizes);
  bundle.put_integers(prefix + "outputs", outputs);
  bundle.put_integers(prefix + "inputs", inputs);
  bundle.put_integers(prefix + "left", left);
  bundle.put_vector(prefix + "numbers", numbers);
}

BoostedTrees BoostedTrees::load(const TensorBundle& bundle, const std::string& prefix, Index inputs) {
  const auto refuse = [&](const char* what) { throw IoError("model file", prefix + ": " + what); };
  const Vector base = bundle.vector(prefix + "base");
  BoostedTrees result(inputs, base.size());
  if (base.size() < 1) refuse("trees without a value");
  result.base_ = base;
  result.scale_ = bundle.vector(prefix + "scale", base.size());
  if (!(result.scale_.minCoeff() > 0)) refuse("a scale is not positive");
  const auto sizes = bundle.integers(prefix + "sizes");
  const auto outputs = bundle.integers(prefix + "outputs", static_cast<Index>(sizes.size()));
  const auto splits = bundle.integers(prefix + "inputs");
  const auto left = bundle.integers(prefix + "left", static_cast<Index>(splits.size()));
  const Vector numbers = bundle.vector(prefix + "numbers", static_cast<Index>(splits.size()));
  std::size_t next = 0;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    if (sizes[t] < 1 || static_cast<std::size_t>(sizes[t]) > splits.size() - next) refuse("a tree has no such nodes");
    DecisionTree tree;
    for (std::int32_t k = 0; k < sizes[t]; ++k, ++next)
      tree.nodes.push_back({splits[next], left[next], numbers[static_cast<Index>(next)]});
    if (outputs[t] < 0 || outputs[t] >= result.outputs() || depth_of(tree.nodes, inputs) < 0)
      refuse("the nodes are no trees of these inputs");
    result.append(tree, outputs[t]);
  }
  if (next != splits.size()) refuse("there are nodes of no tree");
  return result;
}

}  // namespace alacarte
