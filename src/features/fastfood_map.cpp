// fsard and fsgbard: one stack of Fastfood blocks whose diagonals are parameters (Yang et al. 2015, sections 4.1, 4.2).
#include <cmath>

#include "features/frequency_stack.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

/// Learned diagonals of Fastfood: S, or S, G and B.
enum class FastfoodKind { fsard, fsgbard };

/// Offsets of the parameters in theta; -1 for absent ones.
struct FastfoodOffsets {
  Index log_lengthscale = 0, log_amplitude = 0, log_length = 0, gaussian = -1, sign = -1;
};

class PreparedFastfood final : public PreparedStack {
 public:
  PreparedFastfood(std::unique_ptr<FrequencyStack> stack, FastfoodOffsets at)
      : PreparedStack(std::move(stack)), at_(at) {}

  void finish(ConstVec sums, VecRef theta_bar) const override {
    const Fastfood::Pullback bar = pullback(sums);
    theta_bar[at_.log_amplitude] += bar.log_amplitude;
    theta_bar.segment(at_.log_lengthscale, bar.log_lengthscale.size()) += bar.log_lengthscale;
    theta_bar.segment(at_.log_length, bar.log_lengths.size()) += bar.log_lengths;
    if (at_.gaussian >= 0) theta_bar.segment(at_.gaussian, bar.gaussian.size()) += bar.gaussian;
    if (at_.sign >= 0) theta_bar.segment(at_.sign, bar.signs.size()) += bar.signs;
  }

 private:
  FastfoodOffsets at_;
};

class FastfoodMap final : public LayoutMap {
 public:
  FastfoodMap(FastfoodKind kind, std::shared_ptr<const FastfoodDraws> draws, Vector lengths)
      : LayoutMap(draws->inputs, 2 * draws->frequencies), draws_(std::move(draws)), lengths_(std::move(lengths)) {
    const std::string name = kind == FastfoodKind::fsard ? "fsard" : "fsgbard";
    const Index d = draws_->inputs;
    at_.log_lengthscale = layout_.add(log_lengthscale_slot(name + ".log_lengthscale", d, d));
    at_.log_amplitude = layout_.add(log_amplitude_slot(name + ".log_amplitude", 1));
    learned_.lengths = true;
    const Vector log_lengths = lengths_.array().log();
    at_.log_length = layout_.add(normal_slot(name + ".log_length", log_lengths.size(), log_lengths, kSpread, -20, 20));
    if (kind != FastfoodKind::fsgbard) return;
    learned_.gaussian = learned_.signs = true;
    at_.gaussian =
        layout_.add(normal_slot(name + ".gaussian", draws_->gaussian.size(), draws_->gaussian, kSpread, -1e3, 1e3));
    at_.sign = layout_.add(normal_slot(name + ".sign", draws_->blocks * d, live_signs(), kSpread, -1e3, 1e3));
  }

