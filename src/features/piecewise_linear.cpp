// pwl: a mixture of kernels whose frequencies have a piecewise linear density of the length, in uniformly random
// directions (Yang et al. 2015, sections 4.4 and 4.5). The density is that of the length itself, in R^l: no Jacobian.
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "alacarte/spectrum/radial.hpp"
#include "features/linear_predictor.hpp"
#include "features/maps.hpp"
#include "features/radial_parameters.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

constexpr FastfoodLearned kLearned = {.lengths = true};

struct HatsComponent {
  std::shared_ptr<const FastfoodDraws> draws;
  Vector levels;  // (m) at which the radial law's quantiles are the lengths
  std::shared_ptr<RadialParameters> radial;
  Index log_amplitude = 0, log_lengthscale = 0;
};

struct PreparedHats {
  Fastfood fastfood;
  FastfoodSums sums;
  double amplitude;
  Vector lengths;
  HatsComponent component;
};

class PreparedPiecewiseLinear final : public PreparedMap {
 public:
  PreparedPiecewiseLinear(std::vector<PreparedHats> components, Vector theta)
      : components_(std::move(components)),
        each_(2 * components_.front().component.draws->frequencies),
        theta_(std::move(theta)) {}

  void forward(const InputView& rows, FeatureBlock features) const override {
    ConstMat x = rows.dense();
    MatRef psi = features.dense();
    require(psi.cols() == each_ * count(), "feature map: shapes do not fit");
    for (Index q = 0; q < count(); ++q) at(q).fastfood.forward(x, at(q).amplitude, psi.middleCols(q * each_, each_));
  }

  void backward(const InputView& rows, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    ConstMat x = rows.dense();
    require(psi.cols() == each_ * count() && psi_bar.cols() == psi.cols() && sums.size() == accumulator_size(),
            "feature map: shapes do not fit");
    for (Index q = 0; q < count(); ++q)
      at(q).fastfood.backward(x, psi.middleCols(q * each_, each_), psi_bar.middleCols(q * each_, each_), at(q).sums,
                              sums);
  }

  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    require(weights.size() == each_ * count(), "feature map: weights do not fit");
    std::vector<std::unique_ptr<LinearPredictor>> parts;
    for (Index q = 0; q < count(); ++q)
      parts.push_back(at(q).fastfood.linear_predictor(at(q).amplitude, weights.segment(q * each_, each_), type));
    return join_predictors(std::move(parts));
  }

  Index accumulator_size() const override { return components_.back().sums.end; }

  void finish(ConstVec sums, VecRef theta_bar) const override {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    for (const PreparedHats& c : components_) {
      const Fastfood::Pullback bar = c.fastfood.finish(c.sums, sums);
      theta_bar[c.component.log_amplitude] += bar.log_amplitude;
      theta_bar.segment(c.component.log_lengthscale, bar.log_lengthscale.size()) += bar.log_lengthscale;
      const Vector length_bar = bar.log_lengths.cwiseQuotient(c.lengths);
      c.component.radial->pullback(theta_, c.lengths, length_bar, theta_bar);
    }
  }

 private:
  Index count() const { return static_cast<Index>(components_.size()); }
  const PreparedHats& at(Index q) const { return components_[static_cast<std::size_t>(q)]; }

  std::vector<PreparedHats> components_;
  Index each_;
  Vector theta_;
};

