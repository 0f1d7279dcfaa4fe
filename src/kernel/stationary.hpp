#pragma once
// Kernels a^2 phi(r^2) with r^2 = sum_j ((x_j - x'_j)/lengthscale_j)^2.
#include <memory>

#include "core/log_lengthscales.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {

/// phi. Const and shared by threads.
class Profile {
 public:
  using Array = Eigen::Ref<Eigen::ArrayXd>;
  virtual ~Profile() = default;
  /// r^2 -> phi(r^2), in place. `shape`: exp of the log shape parameter; 0 where there is none.
  virtual void apply(Array r2, double shape) const = 0;
  /// r^2 -> -2 phi'(r^2), in place: what multiplies ((x_j - x'_j)/lengthscale_j)^2 in d phi / d log lengthscale_j. At
  /// r^2 = 0, where it may have a pole, the product is 0: so is what this gives there.
  virtual void apply_slope(Array r2, double shape) const = 0;
  /// sum_i weight_i d phi(r2_i) / d log shape; r2 is overwritten.
  virtual double shape_slope(Array, const Eigen::Ref<const Eigen::ArrayXd>&, double) const { return 0; }
  /// Whether apply_slope() equals apply().
  virtual bool own_slope() const { return false; }
};

std::unique_ptr<Profile> squared_exponential();
/// Matern-nu of sqrt(2 nu) r; closed forms for nu = 1/2, 3/2, 5/2, tables of Bessel functions else. 0 < nu <= 50, or
/// ConfigError.
std::unique_ptr<Profile> matern(double nu);
/// (1 + r^2/(2 alpha))^-alpha; alpha is the shape.
std::unique_ptr<Profile> rational_quadratic();

class StationaryKernel final : public TiledKernel {
 public:
  /// `prefix` begins the slot names; `shared`: one length-scale for all inputs. `shape`: name of the log shape
  /// parameter's slot behind the prefix, "" for none, and where it starts.
  StationaryKernel(std::unique_ptr<Profile> profile, const std::string& prefix, bool shared, Index input_count,
                   const std::string& shape = {}, double shape_start = 1, bool learn_shape = true);

  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override;
  nlohmann::json describe(ConstVec theta) const override;

 protected:
  Index constant_count() const override { return inputs_ + 2; }
  void prepare(ConstVec theta, VecRef constants) const override;
  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override;
  double variance(ConstVec constants, ConstMat, Index) const override { return constants[inputs_]; }
  Index sum_count() const override { return inputs_ + 2; }
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
               ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override;
  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override;

 private:
  std::unique_ptr<Profile> profile_;
  LogLengthscales scales_;
  Index amplitude_at_, shape_at_ = -1;
  double shape_start_;
};

}  // namespace alacarte
