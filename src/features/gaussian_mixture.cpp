// gm: a mixture of Gaussians over frequencies, k(x, x') = sum_q v_q² exp(-½ |(x-x') ./ l_q|²) cos((x-x')ᵀ mu_q), each
// on its own Fastfood stack (Yang et al. 2015, section 4.3). Eq. 8 there prints the density's normaliser as part of the
// kernel, and one of the four features twice; the kernel above and (cos, sin)(xi ± zeta) are what its derivation gives.
#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "alacarte/spectrum/radial.hpp"
#include "features/linear_predictor.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

struct GaussianComponent {
  std::shared_ptr<const FastfoodDraws> draws;
  Vector lengths;  // (m) chi(l)
  Index log_amplitude = 0, log_lengthscale = 0, mean_frequency = 0;
};

struct PreparedGaussian {
  Fastfood fastfood;
  FastfoodSums sums;
  Index shift_sums;  ///< d more sums: the cotangent of shift
  double amplitude;
  Vector lengthscale, shift;  ///< shift (d): the mean frequency in radians per unit of x
  Index log_amplitude, log_lengthscale, mean_frequency;
};

class PreparedMixture final : public PreparedMap {
 public:
  PreparedMixture(std::vector<PreparedGaussian> components, Index features_each)
      : components_(std::move(components)), each_(features_each) {}

  void forward(const InputView& rows, FeatureBlock features) const override {
    ConstMat x = rows.dense();
    MatRef psi = features.dense();
    require(psi.cols() == each_ * count(), "feature map: shapes do not fit");
    for (Index q = 0; q < count(); ++q) {
      const PreparedGaussian& c = at(q);
      c.fastfood.forward_shifted(x, c.shift, c.amplitude, psi.middleCols(q * each_, each_));
    }
  }

  void backward(const InputView& rows, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    ConstMat x = rows.dense();
    require(psi.cols() == each_ * count() && psi_bar.cols() == psi.cols() && sums.size() == accumulator_size(),
            "feature map: shapes do not fit");
    for (Index q = 0; q < count(); ++q) {
      const PreparedGaussian& c = at(q);
      c.fastfood.backward_shifted(x, psi.middleCols(q * each_, each_), psi_bar.middleCols(q * each_, each_), c.sums,
                                  sums, sums.segment(c.shift_sums, c.shift.size()));
    }
  }

  // (cos, sin)(xi + zeta) and (cos, sin)(xi - zeta) have the inner product 2 cos(xi - xi') cos(zeta - zeta'), which
  // (cos, sin)(xi) has too, but for the factor in zeta: half the features.
  Index modulated_terms() const override { return count(); }
  Index modulated_width() const override { return each_ / 2; }

  void forward_modulated(Index q, const InputView& rows, MatRef phi, VecRef zeta) const override {
    ConstMat x = rows.dense();
    require(zeta.size() == x.rows(), "feature map: shapes do not fit");
    at(q).fastfood.forward(x, std::numbers::sqrt2 * at(q).amplitude, phi);
    zeta.noalias() = x * at(q).shift;
  }

  void backward_modulated(Index q, const InputView& rows, ConstMat phi, ConstMat phi_bar, ConstVec zeta_bar,
                          VecRef sums) const override {
    ConstMat x = rows.dense();
    require(zeta_bar.size() == x.rows() && sums.size() == accumulator_size(), "feature map: shapes do not fit");
    at(q).fastfood.backward(x, phi, phi_bar, at(q).sums, sums);
    sums.segment(at(q).shift_sums, x.cols()).noalias() += x.transpose() * zeta_bar;
  }

  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    require(weights.size() == each_ * count(), "feature map: weights do not fit");
    std::vector<std::unique_ptr<LinearPredictor>> parts;
    for (Index q = 0; q < count(); ++q)
      parts.push_back(
          at(q).fastfood.shifted_predictor(at(q).shift, at(q).amplitude, weights.segment(q * each_, each_), type));
    return join_predictors(std::move(parts));
  }

  Index accumulator_size() const override { return at(count() - 1).shift_sums + at(0).shift.size(); }

  // shift = mean_frequency ./ lengthscale, so its cotangent reaches both.
  void finish(ConstVec sums, VecRef theta_bar) const override {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    for (const PreparedGaussian& c : components_) {
      const Fastfood::Pullback bar = c.fastfood.finish(c.sums, sums);
      const Index d = c.shift.size();
      const auto shift_bar = sums.segment(c.shift_sums, d);
      theta_bar[c.log_amplitude] += bar.log_amplitude;
      theta_bar.segment(c.log_lengthscale, d) += bar.log_lengthscale - shift_bar.cwiseProduct(c.shift);
      theta_bar.segment(c.mean_frequency, d) += shift_bar.cwiseQuotient(c.lengthscale);
    }
  }

 private:
  Index count() const { return static_cast<Index>(components_.size()); }
  const PreparedGaussian& at(Index q) const { return components_[static_cast<std::size_t>(q)]; }

  std::vector<PreparedGaussian> components_;
  Index each_;
};

