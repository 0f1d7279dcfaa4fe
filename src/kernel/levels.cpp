#include "kernel/levels.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

class LevelsKernel final : public TiledKernel {
 public:
  LevelsKernel() : TiledKernel(1) { layout_.add(amplitude_slot("levels.log_amplitude")); }

  Vector start(const TrainingStatistics& statistics, Index, RandomStream&) const override {
    Vector theta = Vector::Constant(1, std::log(statistics.target_sd));
    keep_inside(layout_, theta);
    return theta;
  }

  // Codes have no order, so that the effect has no relevance in the sense of a frequency.
  KernelDescription describe(ConstVec theta) const override {
    require(theta.size() == 1, "theta does not fit the kernel");
    return {.amplitude = std::exp(theta[0]), .relevance = Vector::Zero(1)};
  }

  Index constant_count() const override { return 1; }
  void prepare(ConstVec theta, VecRef constants) const override { constants[0] = std::exp(2 * theta[0]); }

  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    const double code = x2(row, 0);
    if (code >= 0)
      out = (x1.col(0).segment(first, out.size()).array() == code).select(constants[0], Tile::Zero(out.size()));
    else
      out.setZero();
    // A row of an unknown level is still equal to itself.
    if (x1.data() == x2.data() && row >= first && row < first + out.size()) out[row - first] = constants[0];
  }
  double variance(ConstVec constants, ConstMat, Index) const override { return constants[0]; }

  // The effect is constant between levels.
  bool has_tangent() const override { return true; }
  void tangents(ConstVec, ConstMat, ConstMat, Index, ConstMat, Index, Array out) const override { out.setZero(); }
  double slope_variance(ConstVec, ConstMat, ConstMat, Index) const override { return 0; }

  Index sum_count() const override { return 1; }
  void collect(ConstVec, ConstMat, Index, ConstMat, Index, ConstArray value, ConstArray weight,
               Eigen::Ref<Eigen::ArrayXXd>, VecRef sums) const override {
    sums[0] += (weight * value).sum();
  }
  void finish(ConstVec, ConstVec sums, VecRef theta_bar) const override { theta_bar[0] += 2 * sums[0]; }
};

}  // namespace

std::unique_ptr<TiledKernel> make_levels_kernel() { return std::make_unique<LevelsKernel>(); }

}  // namespace alacarte
