#include "density.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "core/special_functions.hpp"
#include "radial.hpp"

namespace alacarte {
namespace {

/// Law of one component's frequency in units of 1 / length-scale; see Spectrum for the densities and grids.
class Law {
 public:
  virtual ~Law() = default;
  virtual double radial(double length) const = 0;
  virtual double marginal(Index input, double frequency) const = 0;
  virtual void add_radial_grid(std::vector<double>& grid) const = 0;
  virtual void add_marginal_grid(Index input, std::vector<double>& grid) const = 0;
};

/// Density of N(0, 1).
double gaussian(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

/// Appends `count` points from `low` to `high`, evenly spaced in the logarithm.
void add_logarithmic(std::vector<double>& grid, double low, double high, int count) {
  for (int i = 0; i < count; ++i) grid.push_back(low * std::pow(high / low, i / (count - 1.0)));
}

/// Adds points around `center` >= 0 for a bump `spread` wide, and for the slope of its logarithmic plot to 0.
void add_bump(std::vector<double>& grid, double center, double spread) {
  add_logarithmic(grid, 0.02 * spread, spread, 16);
  for (int k = -16; k <= 16; ++k) grid.push_back(center + 0.25 * k * spread);
}

/// The mixture of N(mean, I) and N(-mean, I) in equal parts.
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

/// The standard multivariate t distribution.
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

/// Uniform directions in R^width with lengths of the piecewise linear density that is `heights` at the increasing
/// `knots` >= 0.
class RadialLinear final : public Law {
 public:
  RadialLinear(Vector knots, Vector heights, Index width)
      : knots_(std::move(knots)), heights_(std::move(heights)), width_(static_cast<double>(width)) {
    if (width > 1)
      log_constant_ =
          std::lgamma(width_ / 2) - std::lgamma((width_ - 1) / 2) + std::log(2 / std::sqrt(std::numbers::pi));
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

constexpr double kMinShare = 1e-6;  // share of a component that grids include

std::vector<double> increasing(std::vector<double> grid) {
  grid.erase(std::remove_if(grid.begin(), grid.end(), [](double x) { return !(x > 0) || !std::isfinite(x); }),
             grid.end());
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

struct Component {
  double log_amplitude = 0, share = 1;
  Vector lengthscale;
  std::unique_ptr<const Law> law;
};

class MixtureSpectrum final : public Spectrum {
 public:
  explicit MixtureSpectrum(std::vector<Component> components) : components_(std::move(components)) {
    double maximum = components_.front().log_amplitude, sum = 0;
    for (const Component& c : components_) maximum = std::max(maximum, c.log_amplitude);
    // Relative to the largest, so that amplitudes that are numerically 0 cause no division by 0.
    for (Component& c : components_) sum += c.share = std::exp(2 * (c.log_amplitude - maximum));
    for (Component& c : components_) c.share /= sum;
  }

  Index input_count() const override { return components_.front().lengthscale.size(); }
  double radial(double length) const override {
    double sum = 0;
    for (const Component& c : components_)
      if (c.share > 0) sum += c.share * c.law->radial(length);
    return sum;
  }
  double marginal(Index input, double frequency) const override {
    double sum = 0;
    for (const Component& c : components_)
      if (c.share > 0) sum += c.share * c.lengthscale[input] * c.law->marginal(input, frequency * c.lengthscale[input]);
    return sum;
  }
  std::vector<double> radial_grid() const override {
    std::vector<double> grid;
    for (const Component& c : components_)
      if (c.share > kMinShare) c.law->add_radial_grid(grid);
    return increasing(std::move(grid));
  }
  std::vector<double> marginal_grid(Index input) const override {
    std::vector<double> grid;
    for (const Component& c : components_) {
      const std::size_t first = grid.size();
      if (c.share > kMinShare) c.law->add_marginal_grid(input, grid);
      for (std::size_t i = first; i < grid.size(); ++i) grid[i] /= c.lengthscale[input];
    }
    return increasing(std::move(grid));
  }

 private:
  std::vector<Component> components_;
};

/// Slots by name; remembers whether all requested ones were valid.
class Slots {
 public:
  explicit Slots(const NamedValues& values) : values_(values) {}
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  /// Returns a slot of `size` entries, or if `spread`, of one entry for all; `size` 0: any number.
  Vector get(const std::string& name, Index size, bool spread = false) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      usable_ = false;
      return Vector::Zero(std::max<Index>(1, size));
    }
    const auto count = static_cast<Index>(found->second.size());
    const Vector values = Eigen::Map<const Vector>(found->second.data(), count);
    if (spread && count == 1) return Vector::Constant(size, values[0]);
    if (count == 0 || (size > 0 && count != size))
      throw std::invalid_argument(name + " holds " + std::to_string(count) + " numbers where " + std::to_string(size) +
                                  " belong");
    usable_ = usable_ && values.allFinite();
    return values;
  }
  Vector positive(const std::string& name, Index size, bool spread = false) {
    const Vector values = get(name, size, spread).array().exp();
    usable_ = usable_ && values.allFinite() && values.minCoeff() > 0;
    return values;
  }
  bool usable() const { return usable_; }

 private:
  const NamedValues& values_;
  bool usable_ = true;
};

std::unique_ptr<const Law> hats(Slots& slots, const std::string& prefix, Index inputs) {
  const auto width = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(inputs)));
  if (slots.has(prefix + "weight_logit")) {
    const Vector logits = slots.get(prefix + "weight_logit", 0);
    const KnotLaw law(slots.get(prefix + "log_knot_increment", logits.size() + 1), logits);
    return std::make_unique<RadialLinear>(law.knots(), law.heights(), width);
  }
  const double mu = slots.positive(prefix + "log_mu", 1)[0], sigma = slots.positive(prefix + "log_sigma", 1)[0];
  return std::make_unique<RadialLinear>(Eigen::Vector3d(mu, mu + sigma, mu + 2 * sigma),
                                        Eigen::Vector3d(0, 1 / sigma, 0), width);
}

/// Density of a positive number whose logarithm is smoothed by a Gaussian.
class LogKernelEstimate {
 public:
  LogKernelEstimate(const Vector& values, const Vector& shares) {
    for (Index i = 0; i < values.size(); ++i)
      if (values[i] > 0) points_.push_back({std::log(values[i]), shares[i]});
    std::sort(points_.begin(), points_.end());
    double sum = 0, mean = 0, square = 0;
    for (const auto& [x, share] : points_) sum += share;
    for (auto& [x, share] : points_) mean += (share /= sum) * x;
    for (const auto& [x, share] : points_) {
      square += share * (x - mean) * (x - mean);
      shares_squared_ += share * share;
    }
    // Silverman's rule with the effective number of points of the shares.
    const double spread = std::min(std::sqrt(square), (quantile(0.75) - quantile(0.25)) / 1.349);
    width_ = std::max(0.9 * spread * std::pow(shares_squared_, 0.2), 0.02);
  }
  double density(double value) const {
    const double at = std::log(value);
    double sum = 0;
    for (const auto& [x, share] : points_) sum += share * gaussian((at - x) / width_);
    return sum / (width_ * value);
  }
  std::vector<double> grid() const {
    std::vector<double> grid;
    if (!points_.empty())
      add_logarithmic(grid, std::exp(quantile(0.002) - 3 * width_), std::exp(quantile(0.998) + 3 * width_), 80);
    return grid;
  }

