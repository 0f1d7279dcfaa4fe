#pragma once
// The posterior of one fit, in standardised units: all that prediction needs, and nothing of how it was trained.
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <memory>

namespace alacarte {

/// Primal (weights and the D x D factor), dual (training inputs and the n x n factor over features), or an exact
/// process. Const and thread-safe; every answer is a function of the stored tensors alone, so it is bit-equal after
/// loading.
class Posterior {
 public:
  virtual ~Posterior() = default;
  /// Latent mean and variance of f at x (rows, d); variance (rows) is computed as a sum of squares, so never negative.
  /// Pass an empty variance to skip it. Throws NumericalError when a variance is asked of a mean-only posterior.
  virtual void predict(ConstMat x, VecRef mean, VecRef variance) const = 0;
  /// Latent covariance (rows, rows). Cost O(rows D^2) or O(rows n^2), memory O(rows^2).
  virtual Matrix covariance(ConstMat x) const = 0;
  /// `count` whole functions drawn from the posterior, evaluated at x: (rows, count). For feature posteriors rows may
  /// be asked in chunks with an equally seeded stream and belong to the same functions; an exact process draws jointly.
  virtual Matrix draws(ConstMat x, Index count, RandomStream& stream) const = 0;
  virtual double noise_variance() const = 0;
  virtual bool has_variance() const = 0;
  /// Puts the state under `prefix`; mean_only leaves the factor out.
  virtual void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const = 0;
};

/// The counterpart of save(); the map or kernel must have been loaded first. Throws IoError naming a tensor that does
/// not fit.
std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix,
                                          std::shared_ptr<const FeatureMap> map, ConstVec theta);
std::unique_ptr<Posterior> load_posterior(const TensorBundle& bundle, const std::string& prefix,
                                          std::shared_ptr<const Kernel> kernel, ConstVec theta);

}  // namespace alacarte
