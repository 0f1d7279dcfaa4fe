// Frequencies from Fastfood blocks, and those with phases from a plain linear product: dense and hashed rows here,
// Hartley products in frequency_draws.cpp.
#include <algorithm>
#include <cmath>

#include "features/frequency_stack.hpp"
#include "features/pair_features.hpp"
#include "features/thread_work.hpp"
#include "linalg/dense.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

class FastfoodStack final : public FrequencyStack {
 public:
  FastfoodStack(Fastfood fastfood, FastfoodSums sums, double amplitude)
      : fastfood_(std::move(fastfood)), sums_(sums), amplitude_(amplitude) {}

  void forward(ConstMat x, MatRef psi) const override { fastfood_.forward(x, amplitude_, psi); }
  void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    fastfood_.backward(x, psi, psi_bar, sums_, sums);
  }
  void project(ConstMat x, MatRef u) const override { fastfood_.project(x, u); }
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    return fastfood_.linear_predictor(amplitude_, weights, type);
  }
  Index accumulator_size() const override { return sums_.end; }
  Fastfood::Pullback finish(ConstVec sums) const override { return fastfood_.finish(sums_, sums); }
  Matrix frequencies() const override { return fastfood_.frequencies(); }

 private:
  Fastfood fastfood_;
  FastfoodSums sums_;
  double amplitude_;
};

class FastfoodSource final : public FrequencySource {
 public:
  FastfoodSource(std::shared_ptr<const FastfoodDraws> draws, Vector base_lengths)
      : FrequencySource(draws->inputs, draws->frequencies),
        draws_(std::move(draws)),
        base_lengths_(std::move(base_lengths)) {}

  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    const FastfoodLearned learned{.lengths = learn_scales};
    const Vector lengths = base_lengths_.cwiseProduct(scales);
    return fastfood_stack(Fastfood(draws_, draws_->signs, draws_->gaussian, lengths, lengthscale, learned), *draws_,
                          learned, amplitude);
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    draws_->save(bundle, prefix);
    bundle.put_vector(prefix + "fastfood.lengths", base_lengths_);
  }
  double flops(bool learn_scales) const override { return Fastfood::flops(*draws_, {.lengths = learn_scales}); }

 private:
  std::shared_ptr<const FastfoodDraws> draws_;
  Vector base_lengths_;  // (m) row lengths over the padded inputs, before scaling
};

class ProjectedStack final : public FrequencyStack {
 public:
  ProjectedStack(std::unique_ptr<const Projection> projection, double amplitude, bool learn_scales)
      : projection_(std::move(projection)), amplitude_(amplitude), learn_scales_(learn_scales) {}

  void forward(ConstMat x, MatRef psi) const override {
    const Index m = projection_->frequencies();
    require(x.cols() == projection_->inputs() && psi.rows() == x.rows() && psi.cols() == 2 * m, "feature map: shapes");
    projection_->project(x, psi.leftCols(m));
    pairs_of_turns(amplitude_, psi);
  }

  // Uses that a scale multiplies its phase: its logarithm's cotangent is the sum of phase times cotangent over the
  // rows.
  void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index m = projection_->frequencies(), d = projection_->inputs();
    require(x.cols() == d && psi.rows() == x.rows() && psi.cols() == 2 * m && psi_bar.rows() == psi.rows() &&
                psi_bar.cols() == psi.cols() && sums.size() == accumulator_size(),
            "feature map: shapes");
    auto phase_bar = thread_matrix<struct PhaseBar>(x.rows(), m);
    auto input_bar = thread_matrix<struct InputBar>(x.rows(), d);
    sums[0] += phase_cotangent(psi, psi_bar, phase_bar);
    projection_->pull_back(phase_bar, input_bar);
    for (Index j = 0; j < d; ++j) sums[1 + j] += input_bar.col(j).dot(x.col(j));
    if (!learn_scales_) return;
    auto turns = thread_matrix<struct Turns>(x.rows(), m);
    projection_->project(x, turns);
    for (Index i = 0; i < m; ++i) sums[1 + d + i] += kTwoPi * turns.col(i).dot(phase_bar.col(i));
  }

  void project(ConstMat x, MatRef u) const override {
    projection_->project(x, u);
    u *= kTwoPi;
  }

  /// Counts log amplitude, sum of x_bar x for each input, and u_bar u for each frequency with a learned scale.
  Index accumulator_size() const override {
    return 1 + projection_->inputs() + (learn_scales_ ? projection_->frequencies() : 0);
  }

  Fastfood::Pullback finish(ConstVec sums) const override {
    Fastfood::Pullback bar;
    const Index d = projection_->inputs();
    bar.log_amplitude = sums[0];
    bar.log_lengthscale = -sums.segment(1, d);
    if (learn_scales_) bar.log_lengths = sums.tail(projection_->frequencies());
    return bar;
  }

  Matrix frequencies() const override { return projection_->rows(); }

 private:
  std::unique_ptr<const Projection> projection_;
  double amplitude_;
  bool learn_scales_;
};

