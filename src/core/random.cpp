#include "alacarte/core/random.hpp"

#include <algorithm>
#include <boost/random/chi_squared_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "core/sobol.hpp"

namespace alacarte {

struct RandomStream::Engine {
  explicit Engine(std::uint64_t seed) : bits(seed) {}
  boost::random::mt19937_64 bits;
};

RandomStream::RandomStream(std::uint64_t seed) : engine_(std::make_unique<Engine>(seed)) {}
RandomStream::RandomStream(const RandomStream& other) : engine_(std::make_unique<Engine>(*other.engine_)) {}
RandomStream& RandomStream::operator=(const RandomStream& other) {
  *engine_ = *other.engine_;
  return *this;
}
RandomStream::~RandomStream() = default;

double RandomStream::uniform() { return boost::random::uniform_01<double>()(engine_->bits); }

double RandomStream::normal() { return boost::random::normal_distribution<double>()(engine_->bits); }

double RandomStream::chi(double degrees) {
  return std::sqrt(boost::random::chi_squared_distribution<double>(degrees)(engine_->bits));
}

double RandomStream::sign() { return (engine_->bits() >> 63) != 0 ? 1.0 : -1.0; }

std::int64_t RandomStream::below(std::int64_t count) {
  return boost::random::uniform_int_distribution<std::int64_t>(0, count - 1)(engine_->bits);
}

Vector RandomStream::normals(Index count) {
  Vector draws(count);
  for (Index i = 0; i < count; ++i) draws[i] = normal();
  return draws;
}

std::vector<std::int32_t> RandomStream::permutation(Index count) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  for (Index i = count - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  return order;
}

RandomStream RandomStreams::stream(std::string_view name) const {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto absorb = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  };
  absorb(prefix_);
  absorb(name);
  // splitmix64 of the sum: neighbouring seeds and names give unrelated engines.
  std::uint64_t z = seed_ + hash + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return RandomStream(z ^ (z >> 31));
}

std::vector<std::uint64_t> sobol_points(Index count, Index dimensions) {
  boost::random::sobol sequence(static_cast<std::size_t>(dimensions));
  std::vector<std::uint64_t> points(static_cast<std::size_t>(count * dimensions));
  for (std::uint64_t& coordinate : points) coordinate = sequence();
  return points;
}

RandomStreams RandomStreams::scope(std::string_view name) const {
  return RandomStreams(seed_, prefix_ + std::string(name) + "/");
}

std::vector<Index> draw_rows(RandomStream& stream, Index rows, Index count) {
  constexpr Index kMaxShuffledRows = Index{1} << 22;
  std::vector<Index> drawn;
  if (count >= rows) {
    drawn.resize(static_cast<std::size_t>(rows));
    std::iota(drawn.begin(), drawn.end(), Index{0});
  } else if (rows <= kMaxShuffledRows) {
    const std::vector<std::int32_t> order = stream.permutation(rows);
    drawn.assign(order.begin(), order.begin() + count);
    std::sort(drawn.begin(), drawn.end());
  } else {
    // Floyd's algorithm: each set of `count` rows is equally likely.
    std::set<Index> chosen;
    for (Index last = rows - count; last < rows; ++last)
      if (!chosen.insert(stream.below(last + 1)).second) chosen.insert(last);
    drawn.assign(chosen.begin(), chosen.end());
  }
  return drawn;
}

}  // namespace alacarte