  bool has_tangent() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    theta.segment(at_.log_lengthscale, input_count()) = ard_start(statistics, stream);
    theta[at_.log_amplitude] = std::log(statistics.target_sd);
    theta.segment(at_.log_length, lengths_.size()) = lengths_.array().log();
    if (at_.gaussian >= 0) theta.segment(at_.gaussian, draws_->gaussian.size()) = draws_->gaussian;
    if (at_.sign >= 0) theta.segment(at_.sign, draws_->blocks * input_count()) = live_signs();
    return inside_bounds(layout_, theta);
  }

  KernelDescription describe(ConstVec theta) const override {
    const double amplitude = std::exp(theta[at_.log_amplitude]);
    const Vector scales = lengthscale(theta);
    const Vector relevance = fastfood(theta).frequencies().array().square().colwise().mean().sqrt();
    return {.amplitude = amplitude,
            .relevance = relevance,
            .components = {{.amplitude = amplitude, .lengthscales = scales}}};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const Index m = draws_->frequencies;
    return {fastfood(theta).frequencies(), Vector::Constant(m, 1.0 / static_cast<double>(m))};
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    draws_->save(bundle, prefix);
    bundle.put_vector(prefix + "fastfood.lengths", lengths_);
  }

  double flops_per_row() const override {
    return Fastfood::flops(*draws_, learned_) + 55.0 * static_cast<double>(draws_->frequencies);
  }

 private:
  // Standard deviation of the priors around the initial S, G and B. With 0.3 these many parameters overfitted 100 rows:
  // higher evidence, lower predictive density.
  static constexpr double kSpread = 0.1;

  Vector live_signs() const {
    Vector live(draws_->blocks * draws_->inputs);
    for (Index i = 0; i < live.size(); ++i)
      live[i] = draws_->signs[i / draws_->inputs * draws_->length + i % draws_->inputs];
    return live;
  }

  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    const double scale = std::exp(theta[at_.log_amplitude]) / std::sqrt(static_cast<double>(draws_->frequencies));
    return std::make_unique<PreparedFastfood>(fastfood_stack(fastfood(theta), *draws_, learned_, scale), at_);
  }

  Vector lengthscale(ConstVec theta) const { return theta.segment(at_.log_lengthscale, input_count()).array().exp(); }

  Fastfood fastfood(ConstVec theta) const {
    check(theta);
    const Index d = input_count();
    const Vector lengths = theta.segment(at_.log_length, lengths_.size()).array().exp();
    Vector gaussian = draws_->gaussian, signs = draws_->signs;
    if (at_.gaussian >= 0) gaussian = theta.segment(at_.gaussian, gaussian.size());
    for (Index i = 0; at_.sign >= 0 && i < draws_->blocks * d; ++i)
      signs[i / d * draws_->length + i % d] = theta[at_.sign + i];
    return Fastfood(draws_, signs, gaussian, lengths, lengthscale(theta), learned_);
  }

  std::shared_ptr<const FastfoodDraws> draws_;
  Vector lengths_;  // (m) s_i as drawn
  FastfoodLearned learned_;
  FastfoodOffsets at_;
};

template <FastfoodKind kKind>
MapPointer make_fastfood(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  const Index m = recipe.features.frequencies;
  auto draws = std::make_shared<const FastfoodDraws>(inputs, m, streams);
  RandomStream stream = streams.stream("fastfood.lengths");
  Vector lengths = chi_lengths(m, static_cast<double>(draws->length), stream);
  return std::make_unique<FastfoodMap>(kKind, std::move(draws), std::move(lengths));
}

template <FastfoodKind kKind>
MapPointer load_fastfood(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  const Index m = recipe.features.frequencies;
  auto draws = std::make_shared<const FastfoodDraws>(inputs, m, bundle, prefix);
  Vector lengths = positive_vector(bundle, prefix + "fastfood.lengths", m);
  return std::make_unique<FastfoodMap>(kKind, std::move(draws), std::move(lengths));
}

}  // namespace

FeatureMapEntry fsard_entry() {
  return {{.name = "fsard",
           .description = "As ard, and the length of every frequency is learned.",
           .formula = "psi(x) = v / sqrt(m) [cos u, sin u], u = S H G Pi H B (x ./ lengthscale) / sqrt(l): Fastfood "
                      "whose diagonal S is learned",
           .cost = "features n m log d, D = 2 m; memory of a chunk of features, parameters m + d + 1",
           .reference = "Yang et al. 2015, section 4.1",
           .accuracy = "its frequencies are its kernel: at the start they are a draw of ard's",
           .keys = {"features.frequencies"},
           .recipe = R"({"model": "fsard", "features": {"frequencies": 256}, "copies": 3})"},
          make_fastfood<FastfoodKind::fsard>,
          load_fastfood<FastfoodKind::fsard>};
}

FeatureMapEntry fsgbard_entry() {
  return {{.name = "fsgbard",
           .description = "As fsard, and the Gaussian and sign diagonals of Fastfood are learned too.",
           .formula = "psi(x) = v / sqrt(m) [cos u, sin u], u = S H G Pi H B (x ./ lengthscale) / sqrt(l): Fastfood "
                      "whose diagonals S, G and B are learned",
           .cost = "features n m log d, D = 2 m; memory of a chunk of features, parameters at most 3 m + d + 1",
           .reference = "Yang et al. 2015, section 4.2",
           .accuracy = "its frequencies are its kernel: at the start they are a draw of ard's",
           .keys = {"features.frequencies"},
           .recipe = R"({"model": "fsgbard", "features": {"frequencies": 256}, "copies": 3})"},
          make_fastfood<FastfoodKind::fsgbard>,
          load_fastfood<FastfoodKind::fsgbard>};
}

}  // namespace alacarte
