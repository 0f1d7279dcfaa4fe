#pragma once
// The columns that a fit sees in place of the scaled inputs: their values through curves, those of boosted trees, or
// both.
#include <alacarte/core/recipe.hpp>
#include <memory>
#include <string>
#include <utility>

#include "data/input_curves.hpp"
#include "trees/boosted_trees.hpp"

namespace alacarte {

/// The inputs that a recipe asks for (scale.inputs, data.trees): fits with equal views see the same columns.
struct FitView {
  Scaling scale = Scaling::none;  ///< a curve, or none: any scaling of a column by itself is that of all fits
  TreeInputs trees = TreeInputs::none;
  bool operator==(const FitView&) const = default;
  /// Orders views, for maps of them.
  bool operator<(const FitView& other) const { return std::pair(scale, trees) < std::pair(other.scale, other.trees); }
  /// Returns true if the fit sees the scaled inputs themselves.
  bool is_plain() const { return !is_curve(scale) && trees == TreeInputs::none; }
};
/// Returns the view of a recipe or member.
FitView view_of(const Recipe& recipe);
/// Returns "normal-scores", "trees" or "normal-scores and trees"; "the inputs as they are" for a plain view.
std::string text_of(const FitView& view);

/// A function of scaled rows (d): the smooth inputs through curves, then what trees predict, then the levels of random
/// effects; or what trees predict alone. Const and shared by threads.
class FitInputs {
 public:
  /// Null curves or trees: none. The last `levels` of the d inputs are levels. Throws std::invalid_argument for parts
  /// of other inputs.
  FitInputs(std::shared_ptr<const InputCurves> curves, std::shared_ptr<const BoostedTrees> trees, TreeInputs place,
            Index inputs, Index levels);

  Index given() const { return given_; }    ///< d
  Index seen() const { return seen_; }      ///< number of columns that the fit sees
  Matrix of(ConstMat x) const;              ///< returns these columns (rows, seen) of rows x (rows, d)
  void of_row(ConstVec x, VecRef z) const;  ///< z (seen) of one row, without allocation
  /// Returns the columns of rows whose trees' predictions (rows, c) are already known.
  Matrix with_columns(ConstMat x, const Matrix& columns) const;
  /// Computes the directions z_dot (rows, seen) in which the columns move as x (rows, d) moves along x_dot (rows, d),
  /// which is overwritten: trees are flat.
  void along(ConstMat x, MatRef x_dot, MatRef z_dot) const;
  /// Returns the smooth inputs that the fit sees, which come first: 0 if it sees trees alone.
  Index smooth() const { return smooth_; }

  const std::shared_ptr<const InputCurves>& curves() const { return curves_; }
  const std::shared_ptr<const BoostedTrees>& trees() const { return trees_; }

 private:
  std::shared_ptr<const InputCurves> curves_;
  std::shared_ptr<const BoostedTrees> trees_;
  Index given_, smooth_, columns_, levels_, seen_;
};

}  // namespace alacarte
