#include "bench/paired.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte::bench {
namespace {

double seconds_of(const Contestant& contestant, Index repetitions) {
  const auto start = std::chrono::steady_clock::now();
  for (Index k = 0; k < repetitions; ++k) contestant.run();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count() / static_cast<double>(repetitions);
}

// Doubles the repetitions until a batch is long enough to be timed; the very first run only warms up.
Index repetitions_for(const Contestant& contestant, double batch_seconds) {
  contestant.run();
  Index repetitions = 1;
  while (repetitions < (Index{1} << 40)) {
    const double batch = seconds_of(contestant, repetitions) * static_cast<double>(repetitions);
    if (batch >= 0.5 * batch_seconds) break;
    repetitions *= 2;
  }
  return repetitions;
}

}  // namespace

Quartiles quartiles(std::vector<double> values) {
  require(!values.empty(), "quartiles of nothing");
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

double Times::minimum() const { return *std::min_element(seconds.begin(), seconds.end()); }

std::vector<Times> race(const std::vector<Contestant>& contestants, const RaceSettings& settings) {
  const auto pause = [&] {
    if (settings.between) settings.between();
  };
  std::vector<Times> times;
  for (const Contestant& contestant : contestants) {
    pause();
    times.push_back({contestant.name, repetitions_for(contestant, settings.batch_seconds), {}});
  }
  double spent = 0;
  for (Index round = 0; round < settings.max_rounds; ++round) {
    if (round >= settings.min_rounds && spent > settings.budget_seconds) break;
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      pause();
      const std::size_t turn = round % 2 == 0 ? k : contestants.size() - 1 - k;
      times[turn].seconds.push_back(seconds_of(contestants[turn], times[turn].repetitions));
      spent += times[turn].seconds.back() * static_cast<double>(times[turn].repetitions);
    }
  }
  return times;
}

Quartiles paired_ratio(const Times& slower, const Times& faster) {
  require(slower.seconds.size() == faster.seconds.size(), "paired ratio: the contestants ran different rounds");
  std::vector<double> ratios;
  for (std::size_t r = 0; r < slower.seconds.size(); ++r) ratios.push_back(slower.seconds[r] / faster.seconds[r]);
  return quartiles(std::move(ratios));
}

double log_log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  require(x.size() == y.size() && x.size() >= 2, "slope: points are missing");
  const auto count = static_cast<Index>(x.size());
  const Eigen::ArrayXd u = Eigen::Map<const Eigen::ArrayXd>(x.data(), count).log();
  const Eigen::ArrayXd v = Eigen::Map<const Eigen::ArrayXd>(y.data(), count).log();
  const double spread = (u - u.mean()).square().sum();
  require(std::isfinite(spread) && spread > 0 && v.allFinite(), "slope: x and y must be positive, and x not constant");
  return ((u - u.mean()) * (v - v.mean())).sum() / spread;
}

}  // namespace alacarte::bench
