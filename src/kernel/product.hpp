#pragma once
// Kernels of the scalar product t = sum_j x_j x'_j / lengthscale_j^2.
#include "core/log_lengthscales.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {

/// polynomial: a^2 (t + c)^p; linear: t alone, whose length-scales are the prior slopes' inverses.
class ProductKernel final : public TiledKernel {
 public:
  /// "linear".
  explicit ProductKernel(Index input_count);
  /// "polynomial": degree p >= 1, offset c >= 0, the learned offset's start; 0 leaves it out. `shared`: one
  /// length-scale for all inputs.
  ProductKernel(Index input_count, Index degree, double offset, bool shared);

  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override;
  nlohmann::json describe(ConstVec theta) const override;

 protected:
  Index constant_count() const override { return inputs_ + 2; }
  void prepare(ConstVec theta, VecRef constants) const override;
  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override;
  double variance(ConstVec constants, ConstMat x, Index row) const override;
  Index sum_count() const override { return inputs_ + 2; }
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
               ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override;
  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override;

 private:
  void products(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const;

  Index degree_ = 1;
  double offset_ = 0;
  LogLengthscales scales_;
  Index amplitude_at_ = -1, offset_at_ = -1;
};

}  // namespace alacarte
