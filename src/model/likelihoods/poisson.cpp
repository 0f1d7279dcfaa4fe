// Counts: p(y | f) = exp(y f - e^f) / y!.
#include <fmt/format.h>

#include <algorithm>

#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/scalar.hpp"

namespace alacarte {
namespace {

class Poisson final : public ScalarLikelihood<Poisson> {
 public:
  static ScalarTerms terms(double f, double y) {
    const double rate = std::exp(f);
    return {y * f - rate - std::lgamma(y + 1), y - rate, rate, rate};
  }
  TargetKind target() const override { return TargetKind::counts; }
  double start(double target_mean) const override { return std::log(std::max(target_mean, 0.0) + 0.1); }
  double start_sd(double) const override { return 1; }
  std::string validate_targets(ConstVec y) const override {
    constexpr double kMaxCount = 1e15;  // whole numbers beyond are not all there
    for (const double value : y)
      if (!(value >= 0 && value <= kMaxCount && value == std::floor(value)))
        return fmt::format("is of counts, and {:g} is none", value);
    return {};
  }
};

}  // namespace

const Likelihood& poisson_likelihood() {
  static const Poisson likelihood;
  return likelihood;
}

}  // namespace alacarte