 private:
  double quantile(double level) const {
    double sum = 0;
    for (const auto& [x, share] : points_)
      if ((sum += share) >= level) return x;
    return points_.empty() ? 0 : points_.back().first;
  }

  std::vector<std::pair<double, double>> points_;  // logarithm and share, increasing
  double shares_squared_ = 0, width_ = 1;
};

class SampledSpectrum final : public Spectrum {
 public:
  SampledSpectrum(const Matrix& rows, const Vector& shares, const Vector& lengthscale)
      : radial_((rows * lengthscale.asDiagonal()).rowwise().norm(), shares) {
    for (Index j = 0; j < rows.cols(); ++j) inputs_.emplace_back(rows.col(j).cwiseAbs(), shares);
  }
  Index input_count() const override { return static_cast<Index>(inputs_.size()); }
  double radial(double length) const override { return length > 0 ? radial_.density(length) : 0; }
  double marginal(Index input, double frequency) const override { return of(input).density(frequency); }
  std::vector<double> radial_grid() const override { return radial_.grid(); }
  std::vector<double> marginal_grid(Index input) const override { return of(input).grid(); }

 private:
  const LogKernelEstimate& of(Index input) const { return inputs_[static_cast<std::size_t>(input)]; }
  LogKernelEstimate radial_;
  std::vector<LogKernelEstimate> inputs_;
};

}  // namespace

std::shared_ptr<const Spectrum> learned_spectrum(const NamedValues& parameters, Index inputs, double nu) {
  require(inputs >= 1 && nu > 0, "a spectrum needs inputs and a positive nu");
  Slots slots(parameters);
  std::vector<Component> components;
  const auto add = [&](const std::string& prefix) -> Component& {
    Component& c = components.emplace_back();
    c.log_amplitude = slots.get(prefix + "log_amplitude", 1)[0];
    c.lengthscale = slots.positive(prefix + "log_lengthscale", inputs, true);  // one for all if isotropic
    return c;
  };
  for (const std::string name : {"rbf.", "ard.", "matern."})
    if (slots.has(name + "log_amplitude")) {
      Component& c = add(name);
      if (name == "matern.")
        c.law = std::make_unique<StudentLaw>(
            inputs, 2 * (slots.has("matern.log_nu") ? slots.positive("matern.log_nu", 1)[0] : nu));
      else
        c.law = std::make_unique<ShiftedGaussian>(Vector::Zero(inputs));
    }
  const auto prefix = [&](const char* family) { return fmt::format("{}[{}].", family, components.size()); };
  while (slots.has(prefix("gm") + "log_amplitude")) {
    const std::string name = prefix("gm");
    add(name).law = std::make_unique<ShiftedGaussian>(slots.get(name + "mean_frequency", inputs));
  }
  while (slots.has(prefix("pwl") + "log_amplitude")) {
    const std::string name = prefix("pwl");
    add(name).law = hats(slots, name, inputs);
  }
  if (components.empty() || !slots.usable()) return nullptr;
  return std::make_shared<MixtureSpectrum>(std::move(components));
}

std::shared_ptr<const Spectrum> sampled_spectrum(const Matrix& rows, const Vector& shares, const Vector& lengthscale) {
  require(rows.rows() >= 1 && rows.cols() == lengthscale.size() && shares.size() == rows.rows(),
          "sampled spectrum: shapes do not fit");
  return std::make_shared<SampledSpectrum>(rows, shares, lengthscale);
}

}  // namespace alacarte
