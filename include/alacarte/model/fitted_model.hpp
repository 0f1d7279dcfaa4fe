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
  Vector theta;
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

  /// raw (rows, d): inputs as the schema encodes them. Streams in chunks over threads; cost O(rows D^2) with variance.
  PredictiveDistribution predict(ConstMat raw, const PredictOptions& options = {}) const;
  /// Covariance of the mixture over the rows, target units squared; noise on the diagonal unless latent.
  Matrix covariance(ConstMat raw, bool latent) const;
  /// `count` functions (rows, count), target units: draw c comes from member c mod J.
  Matrix draws(ConstMat raw, Index count, std::uint64_t seed) const;
  bool has_variance() const;

  TensorBundle save(bool mean_only = false) const;
  static FittedModel load(const TensorBundle& bundle);  ///< throws IoError naming what does not fit
};

}  // namespace alacarte
