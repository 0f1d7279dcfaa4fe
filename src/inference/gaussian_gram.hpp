#pragma once
// Gaussian inference on an n x n Gram matrix: of features with n < D, or of an exact kernel. Several targets share the
// Gram matrix and its derivatives; each has a factor with its own noise.
#include <optional>
#include <vector>
#include "model/linear_gaussian.hpp"

#include "inference/evaluation.hpp"
#include "inference/gaussian_noise.hpp"
#include "linalg/pair_loops.hpp"

namespace alacarte {

/// Adds the operations of one value and gradient of an exact kernel to a plan with rows and inputs: n^3, and
/// exponential and polynomial of each pair.
inline EvaluationPlan with_exact_flops(EvaluationPlan plan, Index kernels) {
  const auto n = static_cast<double>(plan.rows), inputs = static_cast<double>(plan.inputs);
  plan.pair_flops = 0.5 * n * n * static_cast<double>(kernels) * pair_flops(inputs);
  plan.flops = n * n * n + plan.pair_flops;
  return plan;
}

class GaussianGram : public Inference {
 public:
  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override;
  double noise_sd(ConstVec theta) const override;
  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override;
  double value(ConstVec theta) override;
  Solution solve(ConstVec theta, const LeftOutRows& left_out) override;
  PrecisionBlock precision_block(ConstVec theta, const std::vector<Index>& rows, Index target) override;

 protected:
  /// Reads all rows before the first Gram matrix is formed. `parameters`: layout of the map or kernel.
  GaussianGram(const ParameterLayout& parameters, std::shared_ptr<const RowSource> rows,
               const InferenceOptions& options);

  /// Forms the lower triangle of the Gram matrix (n, n) at theta, the map's or kernel's own entries.
  virtual void form(ConstVec theta, MatRef gram) = 0;
  /// Pulls d value / d gram (n, n) back to theta_bar, which is added to; after form() at the same theta. Of both
  /// matrices only the lower triangles are defined, unless needs_whole_adjoint(): then the whole of gram_bar.
  virtual void pull_back(ConstVec theta, ConstMat gram, ConstMat gram_bar, VecRef theta_bar) = 0;
  virtual bool needs_whole_adjoint() const { return false; }

  /// Makes the posterior of one target at theta from its factor; after form() there.
  virtual std::unique_ptr<Posterior> make_posterior_at(ConstVec theta, const DualGaussian& gaussian) = 0;

  const RowSource& source() const { return *rows_; }
  const InputView& x() const { return all_->x; }  ///< inputs of all rows; after factor()
  int threads() const { return threads_; }
  Index targets() const { return noise_.count(); }
  /// Adds the cost of further targets to the plan of one.
  EvaluationPlan with_targets(EvaluationPlan plan) const;

 private:
  Index noise_at() const { return layout_.size() - noise_.count(); }
  /// Returns d value / d gram, summed over targets.
  const Matrix& gram_bar();
  LeaveOneOut leave_out(std::size_t target, const std::vector<Index>& rows) const;
  Vector targets_of(std::size_t target) const;
  /// Forms the Gram matrix and factors it.
  void factor(ConstVec theta);
  void adjoint();

  std::shared_ptr<const RowSource> rows_;
  RowScratch scratch_;
  std::optional<RowBlock> all_;
  int threads_;
  NoiseTerms noise_;
  ParameterLayout layout_;
  std::vector<DualGaussian> gaussians_;  // one for each target
  Matrix gram_, gram_bar_;               // gram_bar_: the sum over several targets
  Vector factored_at_;                   // theta of the factor; empty = none
  bool has_adjoint_ = false;
};

}  // namespace alacarte
