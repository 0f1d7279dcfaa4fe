#include "spectrum/laws.hpp"

#include <algorithm>
#include <cmath>

#include "core/special_functions.hpp"

namespace alacarte::spectrum_detail {

namespace {

constexpr double kPi = 3.14159265358979323846;

}  // namespace

double gaussian(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * kPi); }

void add_logarithmic(std::vector<double>& grid, double low, double high, int count) {
  for (int i = 0; i < count; ++i) grid.push_back(low * std::pow(high / low, i / (count - 1.0)));
}

namespace {

/// Adds points around `centre` >= 0 for a bump `spread` wide, and for the slope of its logarithmic plot to 0.
void add_bump(std::vector<double>& grid, double centre, double spread) {
  add_logarithmic(grid, 0.02 * spread, spread, 16);
  for (int k = -16; k <= 16; ++k) grid.push_back(centre + 0.25 * k * spread);
}

class ShiftedGaussian final : public Law {
 public:
  explicit ShiftedGaussian(Vector mean) : mean_(std::move(mean)) {}
  // Uses that the squared length is non-central chi-squared; with zero mean the length has a chi law.
  double radial(double length) const override {
    if (mean_.size() == 1) return marginal(0, length);  // finite at 0, too
    return 2 * length *
           non_central_chi_squared_density(static_cast<double>(mean_.size()), mean_.squaredNorm(), length * length);
  }
  double marginal(Index input, double frequency) const override {
    return gaussian(frequency - mean_[input]) + gaussian(frequency + mean_[input]);
  }
  void add_radial_grid(std::vector<double>& grid) const override {
    add_bump(grid, std::sqrt(static_cast<double>(mean_.size() - 1) + mean_.squaredNorm()), 1);
  }
  void add_marginal_grid(Index input, std::vector<double>& grid) const override {
    add_bump(grid, std::abs(mean_[input]), 1);
  }

 private:
  Vector mean_;
};

class StudentLaw final : public Law {
 public:
  StudentLaw(Index inputs, double degrees) : inputs_(static_cast<double>(inputs)), degrees_(degrees) {}
  // Uses that the squared length over the number of inputs has Fisher's law.
  double radial(double length) const override {
    if (inputs_ == 1) return marginal(0, length);
    return 2 * length / inputs_ * fisher_density(inputs_, degrees_, length * length / inputs_);
  }
  double marginal(Index, double frequency) const override { return 2 * student_density(degrees_, frequency); }
  void add_radial_grid(std::vector<double>& grid) const override {
    add_logarithmic(grid, std::sqrt(inputs_ * fisher_quantile(inputs_, degrees_, 1e-4)),
                    std::sqrt(inputs_ * fisher_quantile(inputs_, degrees_, 0.999)), 60);
  }
  void add_marginal_grid(Index, std::vector<double>& grid) const override {
    add_logarithmic(grid, 0.02, student_quantile(degrees_, 0.9995), 60);
  }

 private:
  double inputs_, degrees_;
};

class RadialLinear final : public Law {
 public:
  RadialLinear(Vector knots, Vector heights, Index width)
      : knots_(std::move(knots)), heights_(std::move(heights)), width_(static_cast<double>(width)) {
    if (width > 1)
      log_constant_ = std::lgamma(width_ / 2) - std::lgamma((width_ - 1) / 2) + std::log(2 / std::sqrt(kPi));
  }

  double radial(double length) const override {
    const double* const above = std::upper_bound(knots_.data(), knots_.data() + knots_.size(), length);
    const Index j = above - knots_.data();
    if (j == 0 || j == knots_.size()) return 0;
    return at(j, length);
  }

  // Uses that a coordinate is s t, with t of density proportional to (1 - t²)^((l-3)/2). s = sqrt(w² + z²) removes the
  // singularity at s = w for small l: c times the integral of rho(s) (z/s)^(l-2) / s over z.
  double marginal(Index, double frequency) const override {
    if (width_ == 1) return radial(frequency);
    const double square = frequency * frequency;
    const auto reach = [&](double s) { return std::sqrt(std::max(0.0, s * s - square)); };
    double sum = 0;
    for (Index j = 1; j < knots_.size(); ++j) {
      if (knots_[j] <= frequency) continue;
      const auto integrand = [&](double z) {
        const double s = std::hypot(frequency, z);
        return at(j, s) * std::pow(z / s, width_ - 2) / s;
      };
      sum += integrate(integrand, reach(knots_[j - 1]), reach(knots_[j]));
    }
    return std::exp(log_constant_) * sum;
  }

  void add_radial_grid(std::vector<double>& grid) const override {
    for (Index j = 1; j < knots_.size(); ++j) {
      add_logarithmic(grid, std::max(knots_[j - 1], 0.05 * knots_[j]), knots_[j], 8);
      for (int k = 0; k <= 8; ++k) grid.push_back(knots_[j - 1] + (knots_[j] - knots_[j - 1]) * k / 8);
    }
  }
  void add_marginal_grid(Index, std::vector<double>& grid) const override {
    if (width_ == 1) return add_radial_grid(grid);
    const double last = knots_[knots_.size() - 1];
    add_logarithmic(grid, 0.01 * last / std::sqrt(width_), last, 48);
  }

 private:
  double at(Index j, double length) const {
    const double share = (length - knots_[j - 1]) / (knots_[j] - knots_[j - 1]);
    return heights_[j - 1] + (heights_[j] - heights_[j - 1]) * std::clamp(share, 0.0, 1.0);
  }

  Vector knots_, heights_;
  double width_, log_constant_ = 0;  // constant of the folded density
};

}  // namespace

std::unique_ptr<const Law> gaussian_law(Vector mean) { return std::make_unique<ShiftedGaussian>(std::move(mean)); }

std::unique_ptr<const Law> student_law(Index inputs, double degrees) {
  return std::make_unique<StudentLaw>(inputs, degrees);
}

std::unique_ptr<const Law> radial_law(Vector knots, Vector heights, Index width) {
  return std::make_unique<RadialLinear>(std::move(knots), std::move(heights), width);
}

}  // namespace alacarte::spectrum_detail
