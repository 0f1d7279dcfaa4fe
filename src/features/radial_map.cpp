#include "features/radial_map.hpp"

#include <cmath>

#include "features/slots.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

class PreparedRadial final : public PreparedStack {
 public:
  PreparedRadial(std::unique_ptr<FrequencyStack> stack, std::shared_ptr<const RadialParameters> law, Vector scales,
                 Vector theta, RadialOffsets at)
      : PreparedStack(std::move(stack)),
        law_(std::move(law)),
        scales_(std::move(scales)),
        theta_(std::move(theta)),
        at_(at) {}

  void finish(ConstVec sums, VecRef theta_bar) const override {
    const Fastfood::Pullback bar = pullback(sums);
    theta_bar[at_.log_amplitude] += bar.log_amplitude;
    at_.scales.add_slopes(bar.log_lengthscale, theta_bar);
    if (law_->learned()) law_->pullback(theta_, scales_, bar.log_lengths.cwiseQuotient(scales_), theta_bar);
  }

 private:
  std::shared_ptr<const RadialParameters> law_;
  Vector scales_, theta_;
  RadialOffsets at_;
};

class RadialMap final : public LayoutMap {
 public:
  RadialMap(const RadialModel& model, const Recipe& recipe, FrequencyDraws draws, Vector kept)
      : LayoutMap(draws.source->inputs(), 2 * draws.source->frequencies()),
        source_(std::move(draws.source)),
        stored_(draws.stored),
        kept_as_(model.kept),
        kept_(std::move(kept)),
        unit_rows_(model.rows == RowLaw::unit) {
    const std::string prefix = model.name + std::string(".");
    const Index d = input_count();
    std::shared_ptr<RadialParameters> law = model.law(recipe, d, kept_);
    at_.scales = {0, d, model.shared || recipe.kernel.isotropic};
    at_.scales.first = layout_.add(log_lengthscale_slot(prefix + "log_lengthscale", at_.scales.count(), d));
    at_.log_amplitude = layout_.add(log_amplitude_slot(prefix + "log_amplitude", 1));
    law->add_slots(layout_, prefix);
    law_ = std::move(law);
  }

  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    Vector theta(layout_.size());
    at_.scales.set(
        at_.scales.shared ? Vector::Constant(input_count(), rbf_start(statistics, k)) : ard_start(statistics, stream),
        theta);
    theta[at_.log_amplitude] = std::log(statistics.target_sd);
    law_->start(1, theta);
    return inside_bounds(layout_, theta);
  }

  bool has_tangent() const override { return true; }

  // Averages over the draws: rows of the source have mean square 1 a coordinate, or unit length.
  KernelDescription describe(ConstVec theta) const override {
    const double amplitude = std::exp(theta[at_.log_amplitude]);
    const double square = law_->mean_square(theta) / (unit_rows_ ? static_cast<double>(input_count()) : 1);
    const Vector scales = lengthscale(theta);
    return {.amplitude = amplitude,
            .relevance = std::sqrt(square) * scales.cwiseInverse(),
            .components = {{.amplitude = amplitude, .lengthscales = scales, .law = law_->describe(theta)}}};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const Index m = source_->frequencies();
    return {source_->stack(lengthscale(theta), law_->lengths(theta), 1, false)->frequencies(),
            Vector::Constant(m, 1.0 / static_cast<double>(m))};
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    source_->save(bundle, prefix);
    if (!stored_) return;
    if (kept_as_ == RadialModel::Kept::levels) bundle.put_vector(prefix + "radial.levels", kept_);
    if (kept_as_ == RadialModel::Kept::lengths) bundle.put_vector(prefix + "radial.lengths", kept_);
  }

  double flops_per_row() const override {
    return source_->flops(law_->learned()) + 55.0 * static_cast<double>(source_->frequencies());
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    const double amplitude =
        std::exp(theta[at_.log_amplitude]) / std::sqrt(static_cast<double>(source_->frequencies()));
    const Vector scales = law_->lengths(theta);
    return prepare_radial(source_->stack(lengthscale(theta), scales, amplitude, law_->learned()), law_, scales, theta,
                          at_);
  }

  Vector lengthscale(ConstVec theta) const { return at_.scales.of_inputs(theta).array().exp(); }

  std::unique_ptr<FrequencySource> source_;
  bool stored_;
  RadialModel::Kept kept_as_;
  Vector kept_;  // (m) draws of the law for each frequency
  bool unit_rows_;
  std::shared_ptr<const RadialParameters> law_;
  RadialOffsets at_;
};

