#pragma once
// What the two objectives over an n x n Gram matrix share: dual features and the exact process.
#include <alacarte/model/linear_gaussian.hpp>

#include "train/objective_parts.hpp"

namespace alacarte {

class GramObjective : public Objective {
 public:
  const ParameterLayout& parameters() const override { return layout_; }
  double jitter() const override { return gaussian_.jitter(); }
  double noise_sd(ConstVec theta) const override;
  double evaluate(ConstVec theta, VecRef gradient) override;
  LeaveOneOut leave_one_out(ConstVec theta) override;

 protected:
  /// `parameters`: of the map or kernel. x and y are kept by reference.
  GramObjective(const ParameterLayout& parameters, const Matrix& x, const Vector& y, const ObjectiveOptions& options);

  /// The whole Gram matrix (n, n) at theta, the map's or kernel's own entries.
  virtual void form(ConstVec theta, MatRef gram) = 0;
  /// Pulls d value / d gram (n, n) back to theta_bar, which is added to; after form() at the same theta.
  virtual void pull_back(ConstVec theta, ConstMat gram, ConstMat gram_bar, VecRef theta_bar) = 0;

  /// Forms and factors.
  void factor(ConstVec theta);
  /// What depends on neither map nor kernel.
  EvaluationPlan common_plan(const std::string& form) const;

  const Matrix& x() const { return x_; }
  int threads() const { return threads_; }
  const DualGaussian& gaussian() const { return gaussian_; }

 private:
  Index noise_at() const { return layout_.size() - 1; }

  const Matrix& x_;
  const Vector& y_;
  int threads_;
  NoiseTerm noise_;
  ParameterLayout layout_;
  DualGaussian gaussian_;
  Matrix gram_;
};

}  // namespace alacarte
