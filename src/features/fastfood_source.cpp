// Fastfood's directions (include/alacarte/features/fastfood.hpp) as a source of frequencies.
#include "alacarte/core/error.hpp"
#include "features/frequency_stack.hpp"

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
      : draws_(std::move(draws)), base_lengths_(std::move(base_lengths)) {}
  Index inputs() const override { return draws_->inputs; }
  Index frequencies() const override { return draws_->frequencies; }

  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    const FastfoodLearned learned{.lengths = learn_scales};
    const Vector lengths = base_lengths_.cwiseProduct(scales);
    return std::make_unique<FastfoodStack>(
        Fastfood(draws_, draws_->signs, draws_->gaussian, lengths, lengthscale, learned),
        FastfoodSums(0, *draws_, learned), amplitude);
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    draws_->save(bundle, prefix);
    bundle.put_vector(prefix + "fastfood.lengths", base_lengths_);
  }
  double flops(bool learn_scales) const override { return Fastfood::flops(*draws_, {.lengths = learn_scales}); }

 private:
  std::shared_ptr<const FastfoodDraws> draws_;
  Vector base_lengths_;  // (m) of the rows over the padded inputs, before they are scaled
};

}  // namespace

std::unique_ptr<FrequencySource> fastfood_source(std::shared_ptr<const FastfoodDraws> draws, Vector base_lengths) {
  return std::make_unique<FastfoodSource>(std::move(draws), std::move(base_lengths));
}

}  // namespace alacarte
