// gm: a mixture of Gaussians over frequencies, k(x, x') = sum_q v_q² exp(-½ |(x-x') ./ l_q|²) cos((x-x')ᵀ mu_q), each
// on its own Fastfood stack (Yang et al. 2015, section 4.3). Eq. 8 there prints the density's normaliser as part of the
// kernel, and one of the four features twice; this kernel and (cos, sin)(xi ± zeta) follow from its derivation.
#include <cmath>
#include <numbers>
#include <optional>

#include "alacarte/features/fastfood.hpp"
#include "features/maps.hpp"
#include "features/pair_features.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

/// A season of the training rows, and its phase along the first length-scale: its frequency times the input's range.
struct Season : SpectralPeak {
  double turns = 0;
};

struct GaussianComponent {
  std::shared_ptr<const FastfoodDraws> draws;
  Vector lengths;  // (m) chi(l)
  Index log_amplitude = 0, log_lengthscale = 0, mean_frequency = 0;
  std::optional<Season> season{};  // where it begins
};

/// One component, which writes to all of theta_bar.
class PreparedGaussian final : public PreparedDense {
 public:
  PreparedGaussian(Fastfood fastfood, FastfoodSums at, const GaussianComponent& component, Vector lengthscale,
                   Vector shift, double amplitude)
      : PreparedDense(shift.size(), 4 * component.draws->frequencies, at.end + shift.size()),
        fastfood_(std::move(fastfood)),
        at_(at),
        component_(component),
        lengthscale_(std::move(lengthscale)),
        shift_(std::move(shift)),
        amplitude_(amplitude) {}

  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    return fastfood_.shifted_predictor(shift_, amplitude_, weights, type);
  }
  void forward_modulated(Index, const InputView& rows, MatRef phi, VecRef zeta) const override {
    ConstMat x = rows.dense();
    require(zeta.size() == x.rows(), "feature map: shapes do not fit");
    fastfood_.forward(x, std::numbers::sqrt2 * amplitude_, phi);
    zeta.noalias() = x * shift_;
  }
  void backward_modulated(Index, const InputView& rows, ConstMat phi, ConstMat phi_bar, ConstVec zeta_bar,
                          VecRef sums) const override {
    ConstMat x = rows.dense();
    require(zeta_bar.size() == x.rows() && sums.size() == sums_, "feature map: shapes do not fit");
    fastfood_.backward(x, phi, phi_bar, at_, sums);
    sums.tail(inputs_).noalias() += x.transpose() * zeta_bar;
  }

 private:
  void compute(ConstMat x, MatRef psi) const override { fastfood_.forward_shifted(x, shift_, amplitude_, psi); }
  /// Adds the sums of Fastfood, and the cotangent of shift.
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    fastfood_.backward_shifted(x, psi, psi_bar, at_, sums, sums.tail(inputs_));
  }
  // Differentiates the phases u + z and u - z along x_dot.
  void tangent(ConstMat, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    const Index m = component_.draws->frequencies;
    auto u_dot = thread_matrix<struct MixturePhases>(x_dot.rows(), m + 1);
    fastfood_.project(x_dot, u_dot.leftCols(m));
    auto z_dot = u_dot.col(m);
    z_dot.noalias() = x_dot * shift_;
    for (Index j = 0; j < m; ++j) u_dot.col(j) += z_dot;
    pair_tangent(psi.leftCols(2 * m), u_dot.leftCols(m), psi_dot.leftCols(2 * m));
    for (Index j = 0; j < m; ++j) u_dot.col(j) -= 2 * z_dot;
    pair_tangent(psi.rightCols(2 * m), u_dot.leftCols(m), psi_dot.rightCols(2 * m));
  }
  // Uses that shift = mean_frequency ./ lengthscale, so its cotangent reaches both.
  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Fastfood::Pullback bar = fastfood_.finish(at_, sums);
    const auto shift_bar = sums.tail(inputs_);
    theta_bar[component_.log_amplitude] += bar.log_amplitude;
    theta_bar.segment(component_.log_lengthscale, inputs_) += bar.log_lengthscale - shift_bar.cwiseProduct(shift_);
    theta_bar.segment(component_.mean_frequency, inputs_) += shift_bar.cwiseQuotient(lengthscale_);
  }

  Fastfood fastfood_;
  FastfoodSums at_;
  GaussianComponent component_;
  Vector lengthscale_, shift_;  // shift (d): the mean frequency in radians per unit of x
  double amplitude_;
};

