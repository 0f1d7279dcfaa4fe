// Variances of estimates of exp(-gamma (1 - rho)) by k random features and by k consistent samples (Li 2017, figures 2
// and 3, theorem 3.1): mean square errors over many draws, and the theorems' values.
//
//   minmax_variance [DRAWS] > errors.csv          DRAWS 20000, for consistent samples a tenth
//
// One line per method, gamma, rho and k: method,gamma,rho,k,kernel,mean_square_error,theory. For gcws rho follows from
// the min-max kernel g of the two rows (normal entries), 1 - 2 ((1 - g) / (1 + g))^2; gcws-kernel is the error of g
// itself, in units of g (figure 3).
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/model/registered.hpp"
#include "kernel/minmax.hpp"

namespace {

using namespace alacarte;

constexpr Index kMost = 1024;
const std::vector<Index> kCounts = {1, 2, 3, 4, 6, 8, 10, 16, 32, 64, 128, 256, 512, 1024};

struct Line {
  double gamma, rho, kernel;
};

void print(const std::string& method, const Line& line, const Vector& errors, Index draws, double variance) {
  for (std::size_t c = 0; c < kCounts.size(); ++c)
    std::cout << method << ',' << line.gamma << ',' << line.rho << ',' << kCounts[c] << ',' << line.kernel << ','
              << errors[static_cast<Index>(c)] / static_cast<double>(draws) << ','
              << variance / static_cast<double>(kCounts[c]) << '\n';
}

double fourier_variance(const Line& line) { return 0.5 + 0.5 * std::pow(1 - line.kernel * line.kernel, 2); }
double normalized_variance(const Line& line) {
  const double e = line.kernel * line.kernel;
  return fourier_variance(line) - 0.25 * e * (3 - e * e);
}

// Measures the first k of 1024 features of one draw, before and after normalising.
void fourier(double gamma, double rho, Index draws) {
  const Line line{gamma, rho, std::exp(-gamma * (1 - rho))};
  Recipe recipe;
  recipe.model = "rbf";
  recipe.features.draws = DirectionSource::gaussian;
  recipe.features.phase = PhaseFeatures::offset;
  recipe.features.frequencies = kMost;
  Matrix x(2, 2), psi(2, kMost);
  x << 1, 0, rho, std::sqrt(1 - rho * rho);
  Vector plain = Vector::Zero(static_cast<Index>(kCounts.size())), normalized = plain;
  for (Index draw = 0; draw < draws; ++draw) {
    const auto map =
        make_function(recipe, 2, RandomStreams(static_cast<std::uint64_t>(draw)), TrainingStatistics()).map;
    map->prepare(Eigen::Vector2d(-0.5 * std::log(gamma), 0))->forward(x, psi);
    for (std::size_t c = 0; c < kCounts.size(); ++c) {
      const auto a = psi.row(0).head(kCounts[c]), b = psi.row(1).head(kCounts[c]);
      const double dot = a.dot(b), mean = dot * static_cast<double>(kMost) / static_cast<double>(kCounts[c]);
      plain[static_cast<Index>(c)] += std::pow(mean - line.kernel, 2);
      normalized[static_cast<Index>(c)] +=
          std::pow(dot / std::sqrt(a.squaredNorm() * b.squaredNorm()) - line.kernel, 2);
    }
  }
  print("rff", line, plain, draws, fourier_variance(line));
  print("nrff", line, normalized, draws, normalized_variance(line));
}

// Measures two rows of 200 normal entries with that correlation.
void consistent(double gamma, double correlation, Index draws) {
  RandomStream stream(3);
  Matrix x(2, 200), gram(1, 1);
  for (Index j = 0; j < x.cols(); ++j) {
    x(0, j) = stream.normal();
    x(1, j) = correlation * x(0, j) + std::sqrt(1 - correlation * correlation) * stream.normal();
  }
  const SparseRows first = to_sparse(x.row(0)), second = to_sparse(x.row(1)), both = to_sparse(x);
  minmax_gram(first.view(), second.view(), gram);
  const double g = gram(0, 0), root = (1 - g) / (1 + g);
  const Line line{gamma, 1 - 2 * root * root, std::exp(-2 * gamma * root * root)};
  Recipe recipe;
  recipe.model = "gcws";
  recipe.features.samples = kMost;
  recipe.features.bits = 20;
  recipe.features.code = SampleCode::full;
  Vector errors = Vector::Zero(static_cast<Index>(kCounts.size())), of_g = errors;
  SparseRows psi;
  for (Index draw = 0; draw < draws; ++draw) {
    const auto map =
        make_function(recipe, 200, RandomStreams(static_cast<std::uint64_t>(draw)), TrainingStatistics()).map;
    map->prepare(Vector::Zero(1))->forward(both.view(), psi);
    Index equal = 0, done = 0;
    for (std::size_t c = 0; c < kCounts.size(); ++c) {
      for (; done < kCounts[c]; ++done)
        equal += psi.columns[static_cast<std::size_t>(done)] == psi.columns[static_cast<std::size_t>(kMost + done)];
      const double mean = static_cast<double>(equal) / static_cast<double>(done);
      errors[static_cast<Index>(c)] +=
          std::pow(std::exp(-2 * gamma * std::pow((1 - mean) / (1 + mean), 2)) - line.kernel, 2);
      of_g[static_cast<Index>(c)] += std::pow((mean - g) / g, 2);
    }
  }
  print("gcws", line, errors, draws,
        std::pow(line.kernel, 2) * g * std::pow(1 - g, 3) / std::pow(1 + g, 6) * 64 * gamma * gamma);
  print("gcws-kernel", {gamma, line.rho, g}, of_g, draws, (1 - g) / g);
}

}  // namespace

int main(int count, char** values) {
  const Index draws = count > 1 ? std::atol(values[1]) : 20000;
  if (draws < 10) {
    std::cerr << "minmax_variance [DRAWS], a whole number from 10 up\n";
    return 1;
  }
  std::cout << "method,gamma,rho,k,kernel,mean_square_error,theory\n";
  try {
    for (const double gamma : {1.0, 5.0})
      for (const double rho : {0.0, 0.5, 0.9}) {
        fourier(gamma, rho, draws);
        consistent(gamma, rho, draws / 10);
      }
  } catch (const std::exception& error) {
    std::cerr << "minmax_variance: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
