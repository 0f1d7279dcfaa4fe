#pragma once
// A minimal feature map: psi(x) = a/sqrt(m) [cos(W (x / l)), sin(W (x / l))] with a dense Gaussian W. Slots
// "test.log_lengthscale" (d), "test.fixed" (1, not trained, no effect) and "test.log_amplitude".
#include <alacarte/features/feature_map.hpp>

namespace alacarte {

class CosineMap final : public FeatureMap {
 public:
  CosineMap(Index input_count, Index frequencies, std::uint64_t seed);
  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return frequencies_.cols(); }
  Index feature_count() const override { return 2 * frequencies_.rows(); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override;
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override;
  KernelDescription describe(ConstVec theta) const override;
  FrequencyRows frequencies(ConstVec theta) const override;
  void save(TensorBundle& bundle, const std::string& prefix) const override;
  double flops_per_row() const override { return 6.0 * static_cast<double>(frequencies_.size()); }

 private:
  Matrix frequencies_;  // (m, d)
  ParameterLayout layout_;
};

/// Returns rows of independent N(0, 1).
Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed);
/// Returns a smooth target with a little noise and a nonzero mean.
Vector smooth_target(ConstMat x, std::uint64_t seed);

}  // namespace alacarte