bool has_offsets(const FeatureConfig& config) {
  if (config.normalized && config.phase == PhaseFeatures::pair)
    throw ConfigError("/features/normalized",
                      "does nothing with phase 'pair', whose features have that length already");
  return config.phase == PhaseFeatures::offset;
}

Vector draw_offsets(Index frequencies, RandomStream stream) {
  Vector offsets(frequencies);
  for (Index i = 0; i < frequencies; ++i) offsets[i] = 2 * std::numbers::pi * stream.uniform();
  return offsets;
}

Vector draw_kept(const RadialModel& model, const Recipe& recipe, Index inputs, const FrequencyDraws& draws) {
  if (model.kept == RadialModel::Kept::levels) return draws.levels;
  if (model.kept == RadialModel::Kept::nothing) return {};
  RandomStream stream = draws.lengths;
  return ball_sum_lengths(recipe.features.frequencies, recipe.kernel.balls, inputs, stream);
}

Vector load_kept(const RadialModel& model, Index frequencies, const TensorBundle& bundle, const std::string& prefix) {
  if (model.kept == RadialModel::Kept::nothing) return {};
  if (model.kept == RadialModel::Kept::lengths) return positive_vector(bundle, prefix + "radial.lengths", frequencies);
  Vector levels = positive_vector(bundle, prefix + "radial.levels", frequencies);
  if (!(levels.array() < 1).all())
    throw IoError("model file", "tensor '" + prefix + "radial.levels' holds a level that is not below 1");
  return levels;
}

constexpr double kLoose = 1.5;  // sd of the weak priors around a hat as wide as the Gaussian shell

// Returns the left end of the starting hat at lambda = 1: Gaussian lengths concentrate at sqrt(l - 1) +- 2.
double left_end(Index length) { return std::max(std::sqrt(static_cast<double>(length - 1)) - 2, 0.01); }
constexpr double kHalfWidth = 2;

class OneHat final : public RadialParameters {
 public:
  OneHat(ConstVec levels, Index length) : law_(levels), left_(left_end(length)) {}

  void add_slots(ParameterLayout& layout, const std::string& prefix) override {
    mu_ = layout.add(normal_slot(prefix + "log_mu", 1, Vector::Constant(1, std::log(left_)), kLoose, -12, 12));
    sigma_ =
        layout.add(normal_slot(prefix + "log_sigma", 1, Vector::Constant(1, std::log(kHalfWidth)), kLoose, -12, 12));
  }
  void start(double lambda, VecRef theta) const override {
    theta[mu_] = std::log(left_ / lambda);
    theta[sigma_] = std::log(kHalfWidth / lambda);
  }
  Vector lengths(ConstVec theta) const override { return law_.lengths(mu(theta), sigma(theta)); }
  void pullback(ConstVec theta, ConstVec, ConstVec length_bar, VecRef theta_bar) const override {
    double mu_bar = 0, sigma_bar = 0;
    law_.pullback(length_bar, mu_bar, sigma_bar);
    theta_bar[mu_] += mu_bar * mu(theta);
    theta_bar[sigma_] += sigma_bar * sigma(theta);
  }
  double mean_square(ConstVec theta) const override { return HatLaw::mean_square(mu(theta), sigma(theta)); }
  RadialDescription describe(ConstVec theta) const override {
    const double left = mu(theta), half = sigma(theta);
    return {.knots = Eigen::Vector3d(left, left + half, left + 2 * half), .density = Eigen::Vector3d(0, 1 / half, 0)};
  }

 private:
  double mu(ConstVec theta) const { return std::exp(theta[mu_]); }
  double sigma(ConstVec theta) const { return std::exp(theta[sigma_]); }

  HatLaw law_;
  double left_;
  Index mu_ = 0, sigma_ = 0;
};

