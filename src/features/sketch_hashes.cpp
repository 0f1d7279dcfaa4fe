#include "features/sketch_hashes.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 31) - 1;
constexpr Index kBucketTerms = 3, kSignTerms = 4, kTerms = kBucketTerms + kSignTerms;
constexpr Index kHeader = 3;  // degree, coordinates, sketch, which a reader checks

std::uint64_t polynomial(const double* coefficients, Index terms, std::uint64_t x) {
  std::uint64_t value = 0;
  for (Index t = 0; t < terms; ++t) value = (value * x + static_cast<std::uint64_t>(coefficients[t])) % kPrime;
  return value;
}

/// Returns the largest number of sketches, at most `degree`, whose products of coordinates have their own buckets.
Index placed_sketches(Index degree, Index coordinates, Index sketch) {
  Index count = 0;
  for (Index room = sketch / coordinates; room > 0 && count < degree; room /= coordinates) ++count;
  return coordinates == 1 ? degree : count;
}

}  // namespace

SketchHashes::SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const RandomStreams& streams)
    : degree_(degree), coordinates_(coordinates), sketch_(sketch), balanced_(balanced), coefficients_(degree * kTerms) {
  require(degree > 0 && coordinates > 0 && sketch > 0, "a sketch of nothing");
  RandomStream stream = streams.stream("sketch.hashes");
  for (double& value : coefficients_) value = static_cast<double>(stream.below(static_cast<std::int64_t>(kPrime)));
  if (balanced) {
    placed_ = placed_sketches(degree, coordinates, sketch);
    RandomStream shuffle = streams.stream("sketch.deal");
    while (static_cast<Index>(deal_.size()) < (degree_ - placed_) * deal_size()) {
      const auto order = shuffle.permutation(sketch_);
      deal_.insert(deal_.end(), order.begin(), order.end());
    }
  }
  fill();
}

SketchHashes::SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const TensorBundle& bundle,
                           const std::string& prefix)
    : degree_(degree), coordinates_(coordinates), sketch_(sketch), balanced_(balanced) {
  const Vector stored = bundle.vector(prefix + "sketch.hashes", kHeader + degree * kTerms);
  coefficients_ = stored.tail(degree * kTerms);
  if (stored[0] != static_cast<double>(degree) || stored[1] != static_cast<double>(coordinates) ||
      stored[2] != static_cast<double>(sketch))
    throw IoError("model file", "tensor '" + prefix + "sketch.hashes' is of another sketch");
  for (const double value : coefficients_)
    if (!(value >= 0 && value < static_cast<double>(kPrime) && value == std::floor(value)))
      throw IoError("model file", "tensor '" + prefix + "sketch.hashes' holds no coefficient of a hash");
  if (balanced) placed_ = placed_sketches(degree, coordinates, sketch);
  if (balanced && placed_ < degree) {
    deal_ = bundle.integers(prefix + "sketch.deal", (degree_ - placed_) * deal_size());
    check_permutations(deal_, sketch_, prefix + "sketch.deal");
  }
  fill();
}

void SketchHashes::save(TensorBundle& bundle, const std::string& prefix) const {
  Vector stored(kHeader + coefficients_.size());
  stored << static_cast<double>(degree_), static_cast<double>(coordinates_), static_cast<double>(sketch_),
      coefficients_;
  bundle.put_vector(prefix + "sketch.hashes", stored);
  if (!deal_.empty()) bundle.put_integers(prefix + "sketch.deal", deal_);
}

std::int32_t SketchHashes::bucket(Index k, Index coordinate) const {
  if (!balanced_) {
    const std::uint64_t place =
        polynomial(coefficients_.data() + k * kTerms, kBucketTerms, static_cast<std::uint64_t>(coordinate));
    return static_cast<std::int32_t>(place % static_cast<std::uint64_t>(sketch_));
  }
  if (k >= placed_) return deal_[static_cast<std::size_t>((k - placed_) * deal_size() + coordinate)];
  for (Index power = 0; power < k; ++power) coordinate *= coordinates_;
  return static_cast<std::int32_t>(coordinate);
}

void SketchHashes::fill() {
  buckets_.reserve(static_cast<std::size_t>(degree_ * coordinates_));
  signs_.reserve(buckets_.capacity());
  for (Index k = 0; k < degree_; ++k) {
    const double* of_sign = coefficients_.data() + k * kTerms + kBucketTerms;
    for (Index i = 0; i < coordinates_; ++i) {
      buckets_.push_back(bucket(k, i));
      signs_.push_back(polynomial(of_sign, kSignTerms, static_cast<std::uint64_t>(i)) % 2 == 0 ? 1.0 : -1.0);
    }
  }
}

}  // namespace alacarte
