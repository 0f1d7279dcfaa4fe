// y = f + s t, t of Student's distribution with v > 2 degrees of freedom (Jylanki, Vanhatalo & Vehtari 2011, JMLR 12).
// The curvature is its expectation over y (Fisher scoring), (v + 1) / ((v + 3) s^2): never negative, as -d2 log p / df2
// is beyond |y - f| = sqrt(v) s, and the same for all rows.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/special_functions.hpp"
#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/parametric.hpp"

namespace alacarte {
namespace {

constexpr double kPriorSd = 0.3, kPriorDegrees = 6, kLogSpread = 1.5;

class StudentT final : public ParametricLikelihood<StudentT> {
 public:
  static constexpr Index kParameters = 2;  // log s (above its floor) and log (v - 2)

  StudentT(double floor, double log_sd, double log_degrees)
      : degrees_(2 + std::exp(log_degrees)),
        variance_(floor * floor + std::exp(2 * log_sd)),
        variance_slope_(2 * std::exp(2 * log_sd)),
        curvature_((degrees_ + 1) / ((degrees_ + 3) * variance_)),
        log_constant_(std::lgamma(0.5 * (degrees_ + 1)) - std::lgamma(0.5 * degrees_) -
                      0.5 * std::log(degrees_ * std::numbers::pi * variance_)),
        digammas_(0.5 * (digamma(0.5 * (degrees_ + 1)) - digamma(0.5 * degrees_) - 1 / degrees_)) {}

  RowTerms terms(double f, double y) const {
    const double r = y - f, unit = degrees_ * variance_;
    return {log_constant_ - 0.5 * (degrees_ + 1) * std::log1p(r * r / unit), (degrees_ + 1) * r / (unit + r * r),
            curvature_, 0};
  }

  void slopes(double f, double y, RowSlopes* own) const {
    const double r = y - f, unit = degrees_ * variance_, all = unit + r * r, share = r * r / all;
    own[0] = {0.5 * ((degrees_ + 1) * share - 1) / variance_ * variance_slope_,
              -(degrees_ + 1) * r * degrees_ / (all * all) * variance_slope_,
              -curvature_ / variance_ * variance_slope_};
    const double degrees_slope = degrees_ - 2;
    own[1] = {(digammas_ - 0.5 * std::log1p(r * r / unit) + 0.5 * (degrees_ + 1) * share / degrees_) * degrees_slope,
              (r / all - (degrees_ + 1) * r * variance_ / (all * all)) * degrees_slope,
              2 / ((degrees_ + 3) * (degrees_ + 3) * variance_) * degrees_slope};
  }

  TargetKind target() const override { return TargetKind::numbers; }
  bool wants_robust_scale() const override { return true; }
  bool has_constant_curvature() const override { return true; }
  double start(double) const override { return 0; }
  double start_sd(double) const override { return 1; }
  std::string validate_targets(ConstVec y) const override { return y.allFinite() ? "" : "is of finite numbers"; }

  ParameterLayout parameters(const NoiseConfig& noise) const override {
    const double degrees = noise.degrees > 2 ? noise.degrees : kPriorDegrees;
    const auto prior = [](double mean) {
      return ParameterPrior{ParameterPrior::Kind::normal, Vector::Constant(1, mean), kLogSpread};
    };
    ParameterLayout layout;
    layout.add({.name = "noise.log_sd",
                .trainable = noise.trained,
                .prior = prior(std::log(kPriorSd)),
                .lower = -12,
                .upper = 8});
    layout.add({.name = "noise.log_degrees",
                .trainable = noise.degrees == 0,
                .prior = prior(std::log(degrees - 2)),
                .lower = std::min(std::log(0.05), std::log(degrees - 2)),
                .upper = std::max(std::log(200.0), std::log(degrees - 2))});
    return layout;
  }
  std::unique_ptr<Likelihood> at(const NoiseConfig& noise, ConstVec theta) const override {
    return std::make_unique<StudentT>(noise.trained ? noise.floor : 0, theta[0], theta[1]);
  }
  double noise_variance() const override { return variance_ * degrees_ / (degrees_ - 2); }
  // Returns the noise as a mixture of normals. t is N(0, 1/l) with l of the Gamma law (v/2, v/2): the trapezoid rule in
  // u = log l, whose error is exp(-pi^2 / step) until steps resolve that law's spread sqrt(2/v). Weights fall like
  // exp(v u / 2) to the left, where the variances are those of outliers; if a real share of the variance lies beyond
  // them, the last node has it.
  NoiseMixture noise_mixture() const override {
    constexpr double kMinLog = -28, kLogWeight = 140, kRealShare = 1e-4;
    const double step = std::min(0.5, 0.9 * std::sqrt(2 / degrees_));
    const double left = std::max(kMinLog, -2 * kLogWeight / degrees_);
    const auto log_weight = [&](double u) { return 0.5 * degrees_ * (u - std::exp(u) + 1); };
    std::vector<double> weights, variances;
    for (double u = left; u < 0 || log_weight(u) > -45; u += step) {
      weights.push_back(std::exp(log_weight(u)));
      variances.push_back(variance_ * std::exp(-u));
    }
    Eigen::Map<Vector> all(weights.data(), static_cast<Index>(weights.size()));
    const double kept = all.sum();
    all /= kept;
    Matrix mixture(all.size(), 2);
    mixture.col(0) = all;
    mixture.col(1) = Eigen::Map<const Vector>(variances.data(), all.size());
    const double found = all.dot(mixture.col(1)), lacking = noise_variance() - found;
    if (lacking > kRealShare * noise_variance())
      mixture(0, 1) += lacking / mixture(0, 0);
    else  // the error of the rule: divided by the weight of an outlier, 1e-59 perhaps, it would be no variance
      mixture.col(1) *= noise_variance() / found;
    return {std::move(mixture), far_noise(left, step, kept)};
  }

 private:
  // Returns the nodes to the left of `left`, with growing steps, for densities up to 1e13 deviations out; `sum`: that
  // of the weights that noise_mixture() keeps, in units of its step.
  Matrix far_noise(double left, double step, double sum) const {
    constexpr double kFarLog = -64, kGrowth = 1.15, kMaxStep = 1;
    std::vector<double> nodes;
    for (double u = left, width = step; u > kFarLog;) {
      const double next = std::min(kMaxStep, kGrowth * width);
      u -= 0.5 * (width + next);
      width = next;
      nodes.push_back(0.5 * degrees_ * (u - std::exp(u) + 1) + std::log(width / step / sum));
      nodes.push_back(variance_ * std::exp(-u));
    }
    return Eigen::Map<const Matrix>(nodes.data(), 2, static_cast<Index>(nodes.size() / 2)).transpose();
  }

  double degrees_, variance_, variance_slope_, curvature_, log_constant_, digammas_;
};

}  // namespace

const Likelihood& student_t_likelihood() {
  static const StudentT likelihood(0, std::log(kPriorSd), std::log(kPriorDegrees - 2));
  return likelihood;
}

}  // namespace alacarte
