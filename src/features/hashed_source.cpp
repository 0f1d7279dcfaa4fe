// Dense rows of which nothing is stored: each entry follows from a key and its place, so every pass makes the rows
// again, a few at a time, for a whole chunk of points (Le, Sarlos and Smola 2013, remark 5).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "alacarte/spectrum/scales.hpp"
#include "features/frequency_stack.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

constexpr Index kBlockRows = 64;  // rows in memory at a time

// splitmix64's finaliser (Steele, Lea and Flood 2014), over a counter.
double uniform_at(std::uint64_t key, std::uint64_t place) {
  std::uint64_t z = key * 0xD1342543DE82EF95ull + (place + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (static_cast<double>(z >> 11) + 0.5) * 0x1p-53;
}

/// One standard normal (Box and Muller, the cosine half) or Cauchy number from the places 2 k and 2 k + 1.
double entry_at(RowLaw law, std::uint64_t key, std::uint64_t k) {
  const double u = uniform_at(key, 2 * k);
  if (law == RowLaw::cauchy) return truncated_cauchy_quantile(u);
  return std::sqrt(-2 * std::log(u)) * std::cos(kTwoPi * uniform_at(key, 2 * k + 1));
}

class HashedProjection final : public Projection {
 public:
  HashedProjection(RowLaw law, std::uint64_t key, Vector inverse_lengthscale, Vector scales)
      : law_(law), key_(key), inverse_(std::move(inverse_lengthscale)), scales_(std::move(scales)) {}

  Index inputs() const override { return inverse_.size(); }
  Index frequencies() const override { return scales_.size(); }

  void project(ConstMat x, MatRef turns) const override {
    for (Index first = 0; first < frequencies(); first += kBlockRows) {
      const auto rows = block(first);
      gemm(1 / kTwoPi, x, Op::none, rows, Op::transpose, 0, turns.middleCols(first, rows.rows()));
    }
  }

  void pull_back(ConstMat phase_bar, MatRef x_bar) const override {
    for (Index first = 0; first < frequencies(); first += kBlockRows) {
      const auto rows = block(first);
      gemm(1, phase_bar.middleCols(first, rows.rows()), Op::none, rows, Op::none, first == 0 ? 0 : 1, x_bar);
    }
  }

  Matrix rows() const override {
    Matrix all(frequencies(), inputs());
    for (Index first = 0; first < frequencies(); first += kBlockRows) {
      const auto rows = block(first);
      all.middleRows(first, rows.rows()) = rows;
    }
    return all;
  }

 private:
  /// Rows from `first` on, in radians per unit of x, in memory of the thread that the next call takes again.
  Eigen::Map<const Matrix> block(Index first) const {
    const Index count = std::min(kBlockRows, frequencies() - first), d = inputs();
    auto rows = thread_matrix<HashedProjection>(count, d);
    for (Index i = 0; i < count; ++i) {
      double square = 0;
      for (Index j = 0; j < d; ++j) {
        rows(i, j) = entry_at(law_, key_, static_cast<std::uint64_t>((first + i) * d + j));
        square += rows(i, j) * rows(i, j);
      }
      const double factor = scales_[first + i] / (law_ == RowLaw::unit ? std::sqrt(square) : 1);
      for (Index j = 0; j < d; ++j) rows(i, j) *= factor * inverse_[j];
    }
    return Eigen::Map<const Matrix>(rows.data(), count, d);
  }

  RowLaw law_;
  std::uint64_t key_;
  Vector inverse_, scales_;
};

class HashedSource final : public FrequencySource {
 public:
  HashedSource(RowLaw law, Index inputs, Index frequencies, std::uint64_t key)
      : law_(law), inputs_(inputs), frequencies_(frequencies), key_(key) {}
  Index inputs() const override { return inputs_; }
  Index frequencies() const override { return frequencies_; }
  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    return projected_stack(std::make_unique<HashedProjection>(law_, key_, lengthscale.cwiseInverse(), scales),
                           amplitude, learn_scales);
  }
  // The key, and the two sizes that a file is asked about when it is read.
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put_vector(prefix + "hashed.key", Eigen::Vector3d(static_cast<double>(frequencies_),
                                                             static_cast<double>(inputs_), static_cast<double>(key_)));
  }
  // Entries are made anew for each chunk, of several hundred rows.
  double flops(bool learn_scales) const override {
    return (learn_scales ? 6.5 : 4.5) * static_cast<double>(inputs_ * frequencies_);
  }

 private:
  RowLaw law_;
  Index inputs_, frequencies_;
  std::uint64_t key_;
};

}  // namespace

std::unique_ptr<FrequencySource> hashed_source(RowLaw law, Index inputs, Index frequencies, std::uint64_t key) {
  return std::make_unique<HashedSource>(law, inputs, frequencies, key);
}

}  // namespace alacarte
