#pragma once
// The registry entry of each feature map, defined in the file of its map and listed by registry.cpp, and base classes.
#include <memory>

#include "alacarte/core/error.hpp"
#include "alacarte/features/feature_map.hpp"

namespace alacarte {

using MapPointer = std::unique_ptr<FeatureMap>;

FeatureMapEntry rbf_entry(), ard_entry(), matern_entry(), rational_quadratic_entry(), laplace_entry(), ball_entry();
FeatureMapEntry listed_entry(), fsard_entry(), fsgbard_entry(), ssgpr_entry();
FeatureMapEntry gaussian_mixture_entry(), piecewise_linear_entry();
FeatureMapEntry linear_entry(), polynomial_entry(), dot_product_entry(), moments_entry(), local_entry();
FeatureMapEntry positive_entry(), periodic_entry(), nystrom_entry(), tensor_sketch_entry(), gcws_entry(), sum_entry();
FeatureMapEntry deep_entry();

/// A map with a layout of its own. Derived classes add their slots in the constructor.
class LayoutMap : public FeatureMap {
 public:
  const ParameterLayout& parameters() const final { return layout_; }
  Index input_count() const final { return inputs_; }
  Index feature_count() const final { return features_; }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const final {
    check(theta);
    return prepare_at(theta);
  }

 protected:
  LayoutMap(Index inputs, Index features) : inputs_(inputs), features_(features) {}
  /// Prepares theta of the right length.
  virtual std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const = 0;
  void check(ConstVec theta) const { require(theta.size() == layout_.size(), "theta does not fit the feature map"); }

  ParameterLayout layout_;
  Index inputs_, features_;
};

/// A prepared map from dense rows to dense features: it checks shapes, derived classes compute.
class PreparedDense : public PreparedMap {
 public:
  void forward(const InputView& rows, FeatureBlock features) const final;
  void backward(const InputView& rows, ConstMat psi, ConstMat psi_bar, VecRef sums) const final;
  void forward_tangent(const InputView& rows, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const final;
  Index accumulator_size() const final { return sums_; }
  void finish(ConstVec sums, VecRef theta_bar) const final;

 protected:
  /// Numbers of inputs, of features and of sums.
  PreparedDense(Index inputs, Index features, Index sums) : inputs_(inputs), features_(features), sums_(sums) {}
  virtual void compute(ConstMat x, MatRef psi) const = 0;
  virtual void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const = 0;
  virtual void tangent(ConstMat x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const = 0;
  virtual void add_gradient(ConstVec sums, VecRef theta_bar) const = 0;

  Index inputs_, features_, sums_;
};

/// Maps side by side: the features of each part in turn.
class PreparedParts : public PreparedMap {
 public:
  struct Part {
    std::unique_ptr<PreparedMap> map;
    Index features, first_parameter, parameters;  ///< parameters of theta that the part uses
    Index first_input = 0, inputs = -1;           ///< columns of the rows that it reads; -1: all
    Index feature_at = 0, sum_at = 0;             ///< set by the whole

    InputView view(const InputView& x) const { return inputs < 0 ? x : x.middle_cols(first_input, inputs); }
    /// Returns these columns of a matrix beside the rows.
    Eigen::Ref<const Matrix> of(ConstMat x) const { return x.middleCols(inputs < 0 ? 0 : first_input, width(x)); }
    MatRef own(MatRef x) const { return x.middleCols(inputs < 0 ? 0 : first_input, width(x)); }

   private:
    Index width(ConstMat x) const { return inputs < 0 ? x.cols() : inputs; }
  };
  explicit PreparedParts(std::vector<Part> parts);

  void forward(const InputView& x, FeatureBlock features) const final;
  void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const final;
  /// Keeps the intermediates of all parts meanwhile where one reads some of the inputs alone: random effects stand
  /// beside a network then.
  void forward_backward(const InputView& x, MatRef psi, MatRef psi_bar, const std::function<void()>& between,
                        VecRef sums) const final;
  void add_input_gradient(const InputView& x, ConstMat psi, ConstMat psi_bar, MatRef x_bar) const final;
  void forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const final;
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const final;
  Index accumulator_size() const final { return sums_; }
  void finish(ConstVec sums, VecRef theta_bar) const final;

 protected:
  std::vector<Part> parts_;
  Index features_ = 0, sums_ = 0;

 private:
  void forward_backward_from(std::size_t first, const InputView& x, MatRef psi, MatRef psi_bar,
                             const std::function<void()>& between, VecRef sums) const;
};

}  // namespace alacarte
