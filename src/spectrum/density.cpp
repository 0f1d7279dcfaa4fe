#include "density.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "radial.hpp"
#include "spectrum/laws.hpp"

namespace alacarte {
namespace {

using spectrum_detail::gaussian_law;
using spectrum_detail::Law;
using spectrum_detail::radial_law;
using spectrum_detail::student_law;

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
    return radial_law(law.knots(), law.heights(), width);
  }
  const double mu = slots.positive(prefix + "log_mu", 1)[0], sigma = slots.positive(prefix + "log_sigma", 1)[0];
  return radial_law(Eigen::Vector3d(mu, mu + sigma, mu + 2 * sigma), Eigen::Vector3d(0, 1 / sigma, 0), width);
}

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
        c.law = student_law(inputs, 2 * (slots.has("matern.log_nu") ? slots.positive("matern.log_nu", 1)[0] : nu));
      else
        c.law = gaussian_law(Vector::Zero(inputs));
    }
  const auto prefix = [&](const char* family) { return fmt::format("{}[{}].", family, components.size()); };
  while (slots.has(prefix("gm") + "log_amplitude")) {
    const std::string name = prefix("gm");
    add(name).law = gaussian_law(slots.get(name + "mean_frequency", inputs));
  }
  while (slots.has(prefix("pwl") + "log_amplitude")) {
    const std::string name = prefix("pwl");
    add(name).law = hats(slots, name, inputs);
  }
  if (components.empty() || !slots.usable()) return nullptr;
  return std::make_shared<MixtureSpectrum>(std::move(components));
}

}  // namespace alacarte
