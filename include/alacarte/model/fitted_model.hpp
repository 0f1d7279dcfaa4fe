#pragma once
// A trained model: schema, standardiser and one or more fits (an equal-weight mixture), in the user's own units.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/posterior.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// One fit: exactly one of map and kernel is set.
struct Member {
  Recipe recipe;
  std::shared_ptr<const FeatureMap> map;
  std::shared_ptr<const Kernel> kernel;
  Vector theta;  ///< of the map or kernel: parameters().size(); the noise is the posterior's
  std::unique_ptr<Posterior> posterior;
  nlohmann::json summary;  ///< training summary: evidence, iterations, starts, jitter
  const ParameterLayout& parameters() const { return map ? map->parameters() : kernel->parameters(); }
};

struct PredictOptions {
  bool latent = false;   ///< variances of f, without the observation noise
  bool variance = true;  ///< false: means only (variances come back as zero)
  int threads = 1;
};

class FittedModel {
 public:
  Recipe recipe;  ///< resolved: every default filled in
  std::uint64_t seed = 0;
  Schema schema;
  Standardizer standardizer;
  std::vector<Member> members;
  nlohmann::json training;  ///< rows, data fingerprint, seconds, leave-one-out scores, program version

  /// raw (rows, d): inputs as the schema encodes them. Streams in chunks over threads; the result does not depend on
  /// their number. Throws NumericalError when variances are asked of a model without them. Cost O(rows D^2) with
  /// variance, O(rows D) without, D the features (or training rows, if fewer).
  PredictiveDistribution predict(ConstMat raw, const PredictOptions& options = {}) const;
  /// Covariance of the mixture over the rows, target units squared; noise on the diagonal unless latent.
  Matrix covariance(ConstMat raw, bool latent) const;
  /// `count` functions without noise (rows, count), target units: draw c comes from member c mod J. Equal seeds draw
  /// the same functions, so rows may be asked in chunks unless a member is an exact process (its draws are joint).
  Matrix draws(ConstMat raw, Index count, std::uint64_t seed) const;
  bool has_variance() const;  ///< of every member

  /// mean_only leaves out what only variances need: for feature models the file then holds nothing of the training
  /// rows.
  TensorBundle save(bool mean_only = false) const;
  /// Predictions of the loaded model are bit-equal. Throws IoError naming what does not fit, whatever the bundle holds.
  static FittedModel load(const TensorBundle& bundle);
};

}  // namespace alacarte
