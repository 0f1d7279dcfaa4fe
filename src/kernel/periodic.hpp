#pragma once
// a^2 exp(-2 sum_j sin^2(pi (x_j - x'_j)/period_j)/lengthscale_j^2).
#include "kernel/tiled.hpp"

namespace alacarte {

/// MacKay 1998, section 5.3; Rasmussen and Williams 2006, eq. 4.31, with a period and a length-scale for each input.
class PeriodicKernel final : public TiledKernel {
 public:
  explicit PeriodicKernel(Index input_count);

  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override;
  nlohmann::json describe(ConstVec theta) const override;

 protected:
  Index constant_count() const override { return 2 * inputs_ + 1; }
  void prepare(ConstVec theta, VecRef constants) const override;
  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override;
  double variance(ConstVec constants, ConstMat, Index) const override { return constants[2 * inputs_]; }
  Index sum_count() const override { return 2 * inputs_ + 1; }
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
               ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override;
  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override;

 private:
  void take_out_far(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array exponents) const;
};

}  // namespace alacarte
