#include <fmt/format.h>

#include <algorithm>

#include "alacarte/core/error.hpp"
#include "features/directional.hpp"

namespace alacarte {

Index directional_dimension(Index inputs, double offset) { return std::max<Index>(2, inputs + (offset > 0 ? 1 : 0)); }

std::vector<Index> split_features(const DirectionalSpec& spec, Index frequencies) {
  const auto degrees = static_cast<Index>(spec.degrees.size());
  if (frequencies < degrees)
    throw ConfigError("/features/frequencies", fmt::format("must be at least {}, one for each degree", degrees));
  std::vector<Index> counts(spec.degrees.size(), 1);
  const bool constant = spec.degrees.front().degree == 0;
  if (constant && degrees == 1) return counts;
  double total = 0;
  for (std::size_t n = constant ? 1 : 0; n < counts.size(); ++n) total += spec.shares[n];
  const Index free = frequencies - degrees;
  Index given = 0;
  std::size_t largest = counts.size() - 1;
  for (std::size_t n = constant ? 1 : 0; n < counts.size(); ++n) {
    const auto more = static_cast<Index>(static_cast<double>(free) * spec.shares[n] / total);
    counts[n] += more;
    given += more;
    if (spec.shares[n] > spec.shares[largest]) largest = n;
  }
  counts[largest] += free - given;
  return counts;
}

std::vector<DirectionalDegree> coefficients_of(const Recipe& recipe, const std::vector<double>& defaults) {
  const std::vector<double>& values = recipe.kernel.coefficients.empty() ? defaults : recipe.kernel.coefficients;
  std::vector<DirectionalDegree> degrees;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (!(values[n] >= 0))
      throw ConfigError(fmt::format("/kernel/coefficients/{}", n),
                        fmt::format("the coefficient of degree {} is negative: no kernel has such", n));
    if (values[n] > 0) degrees.push_back({static_cast<Index>(n), values[n], 0});
  }
  if (degrees.empty()) throw ConfigError("/kernel/coefficients", "at least one must be positive");
  return degrees;
}

}  // namespace alacarte
