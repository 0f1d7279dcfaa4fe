#pragma once
// Kernels a^2 phi(r^2) with r^2 = sum_j ((x_j - x'_j)/lengthscale_j)^2.
#include <alacarte/kernel/kernel.hpp>

namespace alacarte {

enum class Profile { squared_exponential, matern12, matern32, matern52 };

class StationaryKernel final : public Kernel {
 public:
  /// `prefix` begins the slot names; `shared`: one length-scale for all inputs.
  StationaryKernel(Profile profile, std::string prefix, bool shared, Index input_count);

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return inputs_; }
  void gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const override;
  void row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const override;
  void diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const override;
  void backward(ConstVec theta, ConstMat x, ConstMat gram, ConstMat gram_bar, VecRef theta_bar,
                int threads) const override;
  Vector start(const TrainingView& view, Index k, RandomStream& stream) const override;
  nlohmann::json describe(ConstVec theta) const override;

 private:
  Vector inverse_lengthscales(ConstVec theta) const;  // (d)
  double variance(ConstVec theta) const;              // a^2
  Index scale_count() const { return shared_ ? 1 : inputs_; }

  Profile profile_;
  std::string prefix_;
  bool shared_;
  Index inputs_;
  ParameterLayout layout_;
};

}  // namespace alacarte
