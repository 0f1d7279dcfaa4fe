#include "features/radial_parameters.hpp"

#include <cmath>

#include "features/slots.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

constexpr double kLoose = 1.5;  // sd of the weak priors around a hat as wide as the Gaussian shell

// Returns the left end of the starting hat at lambda = 1: Gaussian lengths concentrate at sqrt(l - 1) +- 2.
double left_end(Index length) { return std::max(std::sqrt(static_cast<double>(length - 1)) - 2, 0.01); }
constexpr double kHalfWidth = 2;

class OneHat final : public RadialParameters {
 public:
  OneHat(ConstVec levels, Index length) : law_(levels), left_(left_end(length)) {}

  void add_slots(ParameterLayout& layout, const std::string& prefix) override {
    mu_ = layout.add(normal_slot(prefix + "log_mu", 1, Vector::Constant(1, std::log(left_)), kLoose, -12, 12));
    sigma_ =
        layout.add(normal_slot(prefix + "log_sigma", 1, Vector::Constant(1, std::log(kHalfWidth)), kLoose, -12, 12));
  }
  void start(double lambda, VecRef theta) const override {
    theta[mu_] = std::log(left_ / lambda);
    theta[sigma_] = std::log(kHalfWidth / lambda);
  }
  Vector lengths(ConstVec theta) const override { return law_.lengths(mu(theta), sigma(theta)); }
  void pullback(ConstVec theta, ConstVec, ConstVec length_bar, VecRef theta_bar) const override {
    double mu_bar = 0, sigma_bar = 0;
    law_.pullback(length_bar, mu_bar, sigma_bar);
    theta_bar[mu_] += mu_bar * mu(theta);
    theta_bar[sigma_] += sigma_bar * sigma(theta);
  }
  double mean_square(ConstVec theta) const override { return HatLaw::mean_square(mu(theta), sigma(theta)); }
  RadialDescription describe(ConstVec theta) const override {
    const double left = mu(theta), half = sigma(theta);
    return {.knots = Eigen::Vector3d(left, left + half, left + 2 * half), .density = Eigen::Vector3d(0, 1 / half, 0)};
  }

 private:
  double mu(ConstVec theta) const { return std::exp(theta[mu_]); }
  double sigma(ConstVec theta) const { return std::exp(theta[sigma_]); }

  HatLaw law_;
  double left_;
  Index mu_ = 0, sigma_ = 0;
};

class ManyHats final : public RadialParameters {
 public:
  // Starts like the single hat: knots spread evenly over its support, weights its heights, large enough to grow.
  ManyHats(Index knots, ConstVec levels, Index length) : levels_(levels), increments_(knots + 1), logits_(knots) {
    const double step = 2 * kHalfWidth / static_cast<double>(knots + 1);
    increments_.setConstant(std::log(step));
    increments_[0] = std::log(left_end(length) + step);
    for (Index i = 0; i < knots; ++i) {
      const double from_mode = std::abs(static_cast<double>(i + 1) * step / kHalfWidth - 1);
      logits_[i] = std::log(std::max(1 - from_mode, 0.05));
    }
  }

  void add_slots(ParameterLayout& layout, const std::string& prefix) override {
    at_increments_ =
        layout.add(normal_slot(prefix + "log_knot_increment", increments_.size(), increments_, kLoose, -12, 12));
    at_logits_ = layout.add(normal_slot(prefix + "weight_logit", logits_.size(), logits_, kLoose, -15, 15));
  }
  void start(double lambda, VecRef theta) const override {
    theta.segment(at_increments_, increments_.size()) = increments_.array() - std::log(lambda);
    theta.segment(at_logits_, logits_.size()) = logits_;
  }
  Vector lengths(ConstVec theta) const override { return law(theta).lengths(levels_); }
  void pullback(ConstVec theta, ConstVec lengths, ConstVec length_bar, VecRef theta_bar) const override {
    Vector increments_bar(increments_.size()), logits_bar(logits_.size());
    law(theta).pullback(levels_, lengths, length_bar, increments_bar, logits_bar);
    theta_bar.segment(at_increments_, increments_.size()) += increments_bar;
    theta_bar.segment(at_logits_, logits_.size()) += logits_bar;
  }
  double mean_square(ConstVec theta) const override { return law(theta).mean_square(); }
  RadialDescription describe(ConstVec theta) const override {
    const KnotLaw at = law(theta);
    return {.knots = at.knots(), .density = at.heights()};
  }

 private:
  KnotLaw law(ConstVec theta) const {
    return KnotLaw(theta.segment(at_increments_, increments_.size()), theta.segment(at_logits_, logits_.size()));
  }

  Vector levels_, increments_, logits_;  // the latter two are starts at lambda = 1
  Index at_increments_ = 0, at_logits_ = 0;
};

}  // namespace

std::unique_ptr<RadialParameters> radial_parameters(Index knots, ConstVec levels, Index length) {
  if (knots == 0) return std::make_unique<OneHat>(levels, length);
  return std::make_unique<ManyHats>(knots, levels, length);
}

}  // namespace alacarte
