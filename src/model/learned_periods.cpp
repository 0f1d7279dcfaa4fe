#include "learned_periods.hpp"

#include <cmath>
#include <numbers>

namespace alacarte {
namespace {

/// Tells whether the inputs of kernels have the units of the table.
bool has_units(const Standardizer& standardizer) {
  return !standardizer.is_sparse() && standardizer.rows() == RowScaling{};
}

void scale_periods(const Vector& scale, KernelDescription& description) {
  if (description.period.size() == scale.size()) description.period = description.period.cwiseProduct(scale);
  for (KernelDescription& term : description.terms) scale_periods(scale, term);
}

/// Adds the periods of the mean frequencies of components.
void add_spectral_periods(const Standardizer& standardizer, const std::vector<SpectralComponent>& components,
                          std::vector<std::vector<double>>& periods) {
  constexpr double kMinPeriods = 3, kMinShare = 0.01;
  double variance = 0;
  for (const SpectralComponent& component : components) variance += std::pow(component.amplitude, 2);
  const Vector range = standardizer.input_range().head(standardizer.smooth_count());
  for (const SpectralComponent& component : components) {
    if (component.mean_frequency.size() != range.size() || component.lengthscales.size() != range.size()) continue;
    if (std::pow(component.amplitude, 2) < kMinShare * variance) continue;
    for (Index j = 0; j < range.size(); ++j) {
      const double period = 2 * std::numbers::pi / std::abs(component.mean_frequency[j]);
      const double own = period * standardizer.input_scale()[j];
      if (period <= component.lengthscales[j] && kMinPeriods * own <= range[j])
        periods[static_cast<std::size_t>(j)].push_back(own);
    }
  }
}

void add_periods(const Standardizer& standardizer, const KernelDescription& description,
                 std::vector<std::vector<double>>& periods) {
  if (description.period.size() == standardizer.smooth_count())
    for (Index j = 0; j < description.period.size(); ++j)
      periods[static_cast<std::size_t>(j)].push_back(description.period[j]);
  add_spectral_periods(standardizer, description.components, periods);
  for (const KernelDescription& term : description.terms) add_periods(standardizer, term, periods);
}

}  // namespace

void give_units(const Standardizer& standardizer, KernelDescription& description) {
  if (has_units(standardizer)) scale_periods(standardizer.input_scale().head(standardizer.smooth_count()), description);
}

std::vector<std::vector<double>> learned_periods(const Standardizer& standardizer,
                                                 const KernelDescription& description) {
  if (!has_units(standardizer)) return {};
  std::vector<std::vector<double>> periods(static_cast<std::size_t>(standardizer.input_scale().size()));
  add_periods(standardizer, description, periods);
  return periods;
}

}  // namespace alacarte