class GaussianMixture final : public FeatureMap {
 public:
  explicit GaussianMixture(std::vector<GaussianComponent> components) : components_(std::move(components)) {
    const Index count = static_cast<Index>(components_.size()), d = input_count();
    for (Index q = 0; q < count; ++q) {
      GaussianComponent& c = components_[static_cast<std::size_t>(q)];
      const std::string name = "gm[" + std::to_string(q) + "].";
      c.log_amplitude = layout_.add(log_amplitude_slot(name + "log_amplitude", count));
      c.log_lengthscale = layout_.add(log_lengthscale_slot(name + "log_lengthscale", d, d));
      c.mean_frequency = layout_.add(normal_slot(name + "mean_frequency", d, Vector::Zero(1), 1.0, -1e4, 1e4));
    }
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return components_.front().draws->inputs; }
  Index feature_count() const override { return static_cast<Index>(components_.size()) * features_each(); }

  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the feature map");
    std::vector<PreparedGaussian> prepared;
    prepared.reserve(components_.size());
    const Index d = input_count();
    Index next = 0;
    for (const GaussianComponent& c : components_) {
      const Vector lengthscale = theta.segment(c.log_lengthscale, d).array().exp();
      const Vector shift = theta.segment(c.mean_frequency, d).cwiseQuotient(lengthscale);
      const FastfoodSums sums(next, *c.draws, {});
      const double amplitude =
          std::exp(theta[c.log_amplitude]) / std::sqrt(2.0 * static_cast<double>(c.draws->frequencies));
      prepared.push_back({Fastfood(c.draws, c.draws->signs, c.draws->gaussian, c.lengths, lengthscale, {}), sums,
                          sums.end, amplitude, lengthscale, shift, c.log_amplitude, c.log_lengthscale,
                          c.mean_frequency});
      next = sums.end + d;
    }
    return std::make_unique<PreparedMixture>(std::move(prepared), features_each());
  }

  // The mean frequency starts tiny but never at 0, where symmetry makes its gradient vanish; each component has its own
  // length-scales, or all would stay alike.
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    constexpr double kTiny = 0.001;
    Vector theta(layout_.size());
    for (const GaussianComponent& c : components_) {
      theta[c.log_amplitude] = std::log(statistics.target_sd / static_cast<double>(components_.size()));
      theta.segment(c.log_lengthscale, input_count()) = ard_start(statistics, stream);
      for (Index j = 0; j < input_count(); ++j) theta[c.mean_frequency + j] = kTiny * stream.sign();
    }
    return inside_bounds(layout_, theta);
  }

  nlohmann::json describe(ConstVec theta) const override {
    const Index d = input_count();
    Vector square = Vector::Zero(d);
    double power = 0;
    nlohmann::json components = nlohmann::json::array();
    for (const GaussianComponent& c : components_) {
      const double amplitude = std::exp(theta[c.log_amplitude]);
      const Vector lengthscale = theta.segment(c.log_lengthscale, d).array().exp();
      const Vector mean = theta.segment(c.mean_frequency, d).cwiseQuotient(lengthscale);
      square.array() += amplitude * amplitude * (lengthscale.array().inverse().square() + mean.array().square());
      power += amplitude * amplitude;
      components.push_back(
          {{"amplitude", amplitude}, {"lengthscales", to_json(lengthscale)}, {"mean_frequency", to_json(mean)}});
    }
    return {{"relevance", to_json((square / power).cwiseSqrt())},
            {"amplitude", std::sqrt(power)},
            {"components", components}};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const auto count = static_cast<Index>(components_.size());
    const Index d = input_count(), m = components_.front().draws->frequencies;
    Vector log_amplitudes(count);
    for (Index q = 0; q < count; ++q) log_amplitudes[q] = theta[at(q).log_amplitude];
    const Vector shares = variance_shares(log_amplitudes);
    FrequencyRows result{Matrix(2 * m * count, d), Vector(2 * m * count)};
    for (Index q = 0; q < count; ++q) {
      const GaussianComponent& c = at(q);
      const Vector lengthscale = theta.segment(c.log_lengthscale, d).array().exp();
      const Fastfood fastfood(c.draws, c.draws->signs, c.draws->gaussian, c.lengths, lengthscale, {});
      const Eigen::RowVectorXd shift = theta.segment(c.mean_frequency, d).cwiseQuotient(lengthscale).transpose();
      const Matrix drawn = fastfood.frequencies();
      result.rows.middleRows(2 * m * q, m) = drawn.rowwise() + shift;
      result.rows.middleRows(2 * m * q + m, m) = drawn.rowwise() - shift;
      result.shares.segment(2 * m * q, 2 * m).setConstant(shares[q] / static_cast<double>(2 * m));
    }
    return result;
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    for (std::size_t q = 0; q < components_.size(); ++q) {
      const std::string name = prefix + "gm[" + std::to_string(q) + "].";
      components_[q].draws->save(bundle, name);
      bundle.put_vector(name + "fastfood.lengths", components_[q].lengths);
    }
  }

  double flops_per_row() const override {
    const double d = static_cast<double>(input_count());
    double sum = 0;
    for (const GaussianComponent& c : components_)
      sum += Fastfood::flops(*c.draws, {}) + 80.0 * static_cast<double>(c.draws->frequencies) + 50 + 4 * d;
    return sum;
  }

 private:
  const GaussianComponent& at(Index q) const { return components_[static_cast<std::size_t>(q)]; }
  Index features_each() const { return 4 * components_.front().draws->frequencies; }

  std::vector<GaussianComponent> components_;
  ParameterLayout layout_;
};

