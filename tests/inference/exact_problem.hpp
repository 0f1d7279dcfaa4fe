#pragma once
// Classes or counts of an exact ARD kernel on a few rows, for tests of Laplace's approximation.
#include <cmath>
#include <string>

#include "inference/inference.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {

struct ExactProblem {
  Matrix x, at;
  Vector y, theta;
  std::shared_ptr<const Kernel> kernel;
  InferenceOptions options;

  explicit ExactProblem(const std::string& likelihood, Index n = 40, MeanKind mean = MeanKind::constant)
      : x(normal_matrix(n, 2, 31)), at(1.5 * normal_matrix(25, 2, 33)) {
    const LikelihoodEntry& entry = *find_likelihood(likelihood);
    y = class_target(entry, x, 32);
    kernel = find_kernel("exact-ard")->make(example_recipe("exact-ard", 1), 2);
    theta.resize(kernel->parameters().size() + (mean == MeanKind::constant ? 1 : 0));
    theta.setConstant(0.3);
    theta[kernel->parameters().find("ard.log_lengthscale").offset] = -0.4;
    options.likelihood = entry.likelihood;
    options.classes = entry.likelihood.target() == TargetKind::classes ? class_count_of(entry) : 0;
    options.mean = mean;
    options.chunk_rows = 16;
    options.variational_step = false;
  }
  Matrix gram(const Matrix& a, const Matrix& b) const {
    Matrix all(a.rows(), b.rows());
    kernel->gram(theta.head(kernel->parameters().size()), a, b, all);
    return all.array() + constant();
  }
  Vector diagonal(const Matrix& a) const {
    Vector all(a.rows());
    kernel->diagonal(theta.head(kernel->parameters().size()), a, all);
    return all.array() + constant();
  }
  double constant() const { return options.mean == MeanKind::constant ? std::exp(2 * theta[theta.size() - 1]) : 0; }
  std::unique_ptr<Inference> inference() const { return make_inference(kernel, x, y, options); }
  double value() const {
    Vector gradient(theta.size());
    return inference()->evaluate(theta, gradient);
  }
};

}  // namespace alacarte
