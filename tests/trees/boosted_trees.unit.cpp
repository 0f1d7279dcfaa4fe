// Sums of decision trees: their values at thresholds, their scale, their files.
#include "trees/boosted_trees.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

/// x0 < 1 ? (x1 < -2 ? 10 : 20) : 30
DecisionTree three_leaves() { return {{{0, 1, 1.0}, {1, 3, -2.0}, {-1, 0, 30}, {-1, 0, 10}, {-1, 0, 20}}}; }

/// A tree of so many levels whose leaves are drawn.
DecisionTree full_tree(int depth, Index inputs, RandomStream& stream) {
  DecisionTree tree;
  for (std::int32_t k = 0; k < (1 << (depth + 1)) - 1; ++k) {
    const bool is_leaf = k >= (1 << depth) - 1;
    const auto input = static_cast<std::int32_t>(stream.uniform() * static_cast<double>(inputs));
    const auto threshold = static_cast<double>(static_cast<float>(stream.normal()));
    tree.nodes.push_back(is_leaf ? DecisionTree::Node{-1, 0, stream.normal()}
                                 : DecisionTree::Node{input, 2 * k + 1, threshold});
  }
  return tree;
}

BoostedTrees drawn_trees(Index outputs, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("trees");
  BoostedTrees trees(3, outputs);
  for (int k = 0; k < 12; ++k) trees.add(full_tree(k % 6, 3, stream), k % outputs);
  trees.standardise(Vector::Constant(outputs, 0.5), Vector::LinSpaced(outputs, 2, 3));
  return trees;
}

Matrix drawn_rows(Index rows) {
  RandomStream stream = RandomStreams(7).stream("rows");
  Matrix x(rows, 3);
  for (double& value : x.reshaped()) value = stream.normal();
  return x;
}

TEST(BoostedTrees, SendRowsBelowAThresholdToTheLeft) {
  BoostedTrees trees(2, 1);
  trees.add(three_leaves(), 0);
  Matrix x(6, 2);
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  x << 0, -3, 0, -2, 1, -3, -infinity, infinity, infinity, 0, nan, nan;
  EXPECT_EQ(trees.of(x).col(0), (Vector(6) << 10, 20, 30, 20, 30, 10).finished());
  // Inputs are rounded to floats, as those that the thresholds were learned from.
  x(0, 0) = std::nextafter(1.0, 0.0);
  EXPECT_EQ(trees.of(x)(0, 0), 30);
}

TEST(BoostedTrees, AddUpByOutputAndScale) {
  BoostedTrees trees(2, 2);
  trees.add(three_leaves(), 1);
  trees.add(three_leaves(), 1);
  trees.add_constants((Vector(2) << 5, 7).finished());
  const Matrix x = (Matrix(1, 2) << 0, -3).finished();
  EXPECT_EQ(trees.of(x), (Matrix(1, 2) << 5, 27).finished());
  trees.standardise((Vector(2) << 1, 7).finished(), (Vector(2) << 2, 10).finished());
  EXPECT_EQ(trees.of(x), (Matrix(1, 2) << 2, 2).finished());
  BoostedTrees half(2, 2);
  half.add(trees, 0.5);
  EXPECT_EQ(half.of(x), (Matrix(1, 2) << 1, 1).finished());
}

TEST(BoostedTrees, OneRowHasTheBitsOfMany) {
  const BoostedTrees trees = drawn_trees(2, 1);
  const Matrix x = drawn_rows(150), all = trees.of(x);
  Vector one(2);
  for (Index i = 0; i < x.rows(); ++i) {
    trees.of_row(x.row(i).transpose(), one);
    EXPECT_EQ(one, all.row(i).transpose()) << i;
  }
}

TEST(BoostedTrees, AreSavedWithEveryBit) {
  const BoostedTrees trees = drawn_trees(3, 2);
  TensorBundle bundle;
  trees.save(bundle, "t/");
  EXPECT_TRUE(BoostedTrees::are_in(bundle, "t/"));
  EXPECT_FALSE(BoostedTrees::are_in(bundle, ""));
  const BoostedTrees loaded = BoostedTrees::load(bundle, "t/", 3);
  EXPECT_EQ(loaded.trees(), 12);
  EXPECT_EQ(loaded.of(drawn_rows(90)), trees.of(drawn_rows(90)));
}

TEST(BoostedTrees, RefuseTensorsThatAreNoTrees) {
  TensorBundle good;
  drawn_trees(2, 3).save(good, "");
  const auto refuses = [&](const char* name, std::size_t place, std::int32_t value) {
    TensorBundle bundle = good;
    bundle.tensors[name].i32[place] = value;
    EXPECT_THROW(BoostedTrees::load(bundle, "", 3), IoError) << name << " " << place << " " << value;
  };
  refuses("sizes", 0, 2);  // nodes of the next tree
  refuses("sizes", 0, 0);
  refuses("sizes", 11, 1 << 30);
  refuses("outputs", 0, 2);
  refuses("outputs", 0, -1);
  refuses("inputs", 1, 3);  // an input that is not there
  refuses("inputs", 1, -2);
  refuses("left", 1, 0);  // a loop
  refuses("left", 1, 1 << 30);
  refuses("left", 1, -5);
  TensorBundle scale = good;
  scale.tensors["scale"].f64[0] = 0;
  EXPECT_THROW(BoostedTrees::load(scale, "", 3), IoError);
  TensorBundle threshold = good;
  threshold.tensors["numbers"].f64[1] = 1e300;
  EXPECT_THROW(BoostedTrees::load(threshold, "", 3), IoError);
  EXPECT_THROW(BoostedTrees::load(good, "", 1), IoError);
  BoostedTrees trees(2, 1);
  EXPECT_THROW(trees.add(DecisionTree{{{0, 0, 1.0}}}, 0), std::invalid_argument);
  EXPECT_THROW(trees.add(three_leaves(), 1), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
