// The Fourier variant of Fastfood, u = (s / sqrt l) Pi F B x (Le, Sarlos and Smola 2013, section 6.1), F the real
// Fourier (Hartley) matrix. Every row has exactly its length, but directions are few, so it is biased.
#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "features/frequency_stack.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "linalg/fourier.hpp"

namespace alacarte {
namespace {

class HartleyProjection final : public Projection {
 public:
  /// Takes lengths (m): row lengths over the padded inputs; signs_over_scale (blocks l): B_j / lengthscale_j, 0 in the
  /// padding.
  HartleyProjection(std::shared_ptr<const HartleyDraws> draws, std::shared_ptr<const HartleyTransform> transform,
                    Vector signs_over_scale, ConstVec lengths)
      : draws_(std::move(draws)),
        transform_(std::move(transform)),
        input_scale_(std::move(signs_over_scale)),
        scale_(lengths / std::sqrt(static_cast<double>(draws_->length))) {}

  Index inputs() const override { return draws_->inputs; }
  Index frequencies() const override { return draws_->frequencies; }

  void project(ConstMat x, MatRef turns) const override {
    const Index l = draws_->length;
    auto work = thread_matrix<HartleyProjection>(l, 2);
    for (Index row = 0; row < x.rows(); ++row)
      for (Index first = 0; first < frequencies(); first += l) {
        for (Index j = 0; j < l; ++j) work(j, 0) = j < inputs() ? x(row, j) * input_scale_[first + j] : 0;
        transform_->apply(work.col(0).data(), work.col(1).data());
        for (Index i = first; i < std::min(first + l, frequencies()); ++i)
          turns(row, i) = scale_[i] / kTwoPi * work(place(i), 1);
      }
  }

  // Uses that the transform is its own adjoint.
  void pull_back(ConstMat phase_bar, MatRef x_bar) const override {
    const Index l = draws_->length;
    auto work = thread_matrix<HartleyProjection>(l, 2);
    x_bar.setZero();
    for (Index row = 0; row < x_bar.rows(); ++row)
      for (Index first = 0; first < frequencies(); first += l) {
        work.col(0).setZero();
        for (Index i = first; i < std::min(first + l, frequencies()); ++i)
          work(place(i), 0) = scale_[i] * phase_bar(row, i);
        transform_->apply(work.col(0).data(), work.col(1).data());
        for (Index j = 0; j < inputs(); ++j) x_bar(row, j) += work(j, 1) * input_scale_[first + j];
      }
  }

  Matrix rows() const override {
    const Index m = frequencies();
    Matrix columns(m, inputs()), unit = Matrix::Identity(inputs(), inputs()), turns(inputs(), m);
    project(unit, turns);
    columns = kTwoPi * turns.transpose();
    return columns;
  }

 private:
  Index place(Index i) const { return draws_->permutation[static_cast<std::size_t>(i)]; }

  std::shared_ptr<const HartleyDraws> draws_;
  std::shared_ptr<const HartleyTransform> transform_;
  Vector input_scale_, scale_;
};

class HartleySource final : public FrequencySource {
 public:
  HartleySource(HartleyDraws draws, Vector base_lengths)
      : draws_(std::make_shared<const HartleyDraws>(std::move(draws))),
        transform_(std::make_shared<const HartleyTransform>(draws_->length)),
        base_lengths_(std::move(base_lengths)) {}
  Index inputs() const override { return draws_->inputs; }
  Index frequencies() const override { return draws_->frequencies; }

  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    Vector signs = Vector::Zero(draws_->signs.size());
    for (Index block = 0; block < draws_->blocks; ++block)
      signs.segment(block * draws_->length, inputs()) =
          draws_->signs.segment(block * draws_->length, inputs()).cwiseQuotient(lengthscale);
    return projected_stack(
        std::make_unique<HartleyProjection>(draws_, transform_, std::move(signs), scales.cwiseProduct(base_lengths_)),
        amplitude, learn_scales);
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put_vector(prefix + "fft.signs", draws_->signs);
    bundle.put_integers(prefix + "fft.permutation", draws_->permutation);
    bundle.put_vector(prefix + "fft.lengths", base_lengths_);
  }
  double flops(bool learn_scales) const override {
    const double l = static_cast<double>(draws_->length), transforms = learn_scales ? 3 : 2;
    return static_cast<double>(draws_->blocks) * transforms * 2.5 * l * std::log2(std::max(l, 2.0));
  }

 private:
  std::shared_ptr<const HartleyDraws> draws_;
  std::shared_ptr<const HartleyTransform> transform_;
  Vector base_lengths_;
};

void size(HartleyDraws& draws) {
  require(draws.inputs > 0 && draws.frequencies > 0, "a feature map needs inputs and frequencies");
  while (draws.length < draws.inputs) draws.length *= 2;
  draws.blocks = (draws.frequencies + draws.length - 1) / draws.length;
}

}  // namespace

HartleyDraws::HartleyDraws(Index d, Index m, const RandomStreams& streams) : inputs(d), frequencies(m) {
  size(*this);
  RandomStream sign = streams.stream("fft.signs"), shuffle = streams.stream("fft.permutation");
  signs.resize(blocks * length);
  for (Index i = 0; i < signs.size(); ++i) signs[i] = sign.sign();
  for (Index block = 0; block < blocks; ++block) {
    const auto order = shuffle.permutation(length);
    permutation.insert(permutation.end(), order.begin(), order.end());
  }
}

HartleyDraws::HartleyDraws(Index d, Index m, const TensorBundle& bundle, const std::string& prefix)
    : inputs(d), frequencies(m) {
  size(*this);
  signs = bundle.vector(prefix + "fft.signs", blocks * length);
  permutation = bundle.integers(prefix + "fft.permutation", blocks * length);
  check_permutations(permutation, length, prefix + "fft.permutation");
}

std::unique_ptr<FrequencySource> hartley_source(HartleyDraws draws, Vector base_lengths) {
  return std::make_unique<HartleySource>(std::move(draws), std::move(base_lengths));
}

}  // namespace alacarte
