#include "features/sketch_hashes.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 31) - 1;
constexpr Index kBucketTerms = 3, kSignTerms = 4, kTerms = kBucketTerms + kSignTerms;
constexpr Index kHeader = 3;  // degree, coordinates, sketch: what a file is asked about when it is read

std::uint64_t polynomial(const double* coefficients, Index terms, std::uint64_t x) {
  std::uint64_t value = 0;
  for (Index t = 0; t < terms; ++t) value = (value * x + static_cast<std::uint64_t>(coefficients[t])) % kPrime;
  return value;
}

}  // namespace

SketchHashes::SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const RandomStreams& streams)
    : degree_(degree), coordinates_(coordinates), sketch_(sketch), coefficients_(degree * kTerms) {
  require(degree > 0 && coordinates > 0 && sketch > 0, "a sketch of nothing");
  RandomStream stream = streams.stream("sketch.hashes");
  for (double& value : coefficients_) value = static_cast<double>(stream.below(static_cast<std::int64_t>(kPrime)));
  if (balanced) {
    RandomStream shuffle = streams.stream("sketch.deal");
    for (Index k = 0; k < degree_; ++k) {
      const auto order = shuffle.permutation(deal_size());
      deal_.insert(deal_.end(), order.begin(), order.end());
    }
  }
  fill();
}

SketchHashes::SketchHashes(Index degree, Index coordinates, Index sketch, bool balanced, const TensorBundle& bundle,
                           const std::string& prefix)
    : degree_(degree), coordinates_(coordinates), sketch_(sketch) {
  const Vector stored = bundle.vector(prefix + "sketch.hashes", kHeader + degree * kTerms);
  coefficients_ = stored.tail(degree * kTerms);
  if (stored[0] != static_cast<double>(degree) || stored[1] != static_cast<double>(coordinates) ||
      stored[2] != static_cast<double>(sketch))
    throw IoError("model file", "tensor '" + prefix + "sketch.hashes' is of another sketch");
  for (const double value : coefficients_)
    if (!(value >= 0 && value < static_cast<double>(kPrime) && value == std::floor(value)))
      throw IoError("model file", "tensor '" + prefix + "sketch.hashes' holds no coefficient of a hash");
  if (balanced) {
    deal_ = bundle.integers(prefix + "sketch.deal", degree_ * deal_size());
    check_permutations(deal_, deal_size(), prefix + "sketch.deal");
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

void SketchHashes::fill() {
  buckets_.reserve(static_cast<std::size_t>(degree_ * coordinates_));
  signs_.reserve(buckets_.capacity());
  const auto width = static_cast<std::uint64_t>(sketch_);
  for (Index k = 0; k < degree_; ++k) {
    const double* of_bucket = coefficients_.data() + k * kTerms;
    for (Index i = 0; i < coordinates_; ++i) {
      const auto x = static_cast<std::uint64_t>(i);
      const std::uint64_t place =
          deal_.empty() ? polynomial(of_bucket, kBucketTerms, x)
                        : static_cast<std::uint64_t>(deal_[static_cast<std::size_t>(k * deal_size() + i)]);
      buckets_.push_back(static_cast<std::int32_t>(place % width));
      signs_.push_back(polynomial(of_bucket + kBucketTerms, kSignTerms, x) % 2 == 0 ? 1.0 : -1.0);
    }
  }
}

}  // namespace alacarte
