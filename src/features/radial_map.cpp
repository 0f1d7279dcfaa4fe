#include "features/radial_map.hpp"

#include <cmath>

#include "features/slots.hpp"
#include "spectrum/scales.hpp"

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

}  // namespace alacarte
