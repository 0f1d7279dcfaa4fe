#include "model/fit_inputs.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {

FitView view_of(const Recipe& recipe) {
  const bool bends = is_curve(recipe.scale_inputs) && recipe.trees != TreeInputs::alone;
  const TreeInputs trees = recipe.trees == TreeInputs::automatic ? TreeInputs::none : recipe.trees;
  return {bends ? recipe.scale_inputs : Scaling::none, trees};
}

std::string text_of(const FitView& view) {
  const std::string curve = is_curve(view.scale) ? word(view.scale) : "";
  if (view.trees == TreeInputs::none) return curve.empty() ? "the inputs as they are" : curve;
  if (view.trees == TreeInputs::alone) return "trees alone";
  return curve.empty() ? "trees" : curve + " and trees";
}

FitInputs::FitInputs(std::shared_ptr<const InputCurves> curves, std::shared_ptr<const BoostedTrees> trees,
                     TreeInputs place, Index inputs, Index levels)
    : curves_(std::move(curves)), trees_(std::move(trees)), given_(inputs) {
  require((place == TreeInputs::none) == !trees_ && levels >= 0 && levels <= inputs, "FitInputs: no such inputs");
  require((!curves_ || curves_->inputs() == inputs) && (!trees_ || trees_->inputs() == inputs),
          "FitInputs: parts of other inputs");
  const bool is_alone = place == TreeInputs::alone;
  smooth_ = is_alone ? 0 : inputs - levels;
  levels_ = is_alone ? 0 : levels;
  columns_ = trees_ ? trees_->outputs() : 0;
  seen_ = smooth_ + columns_ + levels_;
}

Matrix FitInputs::with_columns(ConstMat x, const Matrix& columns) const {
  require(x.cols() == given_ && columns.cols() == columns_ && columns.rows() == (columns_ > 0 ? x.rows() : 0),
          "FitInputs: rows of other inputs");
  const Matrix bent = curves_ ? curves_->of(x) : Matrix();
  const Eigen::Ref<const Matrix> own = curves_ ? Eigen::Ref<const Matrix>(bent) : Eigen::Ref<const Matrix>(x);
  Matrix z(x.rows(), seen_);
  z.leftCols(smooth_) = own.leftCols(smooth_);
  if (columns_ > 0) z.middleCols(smooth_, columns_) = columns;
  z.rightCols(levels_) = own.rightCols(levels_);
  return z;
}

Matrix FitInputs::of(ConstMat x) const { return with_columns(x, trees_ ? trees_->of(x) : Matrix(0, 0)); }

void FitInputs::of_row(ConstVec x, VecRef z) const {
  require(x.size() == given_ && z.size() == seen_, "FitInputs: a row of other inputs");
  if (trees_) trees_->of_row(x, z.segment(smooth_, columns_));
  const auto value = [&](Index j) {
    return curves_ ? curves_->curves()[static_cast<std::size_t>(j)].value(x[j]) : x[j];
  };
  for (Index j = 0; j < smooth_; ++j) z[j] = value(j);
  for (Index j = 0; j < levels_; ++j) z[smooth_ + columns_ + j] = x[given_ - levels_ + j];
}

void FitInputs::along(ConstMat x, MatRef x_dot, MatRef z_dot) const {
  require(x.cols() == given_ && x_dot.cols() == given_ && z_dot.cols() == seen_,
          "FitInputs: directions of other inputs");
  if (curves_) curves_->multiply_slopes(x, x_dot);
  z_dot.leftCols(smooth_) = x_dot.leftCols(smooth_);
  z_dot.middleCols(smooth_, columns_).setZero();
  z_dot.rightCols(levels_) = x_dot.rightCols(levels_);
}

}  // namespace alacarte