void check_mixture(const FeatureConfig& config) {
  if (config.components < 1) throw ConfigError("/features/components", "must be at least 1");
}

MapPointer make_gaussian_mixture(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                                 const TrainingStatistics&) {
  const FeatureConfig& config = recipe.features;
  check_mixture(config);
  std::vector<GaussianComponent> components(static_cast<std::size_t>(config.components));
  for (std::size_t q = 0; q < components.size(); ++q) {
    const RandomStreams own = streams.scope("gm[" + std::to_string(q) + "]");
    components[q].draws = std::make_shared<const FastfoodDraws>(inputs, config.frequencies, own);
    RandomStream stream = own.stream("fastfood.lengths");
    components[q].lengths = chi_lengths(config.frequencies, static_cast<double>(components[q].draws->length), stream);
  }
  return std::make_unique<GaussianMixture>(std::move(components));
}

MapPointer load_gaussian_mixture(const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                                 const std::string& prefix) {
  const FeatureConfig& config = recipe.features;
  check_mixture(config);
  std::vector<GaussianComponent> components(static_cast<std::size_t>(config.components));
  for (std::size_t q = 0; q < components.size(); ++q) {
    const std::string name = prefix + "gm[" + std::to_string(q) + "].";
    components[q].draws = std::make_shared<const FastfoodDraws>(inputs, config.frequencies, bundle, name);
    components[q].lengths = positive_vector(bundle, name + "fastfood.lengths", config.frequencies);
  }
  return std::make_unique<GaussianMixture>(std::move(components));
}

}  // namespace

FeatureMapEntry gaussian_mixture_entry() {
  return {
      {.name = "gm",
       .description = "Mixture of Gaussians over frequencies (spectral mixture).",
       .formula = "k(x, x') = sum_q v_q^2 exp(-|(x - x') ./ lengthscale_q|^2 / 2) cos((x - x').mu_q), mu_q in units "
                  "of 1 / lengthscale_q;\ncos and sin of u + z and u - z for each phase u of Fastfood frequencies, "
                  "z = x.mu_q",
       .cost = "features n Q m log d, D = 4 Q m; memory of a chunk of features, parameters Q (2 d + 1)",
       .reference = "Yang et al. 2015, section 4.3 (eq. 8, whose normaliser is the density's)",
       .accuracy = "unbiased; standard deviation of order v^2 / sqrt(m)",
       .fixed = "",
       .keys = {"features.frequencies", "features.components"},
       .recipe = R"({"model": "gm", "features": {"frequencies": 128, "components": 3}, "copies": 3})"},
      make_gaussian_mixture,
      load_gaussian_mixture};
}

}  // namespace alacarte