// (cos, sin)(xi + zeta) and (cos, sin)(xi - zeta) have the inner product 2 cos(xi - xi') cos(zeta - zeta'); without the
// factor in zeta it is that of (cos, sin)(xi), with half the features.
class PreparedMixture final : public PreparedParts {
 public:
  using PreparedParts::PreparedParts;
  Index modulated_terms() const override { return static_cast<Index>(parts_.size()); }
  Index modulated_width() const override { return parts_.front().features / 2; }
  void forward_modulated(Index q, const InputView& rows, MatRef phi, VecRef zeta) const override {
    part(q).map->forward_modulated(0, rows, phi, zeta);
  }
  void backward_modulated(Index q, const InputView& rows, ConstMat phi, ConstMat phi_bar, ConstVec zeta_bar,
                          VecRef sums) const override {
    require(sums.size() == sums_, "feature map: shapes do not fit");
    part(q).map->backward_modulated(0, rows, phi, phi_bar, zeta_bar,
                                    sums.segment(part(q).sum_at, part(q).map->accumulator_size()));
  }

 private:
  const Part& part(Index q) const { return parts_[static_cast<std::size_t>(q)]; }
};

class GaussianMixture final : public LayoutMap {
 public:
  GaussianMixture(std::vector<GaussianComponent> components, const FeatureConfig& config)
      : LayoutMap(components.front().draws->inputs, 4 * config.frequencies * config.components),
        components_(std::move(components)),
        m_(config.frequencies) {
    const Index count = config.components, d = input_count();
    for (Index q = 0; q < count; ++q) {
      GaussianComponent& c = components_[static_cast<std::size_t>(q)];
      const std::string name = "gm[" + std::to_string(q) + "].";
      c.log_amplitude = layout_.add(log_amplitude_slot(name + "log_amplitude", count));
      c.log_lengthscale = layout_.add(log_lengthscale_slot(name + "log_lengthscale", d, d));
      // The prior of a frequency that the rows show must not hold it back.
      const double spread = c.season ? std::max(1.0, c.season->turns) : 1.0;
      c.mean_frequency = layout_.add(normal_slot(name + "mean_frequency", d, Vector::Zero(1), spread, -1e4, 1e4));
    }
  }

  bool has_tangent() const override { return true; }