class DenseProjection final : public Projection {
 public:
  explicit DenseProjection(Matrix rows)
      : Projection(rows.cols(), rows.rows()), rows_(std::move(rows)), turns_(rows_ / kTwoPi) {}
  void project(ConstMat x, MatRef turns) const override { gemm(1, x, Op::none, turns_, Op::transpose, 0, turns); }
  void pull_back(ConstMat phase_bar, MatRef x_bar) const override {
    gemm(1, phase_bar, Op::none, rows_, Op::none, 0, x_bar);
  }
  Matrix rows() const override { return rows_; }

 private:
  Matrix rows_, turns_;  // (m, d) in radians and in turns per unit of x
};

class DenseSource final : public FrequencySource {
 public:
  explicit DenseSource(Matrix rows) : FrequencySource(rows.cols(), rows.rows()), rows_(std::move(rows)) {}
  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    Matrix rows = scales.asDiagonal() * rows_ * lengthscale.cwiseInverse().asDiagonal();
    return projected_stack(std::make_unique<DenseProjection>(std::move(rows)), amplitude, learn_scales);
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "frequencies", rows_);
  }
  double flops(bool learn_scales) const override {
    return (learn_scales ? 6.0 : 4.0) * static_cast<double>(rows_.size());
  }

 private:
  Matrix rows_;
};

// Dense rows without storage: each entry is a hash of a key and its place, so every pass makes the rows again, a few at
// a time, for a chunk of points (Le, Sarlos and Smola 2013, remark 5).
constexpr Index kBlockRows = 64;  // rows in memory at a time

// Finalises a counter as splitmix64 does (Steele, Lea and Flood 2014).
double uniform_at(std::uint64_t key, std::uint64_t place) {
  std::uint64_t z = key * 0xD1342543DE82EF95ull + (place + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (static_cast<double>(z >> 11) + 0.5) * 0x1p-53;
}

/// Returns a standard normal (Box and Muller, the cosine half) or Cauchy number from the places 2 k and 2 k + 1.
double entry_at(RowLaw law, std::uint64_t key, std::uint64_t k) {
  const double u = uniform_at(key, 2 * k);
  if (law == RowLaw::cauchy) return truncated_cauchy_quantile(u);
  return std::sqrt(-2 * std::log(u)) * std::cos(kTwoPi * uniform_at(key, 2 * k + 1));
}

class HashedProjection final : public Projection {
 public:
  HashedProjection(RowLaw law, std::uint64_t key, Vector inverse_lengthscale, Vector scales)
      : Projection(inverse_lengthscale.size(), scales.size()),
        law_(law),
        key_(key),
        inverse_(std::move(inverse_lengthscale)),
        scales_(std::move(scales)) {}

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
      : FrequencySource(inputs, frequencies), law_(law), key_(key) {}
  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    return projected_stack(std::make_unique<HashedProjection>(law_, key_, lengthscale.cwiseInverse(), scales),
                           amplitude, learn_scales);
  }
  // Saves the key, and the two sizes that a reader checks.
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put_vector(prefix + "hashed.key", Eigen::Vector3d(static_cast<double>(frequencies_),
                                                             static_cast<double>(inputs_), static_cast<double>(key_)));
  }
  // Counts the entries, which are made again for each chunk of several hundred rows.
  double flops(bool learn_scales) const override {
    return (learn_scales ? 6.5 : 4.5) * static_cast<double>(inputs_ * frequencies_);
  }

 private:
  RowLaw law_;
  std::uint64_t key_;
};

}  // namespace

std::unique_ptr<FrequencyStack> fastfood_stack(Fastfood fastfood, const FastfoodDraws& draws, FastfoodLearned learned,
                                               double amplitude) {
  return std::make_unique<FastfoodStack>(std::move(fastfood), FastfoodSums(0, draws, learned), amplitude);
}

std::unique_ptr<FrequencySource> fastfood_source(std::shared_ptr<const FastfoodDraws> draws, Vector base_lengths) {
  return std::make_unique<FastfoodSource>(std::move(draws), std::move(base_lengths));
}

std::unique_ptr<FrequencyStack> projected_stack(std::unique_ptr<const Projection> projection, double amplitude,
                                                bool learn_scales) {
  return std::make_unique<ProjectedStack>(std::move(projection), amplitude, learn_scales);
}

std::unique_ptr<FrequencySource> dense_source(Matrix rows) { return std::make_unique<DenseSource>(std::move(rows)); }

std::unique_ptr<FrequencySource> hashed_source(RowLaw law, Index inputs, Index frequencies, std::uint64_t key) {
  return std::make_unique<HashedSource>(law, inputs, frequencies, key);
}

}  // namespace alacarte
