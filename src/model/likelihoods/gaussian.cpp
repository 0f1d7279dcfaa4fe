// Numbers with noise: p(y | f) = N(y; f, s2), here with s as the unit of y and f.
#include <numbers>

#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/scalar.hpp"

namespace alacarte {
namespace {

class Gaussian final : public ScalarLikelihood<Gaussian> {
 public:
  static ScalarTerms terms(double f, double y) {
    const double residual = y - f;
    return {-0.5 * residual * residual - 0.5 * std::log(2 * std::numbers::pi), residual, 1, 0};
  }
  TargetKind target() const override { return TargetKind::numbers; }
  bool is_conjugate() const override { return true; }
  double start(double target_mean) const override { return target_mean; }
  double start_sd(double target_sd) const override { return target_sd; }
  std::string validate_targets(ConstVec y) const override { return y.allFinite() ? "" : "is of finite numbers"; }
};

}  // namespace

const Likelihood& gaussian_likelihood() {
  static const Gaussian likelihood;
  return likelihood;
}

}  // namespace alacarte
