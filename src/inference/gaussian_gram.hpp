#pragma once
// Gaussian inference on an n x n Gram matrix: of features with n < D, or of an exact kernel.
#include <alacarte/model/linear_gaussian.hpp>
#include <optional>

#include "inference/gaussian_noise.hpp"

namespace alacarte {

class GaussianGram : public Inference {
 public:
  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override;
  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override;
  Solution solve(ConstVec theta, const LeftOutRows& left_out) override;

 protected:
  /// `parameters`: of the map or kernel. The rows are read, all of them, before the first Gram matrix is formed.
  GaussianGram(const ParameterLayout& parameters, std::shared_ptr<const RowSource> rows,
               const InferenceOptions& options);

  /// The lower triangle of the Gram matrix (n, n) at theta, the map's or kernel's own entries.
  virtual void form(ConstVec theta, MatRef gram) = 0;
  /// Pulls d value / d gram (n, n) back to theta_bar, which is added to; after form() at the same theta. Of both
  /// matrices only the lower triangles are defined, unless needs_whole_adjoint(): then the whole of gram_bar.
  virtual void pull_back(ConstVec theta, ConstMat gram, ConstMat gram_bar, VecRef theta_bar) = 0;
  virtual bool needs_whole_adjoint() const { return false; }

  /// The posterior at theta, of the factor in gaussian(); after form() there.
  virtual std::unique_ptr<Posterior> make_posterior_at(ConstVec theta) = 0;

  const RowSource& source() const { return *rows_; }
  const InputView& x() const { return all_->x; }  ///< after factor()
  int threads() const { return threads_; }
  const DualGaussian& gaussian() const { return gaussian_; }

 private:
  Index noise_at() const { return layout_.size() - 1; }
  /// Forms the Gram matrix and factors it.
  void factor(ConstVec theta);
  void adjoint();

  std::shared_ptr<const RowSource> rows_;
  RowScratch scratch_;
  std::optional<RowBlock> all_;
  int threads_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  DualGaussian gaussian_;
  Matrix gram_;
  Vector factored_at_;  // theta of the factor; empty = none
  bool has_adjoint_ = false;
};

}  // namespace alacarte
