// Errors of phi(x).phi(x') against the Gaussian kernel by the number of frequencies, for every way of drawing them
// (Le, Sarlos and Smola 2013, figure 1): mean and root mean square of the error over pairs of 4000 points uniform in
// [0, 1]^10, one line per way, number and seed. Pair phases, length-scale 1.
//
//   kernel_error [SEEDS] [MOST] > errors.csv           SEEDS 20, frequencies 16, 32, .. MOST 8192
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/model/registered.hpp"

namespace {

using namespace alacarte;

constexpr Index kPoints = 4000, kInputs = 10, kChunk = 250;

Matrix uniform_points(RandomStream& stream) {
  Matrix x(kPoints, kInputs);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.uniform();
  return x;
}

struct Error {
  double absolute = 0, square = 0;
};

/// Returns the error over the pairs (x_i, partner_i).
Error mean_error(const PreparedMap& map, Index features, ConstMat x, ConstMat partner) {
  Matrix psi(kChunk, features), other(kChunk, features);
  Error error;
  for (Index first = 0; first < kPoints; first += kChunk) {
    map.forward(x.middleRows(first, kChunk), psi);
    map.forward(partner.middleRows(first, kChunk), other);
    const Vector estimate = (psi.array() * other.array()).rowwise().sum();
    const Vector squared = (x.middleRows(first, kChunk) - partner.middleRows(first, kChunk)).rowwise().squaredNorm();
    const Vector wrong = estimate.array() - (-0.5 * squared.array()).exp();
    error.absolute += wrong.cwiseAbs().sum() / kPoints;
    error.square += wrong.squaredNorm() / kPoints;
  }
  return error;
}

void measure(const std::string& draws, Index frequencies, std::uint64_t seed) {
  RandomStream stream(1000 + seed);
  const Matrix x = uniform_points(stream), partner = uniform_points(stream);
  Recipe recipe;
  recipe.model = "rbf";
  recipe.features.draws = from_word<DirectionSource>(draws).value();
  recipe.features.frequencies = frequencies;
  const ModelFunction made = make_function(recipe, kInputs, RandomStreams(seed), TrainingStatistics());
  const auto prepared = made.map->prepare(Vector::Zero(made.map->parameters().size()));
  const Error error = mean_error(*prepared, made.map->feature_count(), x, partner);
  std::cout << draws << ',' << frequencies << ',' << seed << ',' << error.absolute << ',' << std::sqrt(error.square)
            << '\n';
}

}  // namespace

int main(int count, char** values) {
  const int seeds = count > 1 ? std::atoi(values[1]) : 20;
  const Index most = count > 2 ? std::atol(values[2]) : 8192;
  std::cout << "draws,frequencies,seed,mean_absolute_error,root_mean_square_error\n";
  try {
    for (const char* draws : {"gaussian", "fastfood", "fft", "orthogonal", "sobol"})
      for (Index m = 16; m <= most; m *= 2)
        for (int seed = 0; seed < seeds; ++seed) measure(draws, m, static_cast<std::uint64_t>(seed));
  } catch (const std::exception& error) {
    std::cerr << "kernel_error: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
