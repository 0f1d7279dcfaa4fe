// Counts with mean u = exp(f) and variance u + a u^2: Poisson, whose rate has a Gamma law of shape r = 1/a. With
// p = u / (r + u): log p(y | f) = lgamma(y + r) - lgamma(r) - lgamma(y + 1) + r log(1 - p) + y log p, log-concave in f.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "core/count_laws.hpp"
#include "core/special_functions.hpp"
#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/parametric.hpp"

namespace alacarte {
namespace {

constexpr double kPriorDispersion = 0.3, kPriorSpread = 1.5;

class NegativeBinomial final : public ParametricLikelihood<NegativeBinomial> {
 public:
  static constexpr Index kParameters = 1;  // log a

  explicit NegativeBinomial(double log_dispersion)
      : shape_(std::exp(-log_dispersion)), log_shape_(-log_dispersion), law_(shape_), digamma_shape_(digamma(shape_)) {}

  RowTerms terms(double f, double y) const {
    const double z = f - log_shape_, p = share(z), q = share(-z);
    const double curvature = (y + shape_) * p * q;
    return {law_.log_probability(y, f), y - (y + shape_) * p, curvature, curvature * (q - p)};
  }

  // The derivative by r, times dr / d log a = -r.
  void slopes(double f, double y, RowSlopes* own) const {
    const double z = f - log_shape_, p = share(z), q = share(-z);
    own[0] = {-shape_ * (digamma(y + shape_) - digamma_shape_ - log_sum(z) + p) + y * q,
              shape_ * p - (y + shape_) * p * q, -p * q * (shape_ - (y + shape_) * (q - p))};
  }

  TargetKind target() const override { return TargetKind::counts; }
  double start(double target_mean) const override { return std::log(std::max(target_mean, 0.0) + 0.1); }
  double start_sd(double) const override { return 1; }
  std::string validate_targets(ConstVec y) const override { return poisson_likelihood().validate_targets(y); }
  double dispersion() const override { return 1 / shape_; }

  ParameterLayout parameters(const NoiseConfig& noise) const override {
    const double center = std::log(noise.dispersion > 0 ? noise.dispersion : kPriorDispersion);
    ParameterLayout layout;
    layout.add({.name = "noise.log_dispersion",
                .trainable = noise.dispersion == 0,
                .prior = {ParameterPrior::Kind::normal, Vector::Constant(1, center), kPriorSpread},
                .lower = std::min(std::log(1e-5), center),
                .upper = std::max(std::log(1e3), center)});
    return layout;
  }
  std::unique_ptr<Likelihood> at(const NoiseConfig&, ConstVec theta) const override {
    return std::make_unique<NegativeBinomial>(theta[0]);
  }

 private:
  static double share(double z) { return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z)); }
  static double log_sum(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

  double shape_, log_shape_;
  NegativeBinomialLaw law_;
  double digamma_shape_;
};

}  // namespace

const Likelihood& negative_binomial_likelihood() {
  static const NegativeBinomial likelihood(std::log(kPriorDispersion));
  return likelihood;
}

}  // namespace alacarte
