#include "alacarte/report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "core/special_functions.hpp"

namespace alacarte {
namespace {

/// P(range of k standard normal numbers <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, z the largest of them.
/// The trapezoidal rule is exact to rounding here: the integrand is smooth and vanishes at both ends.
double range_probability(double q, Index k) {
  constexpr double kStep = 0.02, kEnd = 9;
  double sum = 0;
  for (double z = -kEnd; z < kEnd + q; z += kStep)
    sum += normal_density(z) * std::pow(normal_cdf(z) - normal_cdf(z - q), static_cast<double>(k - 1));
  return static_cast<double>(k) * sum * kStep;
}

}  // namespace

Moments moments_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Moments moments{std::accumulate(values.begin(), values.end(), 0.0) / n, 0};
  for (const double value : values) moments.variance += (value - moments.mean) * (value - moments.mean);
  if (n > 1) moments.variance /= n - 1;
  return moments;
}

double paired_t_p_value(const std::vector<double>& differences) {
  require(differences.size() >= 2, "a paired test needs two differences");
  const auto n = static_cast<double>(differences.size());
  const Moments moments = moments_of(differences);
  if (moments.variance == 0) return moments.mean == 0 ? 1 : 0;
  const double t = std::abs(moments.mean) / std::sqrt(moments.variance / n);
  return 2 * student_upper_tail(n - 1, t);
}

std::vector<std::size_t> order_of(const std::vector<double>& values, bool falling) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return falling ? values[a] > values[b] : values[a] < values[b];
  });
  return order;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  const std::vector<std::size_t> order = order_of(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + last) + 1;
    first = last + 1;
  }
  return ranks;
}

FriedmanTest friedman(const std::vector<std::vector<double>>& ranks) {
  require(!ranks.empty() && ranks.front().size() >= 2, "Friedman's test needs a data set and two methods");
  const auto n = static_cast<double>(ranks.size()), k = static_cast<double>(ranks.front().size());
  double between = 0, within = 0;  // squared deviations from the middle rank, of the sums and of each rank
  for (std::size_t method = 0; method < ranks.front().size(); ++method) {
    double sum = 0;
    for (const auto& row : ranks) {
      sum += row[method] - (k + 1) / 2;
      within += (row[method] - (k + 1) / 2) * (row[method] - (k + 1) / 2);
    }
    between += sum * sum / n;
  }
  if (within == 0) return {};  // every method tied on every data set
  // Without ties `within` is n k (k^2 - 1) / 12 and this is the textbook form.
  FriedmanTest test;
  test.statistic = n * (k - 1) * between / within;
  test.p_value = chi_squared_upper_tail(k - 1, test.statistic);
  return test;
}

double nemenyi_critical_difference(Index methods, Index datasets) {
  require(methods >= 2 && datasets >= 1, "a critical difference needs two methods and a data set");
  const double level = 1 - kSignificance;
  const auto excess = [&](double q) { return range_probability(q, methods) - level; };
  const double q = find_root(excess, 0, 20, -level, kSignificance) / std::sqrt(2.0);
  return q * std::sqrt(static_cast<double>(methods * (methods + 1)) / (6.0 * static_cast<double>(datasets)));
}

}  // namespace alacarte