class PiecewiseLinear final : public FeatureMap {
 public:
  PiecewiseLinear(std::vector<HatsComponent> components, Index knots) : components_(std::move(components)) {
    const Index count = static_cast<Index>(components_.size()), d = input_count();
    for (Index q = 0; q < count; ++q) {
      HatsComponent& c = components_[static_cast<std::size_t>(q)];
      const std::string name = "pwl[" + std::to_string(q) + "].";
      c.radial = radial_parameters(knots, c.levels, c.draws->length);
      c.log_amplitude = layout_.add(log_amplitude_slot(name + "log_amplitude", count));
      c.log_lengthscale = layout_.add(log_lengthscale_slot(name + "log_lengthscale", d, d));
      c.radial->add_slots(layout_, name);
    }
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return components_.front().draws->inputs; }
  Index feature_count() const override {
    return 2 * components_.front().draws->frequencies * static_cast<Index>(components_.size());
  }

  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the feature map");
    std::vector<PreparedHats> prepared;
    prepared.reserve(components_.size());
    Index next = 0;
    for (const HatsComponent& c : components_) {
      const Vector lengths = c.radial->lengths(theta);
      const FastfoodSums sums(next, *c.draws, kLearned);
      const double amplitude = std::exp(theta[c.log_amplitude]) / std::sqrt(static_cast<double>(c.draws->frequencies));
      prepared.push_back(
          {Fastfood(c.draws, c.draws->signs, c.draws->gaussian, lengths, lengthscale(c, theta), kLearned), sums,
           amplitude, lengths, c});
      next = sums.end;
    }
    return std::make_unique<PreparedPiecewiseLinear>(std::move(prepared), theta);
  }

  // As in the paper the ARD scales enter twice: as length-scales, and in the distances lambda is a quantile of.
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    for (const HatsComponent& c : components_) {
      const Vector scales = ard_start(statistics, stream);
      theta[c.log_amplitude] = std::log(statistics.target_sd / static_cast<double>(components_.size()));
      theta.segment(c.log_lengthscale, input_count()) = scales;
      const double level = 0.2 + 0.6 * stream.uniform();
      c.radial->start(statistics.distance_quantile(level, scales.array().exp().matrix()), theta);
    }
    return inside_bounds(layout_, theta);
  }

  nlohmann::json describe(ConstVec theta) const override {
    Vector square = Vector::Zero(input_count());
    double power = 0;
    nlohmann::json components = nlohmann::json::array();
    for (const HatsComponent& c : components_) {
      const double amplitude = std::exp(theta[c.log_amplitude]);
      const Vector scales = lengthscale(c, theta);
      const double each = c.radial->mean_square(theta) / static_cast<double>(c.draws->length);
      square.array() += amplitude * amplitude * each * scales.array().inverse().square();
      power += amplitude * amplitude;
      components.push_back(
          {{"amplitude", amplitude}, {"lengthscales", to_json(scales)}, {"radial", c.radial->describe(theta)}});
    }
    return {{"relevance", to_json((square / power).cwiseSqrt())},
            {"amplitude", std::sqrt(power)},
            {"components", components}};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const auto count = static_cast<Index>(components_.size());
    const Index m = components_.front().draws->frequencies;
    Vector log_amplitudes(count);
    for (Index q = 0; q < count; ++q) log_amplitudes[q] = theta[at(q).log_amplitude];
    const Vector shares = variance_shares(log_amplitudes);
    FrequencyRows result{Matrix(m * count, input_count()), Vector(m * count)};
    for (Index q = 0; q < count; ++q) {
      const HatsComponent& c = at(q);
      const Fastfood fastfood(c.draws, c.draws->signs, c.draws->gaussian, c.radial->lengths(theta),
                              lengthscale(c, theta), kLearned);
      result.rows.middleRows(m * q, m) = fastfood.frequencies();
      result.shares.segment(m * q, m).setConstant(shares[q] / static_cast<double>(m));
    }
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
      sum += Fastfood::flops(*c.draws, kLearned) + 55.0 * static_cast<double>(c.draws->frequencies);
    return sum;
  }

 private:
  const HatsComponent& at(Index q) const { return components_[static_cast<std::size_t>(q)]; }
  Vector lengthscale(const HatsComponent& c, ConstVec theta) const {
    return theta.segment(c.log_lengthscale, input_count()).array().exp();
  }

  std::vector<HatsComponent> components_;
  ParameterLayout layout_;
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
  return std::make_unique<PiecewiseLinear>(std::move(components), config.knots);
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
  return std::make_unique<PiecewiseLinear>(std::move(components), config.knots);
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
       .fixed = "",
       .keys = {"features.frequencies", "features.components", "features.knots"},
       .recipe = R"({"model": "pwl", "features": {"frequencies": 128, "components": 3}, "copies": 3})"},
      make_piecewise_linear,
      load_piecewise_linear};
}

}  // namespace alacarte
