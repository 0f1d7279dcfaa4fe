// pwl: a mixture of kernels whose frequencies have a piecewise linear density of the length, in uniformly random
// directions (Yang et al. 2015, sections 4.4 and 4.5). The density is that of the length in R^l, without a Jacobian.
#include <cmath>

#include "features/radial_map.hpp"
#include "features/slots.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

struct HatsComponent {
  std::shared_ptr<const FastfoodDraws> draws;
  Vector levels;  // (m) levels of the radial law's quantiles, the lengths
  std::shared_ptr<RadialParameters> radial;
  RadialOffsets at;
};

class PiecewiseLinear final : public LayoutMap {
 public:
  PiecewiseLinear(std::vector<HatsComponent> components, const FeatureConfig& config)
      : LayoutMap(components.front().draws->inputs, 2 * config.frequencies * config.components),
        components_(std::move(components)),
        m_(config.frequencies) {
    const Index count = config.components, d = input_count();
    for (Index q = 0; q < count; ++q) {
      HatsComponent& c = components_[static_cast<std::size_t>(q)];
      const std::string name = "pwl[" + std::to_string(q) + "].";
      c.radial = radial_parameters(config.knots, c.levels, c.draws->length);
      c.at.log_amplitude = layout_.add(log_amplitude_slot(name + "log_amplitude", count));
      c.at.scales = {layout_.add(log_lengthscale_slot(name + "log_lengthscale", d, d)), d, false};
      c.radial->add_slots(layout_, name);
    }
  }

  bool has_tangent() const override { return true; }

  // Uses the ARD scales twice, as in the paper: as length-scales, and in the distances with quantile lambda.
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    const std::vector<SpectralPeak> seasons = statistics.seasons();
    for (std::size_t q = 0; q < components_.size(); ++q) {
      const HatsComponent& c = components_[q];
      Vector scales = ard_start(statistics, stream);
      // The first component stays for what has no season.
      if (q > 0 && q <= seasons.size()) scales[seasons[q - 1].input] = -std::log(seasons[q - 1].frequency);
      theta[c.at.log_amplitude] = std::log(statistics.target_sd / static_cast<double>(components_.size()));
      c.at.scales.set(scales, theta);
      const double level = 0.2 + 0.6 * stream.uniform();
      c.radial->start(statistics.distance_quantile(level, scales.array().exp().matrix()), theta);
    }
    return inside_bounds(layout_, theta);
  }

  KernelDescription describe(ConstVec theta) const override {
    Vector square = Vector::Zero(input_count());
    double power = 0;
    std::vector<SpectralComponent> components;
    for (const HatsComponent& c : components_) {
      const double amplitude = std::exp(theta[c.at.log_amplitude]);
      const Vector scales = lengthscale(c, theta);
      const double each = c.radial->mean_square(theta) / static_cast<double>(c.draws->length);
      square.array() += amplitude * amplitude * each * scales.array().inverse().square();
      power += amplitude * amplitude;
      components.push_back({.amplitude = amplitude, .lengthscales = scales, .radial = c.radial->describe(theta)});
    }
    return {
        .amplitude = std::sqrt(power), .relevance = (square / power).cwiseSqrt(), .components = std::move(components)};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const auto count = static_cast<Index>(components_.size());
    Vector log_amplitudes(count);
    FrequencyRows result{Matrix(m_ * count, input_count()), Vector(m_ * count)};
    for (Index q = 0; q < count; ++q) {
      const HatsComponent& c = components_[static_cast<std::size_t>(q)];
      log_amplitudes[q] = theta[c.at.log_amplitude];
      result.rows.middleRows(m_ * q, m_) = stack(c, theta, c.radial->lengths(theta), 1)->frequencies();
    }
    const Vector shares = variance_shares(log_amplitudes) / static_cast<double>(m_);
    for (Index q = 0; q < count; ++q) result.shares.segment(m_ * q, m_).setConstant(shares[q]);
    return result;
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    for (std::size_t q = 0; q < components_.size(); ++q) {
      const std::string name = prefix + "pwl[" + std::to_string(q) + "].";
      components_[q].draws->save(bundle, name);
      bundle.put_vector(name + "levels", components_[q].levels);
    }
  }

  double flops_per_row() const override {
    double sum = 0;
    for (const HatsComponent& c : components_)
      sum += Fastfood::flops(*c.draws, kLearned) + 55.0 * static_cast<double>(m_);
    return sum;
  }

 private:
  static constexpr FastfoodLearned kLearned = {.lengths = true};

  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    std::vector<PreparedParts::Part> parts;
    for (const HatsComponent& c : components_) {
      const Vector lengths = c.radial->lengths(theta);
      const double amplitude = std::exp(theta[c.at.log_amplitude]) / std::sqrt(static_cast<double>(m_));
      parts.push_back({prepare_radial(stack(c, theta, lengths, amplitude), c.radial, lengths, theta, c.at), 2 * m_, 0,
                       layout_.size()});
    }
    return std::make_unique<PreparedParts>(std::move(parts));
  }

  static Vector lengthscale(const HatsComponent& c, ConstVec theta) { return c.at.scales.learned(theta).array().exp(); }
  static std::unique_ptr<FrequencyStack> stack(const HatsComponent& c, ConstVec theta, ConstVec lengths,
                                               double amplitude) {
    return fastfood_stack(
        Fastfood(c.draws, c.draws->signs, c.draws->gaussian, lengths, lengthscale(c, theta), kLearned), *c.draws,
        kLearned, amplitude);
  }

  std::vector<HatsComponent> components_;
  Index m_;  // frequencies of each component
};

