#pragma once
// The contract of an exact kernel on the Gram matrix: the reference for feature maps and the model for small n.
#include <alacarte/core/model_info.hpp>
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/training_statistics.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// An exact covariance function of pairs of rows. Const and shared by threads.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const ParameterLayout& parameters() const = 0;  ///< the entries of theta: slots, bounds, priors
  virtual Index input_count() const = 0;                  ///< d

  /// Computes k(x1_i, x2_j) into gram (n1, n2), overwritten. theta (parameters().size()); x1 (n1, d), x2 (n2, d)
  /// standardised inputs. Differences are formed before squaring, so near-duplicates keep their digits. If x1 and x2
  /// are the same memory, each pair is computed once: the result is exactly symmetric and its diagonal exact.
  /// `threads`: OpenMP threads; the result does not depend on it. Throws std::invalid_argument on shapes. Cost O(n1 n2
  /// d).
  virtual void gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads = 1) const = 0;

  /// Computes the lower triangle of gram(theta, x, x, gram), to rounding; the strict upper one is left undefined.
  /// Throws std::invalid_argument on shapes. Cost half of gram()'s for two matrices.
  virtual void gram_lower(ConstVec theta, ConstMat x, MatRef gram, int threads = 1) const {
    this->gram(theta, x, x, gram, threads);
  }

  /// Computes k(point, rows_i) into values (n) for one point (d) and rows (n, d): gram() to rounding, without
  /// allocation. Throws std::invalid_argument on shapes. Cost O(n d).
  virtual void row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const = 0;

  /// Computes k(x_i, x_i) into diagonal (n).
  virtual void diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const = 0;

  /// Adds sum_ij gram_bar_ij d k(x_i, x_j) / d theta to theta_bar. gram (n, n) is the output of gram() for (x, x);
  /// gram_bar (n, n) is symmetric. Only the lower triangles of both are read. Bits are equal for equal `threads` and
  /// differ in rounding otherwise. Cost O(n^2 d).
  virtual void backward(ConstVec theta, ConstMat x, ConstMat gram, ConstMat gram_bar, VecRef theta_bar,
                        int threads = 1) const = 0;

  /// Adds sum_ij gram_bar_ij d k(x1_i, x2_j) / d theta to theta_bar, for gram (n1, n2) of (x1, x2) and gram_bar (n1,
  /// n2). Cost O(n1 n2 d).
  virtual void backward_cross(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram, ConstMat gram_bar,
                              VecRef theta_bar) const = 0;

  /// Returns true if the process has a derivative by x (in mean square), and so the two functions below.
  virtual bool has_tangent() const { return false; }

  /// Computes d k(x1_i + t x1_dot_i, x2_j) / dt at t = 0 into slope (n1, n2), overwritten: the covariance of f(x2_j)
  /// and the derivative of f along x1_dot (n1, d) at x1 (n1, d). Throws std::invalid_argument on shapes, or without
  /// has_tangent(). Costs as much as gram().
  virtual void tangent(ConstVec theta, ConstMat x1, ConstMat x1_dot, ConstMat x2, MatRef slope) const;

  /// Computes d^2 k(x_i + s x_dot_i, x_i + t x_dot_i) / ds dt at s = t = 0 into variance (n), overwritten: the prior
  /// variance of that derivative. Throws like tangent(). Cost O(n d).
  virtual void tangent_variance(ConstVec theta, ConstMat x, ConstMat x_dot, VecRef variance) const;

  /// Returns the number of kernels evaluated for a pair of rows: 1, or the total over the terms of a sum or product.
  virtual Index kernels_per_pair() const { return 1; }

  /// A term of a sum and the place of its parameters.
  struct TermKernel {
    std::string model;               ///< name of its kernel
    const Kernel* kernel = nullptr;  ///< lives as long as the sum
    Index first_parameter = 0;       ///< its parameters begin here in theta
    Index first_input = 0;           ///< its inputs begin here
  };
  virtual std::vector<TermKernel> terms() const { return {}; }  ///< in order; empty unless the kernel is a sum

  /// Returns the k-th starting point, drawn from `stream`.
  virtual Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const = 0;

  /// Describes theta; relevance[j] = 1/lengthscale_j.
  virtual KernelDescription describe(ConstVec theta) const = 0;
};

/// An entry of the registry of kernels. make() reads recipe.kernel and recipe.terms, and only the keys that
/// ModelInfo::keys lists: model/registered.hpp refuses the others. Throws ConfigError for settings that do not fit.
struct KernelEntry : ModelInfo {
  std::unique_ptr<Kernel> (*make)(const Recipe&, Index input_count);  ///< see above
};

/// Returns all registered kernels; ModelInfo::formula defines each. Slots begin with the name less "exact-":
/// "ard.log_lengthscale" (d; 1 for rbf), "ard.log_amplitude"; rq has "rq.log_alpha", periodic "periodic.log_period"
/// (d), polynomial "polynomial.log_offset" unless the offset is 0, linear no amplitude; those of term t of exact-sum
/// and exact-product begin with "term[t].".
const std::vector<KernelEntry>& kernels();
/// Returns the kernel of this name, or nullptr.
const KernelEntry* find_kernel(const std::string& name);

}  // namespace alacarte
