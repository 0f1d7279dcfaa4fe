#pragma once
// Named, seeded random streams. Every random choice of a model draws from a stream named after its purpose
// ("gm[2].signs"), so adding a draw in one place changes no draw elsewhere, and the model file can name them. The
// engine is MT19937-64 (equal bits on every platform) and the distributions are Boost.Random's, since those of the
// standard library differ between implementations.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alacarte {

/// One stream of draws. Not thread-safe; copies continue independently from the same state.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);           ///< equal seeds give equal draws, on every platform
  RandomStream(const RandomStream& other);             ///< continues from the same state, independently
  RandomStream& operator=(const RandomStream& other);  ///< continues from the state of the other, independently
  ~RandomStream();

  double uniform();                                    ///< [0, 1)
  double normal();                                     ///< N(0, 1)
  double chi(double degrees);                          ///< length of a standard normal vector in R^degrees
  double sign();                                       ///< -1 or +1, fair
  std::int64_t below(std::int64_t count);              ///< uniform integer in [0, count)
  Vector normals(Index count);                         ///< `count` independent N(0, 1)
  std::vector<std::int32_t> permutation(Index count);  ///< uniform permutation of 0..count-1 (Fisher-Yates)

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

/// Derives independent streams from one seed and a name (FNV-1a of the name, mixed with the seed by splitmix64).
class RandomStreams {
 public:
  /// Begins all stream names with `prefix`.
  explicit RandomStreams(std::uint64_t seed, std::string prefix = {}) : seed_(seed), prefix_(std::move(prefix)) {}
  RandomStream stream(std::string_view name) const;  ///< the stream of this name, from its beginning
  /// Returns streams of the same seed with names prefixed by `name` + "/": an independent family for a part of a model.
  RandomStreams scope(std::string_view name) const;
  std::uint64_t seed() const { return seed_; }           ///< seed of all streams
  const std::string& prefix() const { return prefix_; }  ///< beginning of the stream names, "" at the root

 private:
  std::uint64_t seed_;
  std::string prefix_;
};

/// Draws `count` of the rows 0 .. rows - 1 without replacement, in increasing order; all of them if count >= rows.
/// Memory: 4 bytes a row up to 2^22 rows, O(count) beyond.
std::vector<Index> draw_rows(RandomStream& stream, Index rows, Index count);

}  // namespace alacarte