void check_piecewise_linear(const FeatureConfig& config) {
  if (config.components < 1) throw ConfigError("/features/components", "must be at least 1");
  if (config.knots < 0) throw ConfigError("/features/knots", "must not be negative");
}

MapPointer make_piecewise_linear(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                                 const TrainingStatistics&) {
  const FeatureConfig& config = recipe.features;
  check_piecewise_linear(config);
  std::vector<HatsComponent> components(static_cast<std::size_t>(config.components));
  for (std::size_t q = 0; q < components.size(); ++q) {
    const RandomStreams own = streams.scope("pwl[" + std::to_string(q) + "]");
    RandomStream stream = own.stream("levels");
    components[q].draws = std::make_shared<const FastfoodDraws>(inputs, config.frequencies, own);
    components[q].levels = stratified_levels(config.frequencies, stream);
  }
  return std::make_unique<PiecewiseLinear>(std::move(components), config);
}

MapPointer load_piecewise_linear(const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                                 const std::string& prefix) {
  const FeatureConfig& config = recipe.features;
  check_piecewise_linear(config);
  std::vector<HatsComponent> components(static_cast<std::size_t>(config.components));
  for (std::size_t q = 0; q < components.size(); ++q) {
    const std::string name = prefix + "pwl[" + std::to_string(q) + "].";
    components[q].draws = std::make_shared<const FastfoodDraws>(inputs, config.frequencies, bundle, name);
    components[q].levels = positive_vector(bundle, name + "levels", config.frequencies);
    if (!(components[q].levels.array() < 1).all())
      throw IoError("model file", "tensor '" + name + "levels' holds a level that is not below 1");
  }
  return std::make_unique<PiecewiseLinear>(std::move(components), config);
}

}  // namespace

FeatureMapEntry piecewise_linear_entry() {
  return {
      {.name = "pwl",
       .description = "Mixture of kernels with a piecewise linear density of frequency lengths.",
       .formula = "k(x, x') = sum_q v_q^2 E cos(w.(x - x')), w = s u ./ lengthscale_q: s of a density made of one "
                  "hat or of K hats on knots,\nu uniform on the sphere of R^l, l the next power of two >= d",
       .cost = "features n Q m log d, D = 2 Q m; memory of a chunk of features, parameters Q (d + 3), or "
               "Q (d + 2 K + 2) with K knots",
       .reference = "Yang et al. 2015, sections 4.4 and 4.5",
       .accuracy = "unbiased; lengths at stratified levels, so that only directions are left to chance. No other draws "
                   "than Fastfood's: the density is that of lengths in R^l,\nwhich only its padded rows have, and "
                   "in R^d the same parameters would be another kernel",
       .keys = {"features.frequencies", "features.components", "features.knots"},
       .recipe = R"({"model": "pwl", "features": {"frequencies": 128, "components": 3}, "copies": 3})"},
      make_piecewise_linear,
      load_piecewise_linear};
}

}  // namespace alacarte