  // Starts the mean frequency tiny but not at 0, where by symmetry its gradient is 0; each component has its own
  // length-scales, or all would stay equal.
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    constexpr double kTiny = 0.001;
    Vector theta(layout_.size());
    for (const GaussianComponent& c : components_) {
      theta[c.log_amplitude] = std::log(statistics.target_sd / static_cast<double>(components_.size()));
      theta.segment(c.log_lengthscale, input_count()) = ard_start(statistics, stream);
      for (Index j = 0; j < input_count(); ++j) theta[c.mean_frequency + j] = kTiny * stream.sign();
      if (c.season) begin_at(*c.season, statistics, c, theta);
    }
    return inside_bounds(layout_, theta);
  }

  KernelDescription describe(ConstVec theta) const override {
    const Index d = input_count();
    Vector square = Vector::Zero(d);
    double power = 0;
    std::vector<SpectralComponent> components;
    for (const GaussianComponent& c : components_) {
      const double amplitude = std::exp(theta[c.log_amplitude]);
      const Vector scales = lengthscale(c, theta), mean = theta.segment(c.mean_frequency, d).cwiseQuotient(scales);
      square.array() += amplitude * amplitude * (scales.array().inverse().square() + mean.array().square());
      power += amplitude * amplitude;
      components.push_back({.amplitude = amplitude, .lengthscales = scales, .mean_frequency = mean});
    }
    return {
        .amplitude = std::sqrt(power), .relevance = (square / power).cwiseSqrt(), .components = std::move(components)};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const auto count = static_cast<Index>(components_.size());
    Vector log_amplitudes(count);
    FrequencyRows result{Matrix(2 * m_ * count, input_count()), Vector(2 * m_ * count)};
    for (Index q = 0; q < count; ++q) {
      const GaussianComponent& c = components_[static_cast<std::size_t>(q)];
      const Vector scales = lengthscale(c, theta);
      const Eigen::RowVectorXd shift = theta.segment(c.mean_frequency, input_count()).cwiseQuotient(scales).transpose();
      const Matrix drawn = fastfood(c, scales).frequencies();
      log_amplitudes[q] = theta[c.log_amplitude];
      result.rows.middleRows(2 * m_ * q, m_) = drawn.rowwise() + shift;
      result.rows.middleRows(2 * m_ * q + m_, m_) = drawn.rowwise() - shift;
    }
    const Vector shares = variance_shares(log_amplitudes) / static_cast<double>(2 * m_);
    for (Index q = 0; q < count; ++q) result.shares.segment(2 * m_ * q, 2 * m_).setConstant(shares[q]);
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
      sum += Fastfood::flops(*c.draws, {}) + 80.0 * static_cast<double>(m_) + 50 + 4 * d;
    return sum;
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    std::vector<PreparedParts::Part> parts;
    for (const GaussianComponent& c : components_) {
      const Vector scales = lengthscale(c, theta);
      const Vector shift = theta.segment(c.mean_frequency, input_count()).cwiseQuotient(scales);
      const double amplitude = std::exp(theta[c.log_amplitude]) / std::sqrt(2.0 * static_cast<double>(m_));
      parts.push_back({std::make_unique<PreparedGaussian>(fastfood(c, scales), FastfoodSums(0, *c.draws, {}), c, scales,
                                                          shift, amplitude),
                       4 * m_, 0, layout_.size()});
    }
    return std::make_unique<PreparedMixture>(std::move(parts));
  }

  /// Begins at a sinusoid that lasts for the range of its input.
  static void begin_at(const Season& season, const TrainingStatistics& statistics, const GaussianComponent& c,
                       Vector& theta) {
    theta[c.log_amplitude] = std::log(statistics.target_sd) + 0.5 * std::log(season.share);
    theta[c.log_lengthscale + season.input] = std::log(season.turns / season.frequency);
    theta[c.mean_frequency + season.input] = season.turns;
  }

  Vector lengthscale(const GaussianComponent& c, ConstVec theta) const {
    return theta.segment(c.log_lengthscale, input_count()).array().exp();
  }
  static Fastfood fastfood(const GaussianComponent& c, ConstVec lengthscale) {
    return Fastfood(c.draws, c.draws->signs, c.draws->gaussian, c.lengths, lengthscale, {});
  }

  std::vector<GaussianComponent> components_;
  Index m_;  // frequencies of each component
};

void check_mixture(const FeatureConfig& config) {
  if (config.components < 1) throw ConfigError("/features/components", "must be at least 1");
}

MapPointer make_gaussian_mixture(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                                 const TrainingStatistics& statistics) {
  const FeatureConfig& config = recipe.features;
  check_mixture(config);
  std::vector<GaussianComponent> components(static_cast<std::size_t>(config.components));
  // The first component stays for what has no season.
  const std::vector<SpectralPeak> seasons = statistics.seasons();
  for (std::size_t q = 1; q < std::min(components.size(), 1 + seasons.size()); ++q) {
    const SpectralPeak& season = seasons[q - 1];
    components[q].season = Season{season, season.frequency * statistics.range[season.input]};
  }
  for (std::size_t q = 0; q < components.size(); ++q) {
    const RandomStreams own = streams.scope("gm[" + std::to_string(q) + "]");
    components[q].draws = std::make_shared<const FastfoodDraws>(inputs, config.frequencies, own);
    RandomStream stream = own.stream("fastfood.lengths");
    components[q].lengths = chi_lengths(config.frequencies, static_cast<double>(components[q].draws->length), stream);
  }
  return std::make_unique<GaussianMixture>(std::move(components), config);
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
  return std::make_unique<GaussianMixture>(std::move(components), config);
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
       .keys = {"features.frequencies", "features.components"},
       .recipe = R"({"model": "gm", "features": {"frequencies": 128, "components": 3}, "copies": 3})"},
      make_gaussian_mixture,
      load_gaussian_mixture};
}

}  // namespace alacarte