class ManyHats final : public RadialParameters {
 public:
  // Starts like the single hat: knots spread evenly over its support, weights its heights, large enough to grow.
  ManyHats(Index knots, ConstVec levels, Index length) : levels_(levels), increments_(knots + 1), logits_(knots) {
    const double step = 2 * kHalfWidth / static_cast<double>(knots + 1);
    increments_.setConstant(std::log(step));
    increments_[0] = std::log(left_end(length) + step);
    for (Index i = 0; i < knots; ++i) {
      const double from_mode = std::abs(static_cast<double>(i + 1) * step / kHalfWidth - 1);
      logits_[i] = std::log(std::max(1 - from_mode, 0.05));
    }
  }

  void add_slots(ParameterLayout& layout, const std::string& prefix) override {
    at_increments_ =
        layout.add(normal_slot(prefix + "log_knot_increment", increments_.size(), increments_, kLoose, -12, 12));
    at_logits_ = layout.add(normal_slot(prefix + "weight_logit", logits_.size(), logits_, kLoose, -15, 15));
  }
  void start(double lambda, VecRef theta) const override {
    theta.segment(at_increments_, increments_.size()) = increments_.array() - std::log(lambda);
    theta.segment(at_logits_, logits_.size()) = logits_;
  }
  Vector lengths(ConstVec theta) const override { return law(theta).lengths(levels_); }
  void pullback(ConstVec theta, ConstVec lengths, ConstVec length_bar, VecRef theta_bar) const override {
    Vector increments_bar(increments_.size()), logits_bar(logits_.size());
    law(theta).pullback(levels_, lengths, length_bar, increments_bar, logits_bar);
    theta_bar.segment(at_increments_, increments_.size()) += increments_bar;
    theta_bar.segment(at_logits_, logits_.size()) += logits_bar;
  }
  double mean_square(ConstVec theta) const override { return law(theta).mean_square(); }
  RadialDescription describe(ConstVec theta) const override {
    const KnotLaw at = law(theta);
    return {.knots = at.knots(), .density = at.heights()};
  }

 private:
  KnotLaw law(ConstVec theta) const {
    return KnotLaw(theta.segment(at_increments_, increments_.size()), theta.segment(at_logits_, logits_.size()));
  }

  Vector levels_, increments_, logits_;  // the latter two are starts at lambda = 1
  Index at_increments_ = 0, at_logits_ = 0;
};

}  // namespace

std::unique_ptr<PreparedMap> prepare_radial(std::unique_ptr<FrequencyStack> stack,
                                            std::shared_ptr<const RadialParameters> law, Vector scales, Vector theta,
                                            RadialOffsets at) {
  return std::make_unique<PreparedRadial>(std::move(stack), std::move(law), std::move(scales), std::move(theta), at);
}

MapPointer make_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const RandomStreams& streams) {
  const bool offset = has_offsets(recipe.features), stored = recipe.features.draws != DirectionSource::hashed;
  FrequencyDraws draws = draw_frequencies(recipe, model.rows, inputs, streams);
  const RandomStream offsets = draws.offsets;
  Vector kept = draw_kept(model, recipe, inputs, draws);
  MapPointer map = std::make_unique<RadialMap>(model, recipe, std::move(draws), std::move(kept));
  if (!offset) return map;
  return with_offset_phase(std::move(map), draw_offsets(recipe.features.frequencies, offsets),
                           recipe.features.normalized, stored);
}

MapPointer load_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                           const std::string& prefix) {
  const bool offset = has_offsets(recipe.features);
  const Index m = recipe.features.frequencies;
  FrequencyDraws draws = load_frequencies(recipe, model.rows, inputs, bundle, prefix);
  const bool stored = draws.stored;
  const RandomStream stream = draws.offsets;
  Vector kept = stored ? load_kept(model, m, bundle, prefix) : draw_kept(model, recipe, inputs, draws);
  MapPointer map = std::make_unique<RadialMap>(model, recipe, std::move(draws), std::move(kept));
  if (!offset) return map;
  Vector offsets = stored ? bundle.vector(prefix + "offsets", m) : draw_offsets(m, stream);
  return with_offset_phase(std::move(map), std::move(offsets), recipe.features.normalized, stored);
}

std::unique_ptr<RadialParameters> radial_parameters(Index knots, ConstVec levels, Index length) {
  if (knots == 0) return std::make_unique<OneHat>(levels, length);
  return std::make_unique<ManyHats>(knots, levels, length);
}

}  // namespace alacarte
