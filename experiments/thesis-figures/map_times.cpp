// Processor seconds of maps, measured as in Sivertsen (2014), section 4.2, appendices A and C: one thread, the best of
// a few alternating rounds. One line per figure, method and point.
//
//   map_times [ROUNDS] > times.csv          ROUNDS 7
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/model/registered.hpp"
#include "linalg/hadamard.hpp"

namespace {

using namespace alacarte;

struct Contestant {
  std::string name;
  std::function<void()> work;
};

/// Returns processor seconds, on which other work on the machine has little effect.
double seconds(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void race(const std::string& figure, Index at, const std::vector<Contestant>& contestants, int rounds) {
  std::vector<double> best(contestants.size(), 1e300);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t c = 0; c < contestants.size(); ++c) best[c] = std::min(best[c], seconds(contestants[c].work));
  for (std::size_t c = 0; c < contestants.size(); ++c)
    std::cout << figure << ',' << contestants[c].name << ',' << at << ',' << best[c] << std::endl;
}

Matrix uniform_rows(Index rows, Index inputs) {
  RandomStream stream(1);
  Matrix x(rows, inputs);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.uniform();
  return x;
}

struct Made {
  std::unique_ptr<PreparedMap> map;
  Index features;
};

Made made_map(const std::string& model, const std::string& phase, Index inputs, Index size) {
  Recipe recipe;
  recipe.model = model;
  recipe.features.phase = from_word<PhaseFeatures>(phase).value();
  if (model == "rbf") {
    recipe.features.frequencies = size;
  } else {
    recipe.features.sketch = size;
    recipe.features.learn_lengthscale = false;
  }
  const ModelFunction made = make_function(recipe, inputs, RandomStreams(1), TrainingStatistics());
  return {made.map->prepare(Vector::Zero(made.map->parameters().size())), made.map->feature_count()};
}

/// Times all maps on the same rows, a chunk of features at a time, as in use.
void maps(const std::string& figure, Index at, Index rows, Index inputs, Index size, int rounds) {
  const Matrix x = uniform_rows(rows, inputs);
  const Index chunk = std::min<Index>(rows, 256);
  Matrix psi(chunk, 2 * size);
  std::vector<std::pair<std::string, Made>> all;
  all.emplace_back("fastfood", made_map("rbf", "pair", inputs, size));
  all.emplace_back("fastfood-offset", made_map("rbf", "offset", inputs, size));
  all.emplace_back("tensor-sketch", made_map("tensor-sketch", "pair", inputs, size));
  std::vector<Contestant> contestants;
  for (const auto& [name, made] : all)
    contestants.push_back({name, [&, map = made.map.get(), features = made.features] {
                             for (Index first = 0; first < rows; first += chunk) {
                               const Index count = std::min(chunk, rows - first);
                               map->forward(x.middleRows(first, count), psi.topLeftCorner(count, features));
                             }
                           }});
  race(figure, at, contestants, rounds);
}

/// Times 1008 vectors of each length: the fast transform of tiles and one by one, and the dense matrix.
void transforms(Index length, int rounds) {
  constexpr Index kTiles = 63, kVectors = kTiles * kTileWidth;
  Matrix dense(length, length), out(length, kVectors);
  for (Index i = 0; i < length; ++i)
    for (Index j = 0; j < length; ++j) dense(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  Matrix x = uniform_rows(length, kVectors), tiles = uniform_rows(kTileWidth, length * kTiles);
  const Index padded = std::max(length, kTileWidth);
  Matrix vectors = uniform_rows(padded, kVectors);
  race("A.1", length,
       {{"tiles", [&] { hadamard(tiles.data(), length, kTiles); }},
        {"vectors",
         [&] {
           for (Index v = 0; v < kVectors; ++v) hadamard_vectors(vectors.col(v).data(), length, 1);
         }},
        {"dense",
         [&] {
           for (Index v = 0; v < kVectors; ++v) out.col(v).noalias() = dense * x.col(v);
         }}},
       rounds);
}

}  // namespace

int main(int count, char** values) {
  const int rounds = count > 1 ? std::atoi(values[1]) : 7;
  std::cout << "figure,method,at,seconds\n";
  try {
    for (Index n = 1000; n <= 64000; n *= 2) maps("4.9", n, n, 16, 16, rounds);
    for (Index size = 128; size <= 16384; size *= 2) maps("4.10", size, 1000, 16, size, rounds);
    for (Index d = 2; d <= 4096; d *= 2) maps("4.11", d, 1000, d, 4096, rounds);
    for (Index length = 2; length <= 1024; length *= 2) transforms(length, rounds);
  } catch (const std::exception& error) {
    std::cerr << "map_times: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
