#include "gradient_checker.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

// Step of the differences, log units. Truncation falls as h^4 after extrapolation and rounding grows as 1/h: with
// log-parameters of order one and an objective of relative accuracy 1e-13 or so, both are small here.
constexpr double kStep = 2e-3;
// Largest disagreement of two differences, relative; beyond it smaller steps are taken, down to a hundredth, since
// features with high frequencies turn many times within a step.
constexpr double kAgreement = 1e-4;
constexpr double kMinStep = 1e-5;
constexpr double kSmallShare = 1e-3;

double central_difference(Objective& objective, Vector theta, Index entry, double step, Vector& ignored) {
  const double here = theta[entry];
  theta[entry] = here + step;
  const double above = objective.evaluate(theta, ignored);
  const double upper = theta[entry];
  theta[entry] = here - step;
  const double below = objective.evaluate(theta, ignored);
  return (above - below) / (upper - theta[entry]);  // the step that was taken, after rounding
}

/// Extrapolates the derivative from two central differences. `scale`: magnitude below which a value counts as small.
double numeric_derivative(Objective& objective, ConstVec theta, Index entry, double scale, Vector& ignored) {
  for (double step = kStep;; step /= 10) {
    const double wide = central_difference(objective, theta, entry, 2 * step, ignored);
    const double narrow = central_difference(objective, theta, entry, step, ignored);
    const bool agree = std::abs(wide - narrow) <= kAgreement * std::max(std::abs(narrow), scale);
    if (agree || step / 10 < kMinStep) return (4 * narrow - wide) / 3;
  }
}

/// Returns indices spread evenly over each trained slot; every slot keeps at least its first entry.
std::vector<Index> chosen_entries(const ParameterLayout& layout, Index maximum) {
  const Index all = layout.trainable_count();
  std::vector<Index> entries;
  for (const ParameterSlot& slot : layout.slots()) {
    if (!slot.trainable || slot.size == 0) continue;
    const Index share = maximum <= 0 || all <= maximum ? slot.size : std::max<Index>(1, slot.size * maximum / all);
    for (Index i = 0; i < share; ++i) entries.push_back(slot.offset + i * slot.size / share);
  }
  if (maximum > 0 && static_cast<Index>(entries.size()) > maximum) entries.resize(static_cast<std::size_t>(maximum));
  return entries;
}

}  // namespace

GradientCheck check_gradient(Objective& objective, ConstVec theta, Index max_entries) {
  const ParameterLayout& layout = objective.parameters();
  require(theta.size() == layout.size(), "theta does not fit the layout");
  Vector gradient(theta.size()), ignored(theta.size());
  objective.evaluate(theta, gradient);
  const double scale = kSmallShare * (gradient.size() > 0 ? gradient.cwiseAbs().maxCoeff() : 0.0);
  GradientCheck check;
  for (const Index entry : chosen_entries(layout, max_entries)) {
    GradientCheckEntry line{layout.entry_name(entry), gradient[entry],
                            numeric_derivative(objective, theta, entry, scale, ignored), 0};
    const double size = std::max({std::abs(line.analytic), std::abs(line.numeric), scale});
    line.error = size > 0 ? std::abs(line.analytic - line.numeric) / size : 0;
    if (std::isnan(line.error)) line.error = std::numeric_limits<double>::infinity();
    check.entries.push_back(line);
  }
  std::stable_sort(check.entries.begin(), check.entries.end(),
                   [](const auto& a, const auto& b) { return a.error > b.error; });
  return check;
}

}  // namespace alacarte
