#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "alacarte/core/error.hpp"
#include "core/special_functions.hpp"
#include "kernel/stationary.hpp"

namespace alacarte {
namespace {

// Distance at which exp(-r) is 0 and r^2 finite, so their product is not NaN.
constexpr double kMaxDistance = 1e100;

class SquaredExponential final : public Profile {
 public:
  void apply(Array r2, double) const override { r2 = (-0.5 * r2).exp(); }
  std::optional<PairProfile> closed_form() const override { return PairProfile::squared_exponential; }
  double slope_at_zero() const override { return 1; }
};

class Matern12 final : public Profile {
 public:
  void apply(Array r2, double) const override { r2 = (-r2.sqrt()).exp(); }
  std::optional<PairProfile> closed_form() const override { return PairProfile::matern12; }
};

class Matern32 final : public Profile {
 public:
  void apply(Array r2, double) const override {
    r2 = (3.0 * r2).sqrt().min(kMaxDistance);
    r2 = (1.0 + r2) * (-r2).exp();
  }
  std::optional<PairProfile> closed_form() const override { return PairProfile::matern32; }
  double slope_at_zero() const override { return 3; }
};

class Matern52 final : public Profile {
 public:
  void apply(Array r2, double) const override {
    r2 = (5.0 * r2).sqrt().min(kMaxDistance);
    r2 = (1.0 + r2 + r2.square() / 3.0) * (-r2).exp();
  }
  std::optional<PairProfile> closed_form() const override { return PairProfile::matern52; }
  double slope_at_zero() const override { return 5.0 / 3.0; }
};

class RationalQuadratic final : public Profile {
 public:
  void apply(Array r2, double alpha) const override { r2 = (-alpha * (r2 / (2 * alpha)).log1p()).exp(); }
  std::optional<PairProfile> closed_form() const override { return PairProfile::rational_quadratic; }
  double slope_at_zero() const override { return 1; }
};

// phi(z) = 2^(1-nu)/Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r, and z phi'(z), which is -r^2 times the slope. A Bessel
// function takes a microsecond, as long as all the rest of a pair: both are tables of cubic Hermite pieces over log z,
// whose error of 1e-11 is far below any noise. Few pairs have a z below the table.
class GeneralMatern final : public Profile {
 public:
  explicit GeneralMatern(double nu) : nu_(nu) {
    log_factor_ = (1 - nu) * std::log(2.0) - log_gamma(nu);
    const auto nodes = static_cast<std::size_t>((kLast - kFirst) / kStep) + 2;
    table_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) table_[i] = at(std::exp(kFirst + kStep * static_cast<double>(i)));
  }

  void apply(Array r2, double) const override {
    for (double& value : r2) value = value > 0 ? look_up(std::sqrt(2 * nu_ * value), &Node::value) : 1;
  }
  void apply_slope(Array r2) const override {
    for (double& value : r2) value = value > 0 ? -look_up(std::sqrt(2 * nu_ * value), &Node::slope) / value : 0;
  }
  // Uses phi = 1 - nu r^2 / (2 (nu - 1)) + ..: mean square differentiable for nu > 1.
  double slope_at_zero() const override { return nu_ > 1 ? nu_ / (nu_ - 1) : 0; }

 private:
  static constexpr double kFirst = -12, kLast = 6.5, kStep = 1.0 / 256;

  // phi, d phi / d log z and the second derivative by log z.
  struct Node {
    double value = 1, slope = 0, curvature = 0;
  };

  // Uses (z^nu K_nu)' = -z^nu K_(nu-1).
  Node at(double z) const {
    const double k = bessel_k(nu_, z);
    // K overflows only if phi is 1 to rounding.
    if (!std::isfinite(k)) return {};
    const double power = std::exp(log_factor_ + nu_ * std::log(z));
    const double before = bessel_k(std::abs(nu_ - 1), z);
    Node node;
    node.value = power * k;
    node.slope = -power * z * before;
    // d/dlog z of -c z^(nu+1) K_(nu-1): (z^(nu-1) K_(nu-1))' = -z^(nu-1) K_(nu-2), K_(nu-2) = K_nu - 2(nu-1)/z
    // K_(nu-1).
    node.curvature = 2 * node.slope + power * z * z * (k - 2 * (nu_ - 1) / z * before);
    return node;
  }

  double look_up(double z, double Node::*field) const {
    const double place = (std::log(z) - kFirst) / kStep;
    if (place < 0) return at(z).*field;
    if (!(place < static_cast<double>(table_.size() - 1))) return 0;
    const auto i = static_cast<std::size_t>(place);
    const Node &a = table_[i], &b = table_[i + 1];
    const bool value = field == &Node::value;
    const double t = place - static_cast<double>(i);
    const double a_slope = kStep * (value ? a.slope : a.curvature), b_slope = kStep * (value ? b.slope : b.curvature);
    const double rise = b.*field - a.*field;
    return a.*field + t * (a_slope + t * (3 * rise - 2 * a_slope - b_slope + t * (a_slope + b_slope - 2 * rise)));
  }

  double nu_, log_factor_;
  std::vector<Node> table_;
};

}  // namespace

std::unique_ptr<Profile> squared_exponential() { return std::make_unique<SquaredExponential>(); }

std::unique_ptr<Profile> rational_quadratic() { return std::make_unique<RationalQuadratic>(); }

std::unique_ptr<Profile> matern(double nu) {
  // Beyond, Bessel functions overflow, and the kernel is Gaussian to a per cent.
  constexpr double kMaxNu = 50;
  if (!(nu > 0 && nu <= kMaxNu))
    throw ConfigError("/kernel/nu", "must be above 0 and at most 50; the limit of large nu is exact-ard");
  if (nu == 0.5) return std::make_unique<Matern12>();
  if (nu == 1.5) return std::make_unique<Matern32>();
  if (nu == 2.5) return std::make_unique<Matern52>();
  return std::make_unique<GeneralMatern>(nu);
}

}  // namespace alacarte
