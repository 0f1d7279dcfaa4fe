#include "features/directional.hpp"

#include <fmt/format.h>
#include <cmath>
#include <numeric>

#include "core/log_lengthscales.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

/// Consecutive features of one degree.
struct Family {
  SphereProfile profile;
  Index first, count;
  double exponent, weight;  ///< weight: sqrt(N_n / m_n), without lambda and amplitude
};

/// Quantities derived from theta and the draws.
struct DirectionalState {
  std::shared_ptr<const Fastfood> fastfood;
  FastfoodSums at;  ///< offsets of the stack's own sums
  std::vector<Family> families;
  Vector weights;  ///< (degrees) a sqrt(lambda_n N_n / m_n)
  Vector inverse;  ///< (d) 1/lengthscale
  double root_offset = 0;
  Index dimension = 0;
};

/// Offsets of the parameters in theta; -1 for absent ones.
struct Offsets {
  LogLengthscales scales;
  Index log_amplitude = 0, log_offset = -1, log_coefficient = -1;
};

class PreparedDirectional final : public PreparedDense {
 public:
  PreparedDirectional(DirectionalState state, Offsets at, Index features)
      : PreparedDense(state.inverse.size(), features,
                      state.at.end + state.dimension + static_cast<Index>(state.families.size())),
        s_(std::move(state)),
        at_(at) {}

 private:
  void compute(ConstMat x, MatRef psi) const override {
    const Index n = x.rows();
    double* work = thread_work<PreparedDirectional>(n * (s_.dimension + 2));
    Eigen::Map<Matrix> unit(work, n, s_.dimension);
    Eigen::Map<Vector> radius(work + unit.size(), n), power(work + unit.size() + n, n);
    lift(x, unit, radius);
    s_.fastfood->project(unit, psi);
    for (std::size_t f = 0; f < s_.families.size(); ++f) {
      const Family& family = s_.families[f];
      for (Index r = 0; r < n; ++r) power[r] = s_.weights[static_cast<Index>(f)] * std::pow(radius[r], family.exponent);
      for (Index i = family.first; i < family.first + family.count; ++i)
        for (Index r = 0; r < n; ++r) psi(r, i) = power[r] * family.profile(psi(r, i)).value;
    }
  }

  // Uses, with p = x~_dot.v and r_dot = u.x~_dot, that psi = w rho^e g(t) has w rho^(e - 1) (e r_dot g + g' (p - t
  // r_dot)). At the origin, which has no direction, powers of rho below 1 are set to 0.
  void tangent(ConstMat x, ConstMat, ConstMat x_dot, MatRef psi_dot) const override {
    const Index n = x.rows(), d = s_.dimension;
    double* work = thread_work<PreparedDirectional>(n * (2 * d + 3 + features_));
    Eigen::Map<Matrix> unit(work, n, d), lifted(work + n * d, n, d), phase(work + 2 * n * d, n, features_);
    Eigen::Map<Vector> radius(phase.data() + phase.size(), n), power(radius.data() + n, n), radial(power.data() + n, n);
    lift(x, unit, radius);
    lifted.setZero();
    lifted.leftCols(x.cols()).noalias() = x_dot * s_.inverse.asDiagonal();
    s_.fastfood->project(unit, phase);
    s_.fastfood->project(lifted, psi_dot);
    radial = unit.cwiseProduct(lifted).rowwise().sum();
    for (std::size_t f = 0; f < s_.families.size(); ++f) {
      const Family& family = s_.families[f];
      for (Index r = 0; r < n; ++r)
        power[r] = radius[r] > 0 || family.exponent >= 1
                       ? s_.weights[static_cast<Index>(f)] * std::pow(radius[r], family.exponent - 1)
                       : 0;
      for (Index i = family.first; i < family.first + family.count; ++i)
        for (Index r = 0; r < n; ++r) {
          const auto g = family.profile(phase(r, i));
          psi_dot(r, i) =
              power[r] * (family.exponent * radial[r] * g.value + g.slope * (psi_dot(r, i) - phase(r, i) * radial[r]));
        }
    }
  }

  // Adds Fastfood's sums, the radial ones of each coordinate, and one of each degree. With t = u.v and u = x~/rho:
  // d t / d log lengthscale_j = -u_j v_j + t u_j^2, d log rho / d log lengthscale_j = -u_j^2; the last coordinate,
  // sqrt(c), has -half of that by log c.
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index n = x.rows(), d = s_.dimension;
    double* work = thread_work<PreparedDirectional>(n * (d + 3 + features_));
    Eigen::Map<Matrix> unit(work, n, d), phase(work + n * d, n, features_);
    Eigen::Map<Vector> radius(phase.data() + phase.size(), n), power(radius.data() + n, n), radial(power.data() + n, n);
    lift(x, unit, radius);
    s_.fastfood->project(unit, phase);
    radial.setZero();
    for (std::size_t f = 0; f < s_.families.size(); ++f) {
      const Family& family = s_.families[f];
      for (Index r = 0; r < n; ++r) power[r] = s_.weights[static_cast<Index>(f)] * std::pow(radius[r], family.exponent);
      double sum = 0;
      for (Index i = family.first; i < family.first + family.count; ++i)
        for (Index r = 0; r < n; ++r) {
          const double t = phase(r, i), own = psi(r, i) * psi_bar(r, i);
          phase(r, i) = power[r] * family.profile(t).slope * psi_bar(r, i);
          radial[r] += phase(r, i) * t - family.exponent * own;
          sum += own;
        }
      sums[family_sum(f)] += sum;
    }
    s_.fastfood->backward_project(unit, phase, s_.at, sums);
    for (Index j = 0; j < d; ++j) sums[radial_sum(j)] += unit.col(j).cwiseAbs2().dot(radial);
  }

  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Vector by_coordinate = sums.segment(radial_sum(0), s_.dimension) - sums.segment(s_.at.inputs, s_.dimension);
    const Index d = inputs_;
    at_.scales.add_slopes(by_coordinate.head(d), theta_bar);
    if (at_.log_offset >= 0) theta_bar[at_.log_offset] -= 0.5 * by_coordinate[d];
    for (std::size_t f = 0; f < s_.families.size(); ++f) {
      theta_bar[at_.log_amplitude] += sums[family_sum(f)];
      if (at_.log_coefficient >= 0) theta_bar[at_.log_coefficient + static_cast<Index>(f)] += 0.5 * sums[family_sum(f)];
    }
  }

  Index radial_sum(Index j) const { return s_.at.end + j; }
  Index family_sum(std::size_t f) const { return s_.at.end + s_.dimension + static_cast<Index>(f); }

  /// Computes x~/rho and rho; the zero vector has no direction and stays zero.
  template <class Unit, class Radius>
  void lift(ConstMat x, Unit& unit, Radius& radius) const {
    const Index d = x.cols();
    unit.leftCols(d).noalias() = x * s_.inverse.asDiagonal();
    if (s_.dimension > d) unit.col(d).setConstant(s_.root_offset);
    radius.setZero();
    for (Index j = 0; j < unit.cols(); ++j) radius += unit.col(j).cwiseAbs2();
    radius = radius.cwiseSqrt();
    for (Index j = 0; j < unit.cols(); ++j)  // by columns, which are contiguous
      unit.col(j).array() /= (radius.array() > 0).select(radius.array(), 1.0);
  }

  DirectionalState s_;
  Offsets at_;
};

class DirectionalMap final : public LayoutMap {
 public:
  DirectionalMap(DirectionalSpec spec, std::vector<Index> counts, Index inputs,
                 std::shared_ptr<const FastfoodDraws> draws)
      : LayoutMap(inputs, draws->frequencies), spec_(std::move(spec)), draws_(std::move(draws)), sums_(0, *draws_, {}) {
    make_families(counts);
    make_fastfood();
    const double mean = 0.5 * std::log(static_cast<double>(inputs));
    at_.scales = {0, inputs, spec_.isotropic};
    at_.scales.first = layout_.add(
        normal_slot(spec_.name + ".log_lengthscale", at_.scales.count(), Vector::Constant(1, mean), 1.5, -10, 18));
    at_.log_amplitude = layout_.add(log_amplitude_slot(spec_.name + ".log_amplitude", 1));
    if (spec_.learn_offset && spec_.offset > 0) {
      const double start = std::log(spec_.offset);
      at_.log_offset = layout_.add(
          normal_slot(spec_.name + ".log_offset", 1, Vector::Constant(1, start), 1.5, start - 12, start + 12));
    }
    if (!spec_.has_coefficients) return;
    ParameterSlot slot =
        normal_slot(spec_.name + ".log_coefficient", start_coefficients().size(), start_coefficients(), 1.5, -30, 20);
    slot.trainable = spec_.learn_coefficients;
    at_.log_coefficient = layout_.add(std::move(slot));
  }

  bool has_tangent() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    at_.scales.set(ard_start(statistics, stream), theta);
    theta[at_.log_amplitude] = std::log(statistics.target_sd);
    if (at_.log_offset >= 0) theta[at_.log_offset] = std::log(spec_.offset);
    if (at_.log_coefficient >= 0)
      theta.segment(at_.log_coefficient, start_coefficients().size()) = start_coefficients();
    return inside_bounds(layout_, theta);
  }

  // Reports the amplitude of the value with all inputs 1, the mean size of standardised ones.
  KernelDescription describe(ConstVec theta) const override {
    check(theta);
    const Vector inverse = relevance(theta);
    const double square = inverse.squaredNorm() + offset(theta);
    double variance = 0;
    std::vector<std::pair<Index, double>> coefficients;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const double coefficient = std::exp(log_coefficient(theta, f));
      variance += coefficient * std::pow(square, families_[f].exponent) * mean_square(f);
      coefficients.emplace_back(spec_.degrees[f].degree, coefficient);
    }
    KernelDescription report = {.amplitude = std::exp(theta[at_.log_amplitude]) * std::sqrt(variance),
                                .relevance = inverse,
                                .lengthscale = inverse.cwiseInverse()};
    if (spec_.has_coefficients) report.coefficients = std::move(coefficients);
    if (spec_.offset > 0) report.offset = offset(theta);
    return report;
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override { draws_->save(bundle, prefix); }
  double flops_per_row() const override {
    double flops = 2 * Fastfood::flops(*draws_, {}) + 10.0 * static_cast<double>(inputs_);
    for (std::size_t f = 0; f < families_.size(); ++f)
      flops += static_cast<double>(families_[f].count * (20 + 12 * spec_.degrees[f].degree));
    return flops;
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    DirectionalState state{fastfood_, sums_, families_, Vector(families_.size()), {}, 0, draws_->inputs};
    for (std::size_t f = 0; f < families_.size(); ++f)
      state.weights[static_cast<Index>(f)] =
          std::exp(theta[at_.log_amplitude] + 0.5 * log_coefficient(theta, f)) * families_[f].weight;
    state.inverse = relevance(theta);
    state.root_offset = std::sqrt(offset(theta));
    return std::make_unique<PreparedDirectional>(std::move(state), at_, feature_count());
  }

  void make_families(const std::vector<Index>& counts) {
    Index first = 0;
    for (std::size_t n = 0; n < counts.size(); ++n) {
      const DirectionalDegree& degree = spec_.degrees[n];
      const double functions = spec_.powers ? 1 : sphere_harmonics(degree.degree, draws_->inputs);
      families_.push_back({SphereProfile(spec_.powers, degree.degree, draws_->inputs), first, counts[n],
                           degree.exponent, std::sqrt(functions / static_cast<double>(counts[n]))});
      first += counts[n];
    }
  }

  void make_fastfood() {
    const Vector ones = Vector::Ones(draws_->inputs);
    const Fastfood raw(draws_, draws_->signs, draws_->gaussian, Vector::Ones(draws_->frequencies), ones, {});
    const Vector lengths = raw.frequencies().rowwise().norm().cwiseInverse();
    fastfood_ = std::make_shared<Fastfood>(draws_, draws_->signs, draws_->gaussian, lengths, ones, FastfoodLearned{});
  }

  /// Returns E_v[g_n(u.v)^2] N_n: 1 for the polynomials of the sphere, (2n - 1)!!/(D (D + 2) ..) for powers.
  double mean_square(std::size_t f) const {
    if (!spec_.powers) return 1;
    double value = 1;
    for (Index k = 0; k < spec_.degrees[f].degree; ++k)
      value *= static_cast<double>(2 * k + 1) / static_cast<double>(draws_->inputs + 2 * k);
    return value;
  }

  /// Returns 1/lengthscale of each input.
  Vector relevance(ConstVec theta) const { return (-at_.scales.of_inputs(theta).array()).exp(); }
  double offset(ConstVec theta) const { return at_.log_offset >= 0 ? std::exp(theta[at_.log_offset]) : spec_.offset; }
  double log_coefficient(ConstVec theta, std::size_t f) const {
    return at_.log_coefficient >= 0 ? theta[at_.log_coefficient + static_cast<Index>(f)]
                                    : std::log(spec_.degrees[f].coefficient);
  }
  Vector start_coefficients() const {
    Vector values(static_cast<Index>(spec_.degrees.size()));
    for (Index n = 0; n < values.size(); ++n)
      values[n] = std::log(spec_.degrees[static_cast<std::size_t>(n)].coefficient);
    return values;
  }

  DirectionalSpec spec_;
  std::shared_ptr<const FastfoodDraws> draws_;
  std::shared_ptr<const Fastfood> fastfood_;
  FastfoodSums sums_;
  std::vector<Family> families_;
  Offsets at_;
};

/// Returns the m_n of each degree; they sum to `frequencies` (to 1 if degree 0 is the only one). Throws ConfigError for
/// fewer features than degrees.
std::vector<Index> split_features(const DirectionalSpec& spec, Index frequencies) {
  const auto degrees = static_cast<Index>(spec.degrees.size());
  if (frequencies < degrees)
    throw ConfigError("/features/frequencies", fmt::format("must be at least {}, one for each degree", degrees));
  std::vector<Index> counts(spec.degrees.size(), 1);
  const bool constant = spec.degrees.front().degree == 0;
  if (constant && degrees == 1) return counts;
  double total = 0;
  for (std::size_t n = constant ? 1 : 0; n < counts.size(); ++n) total += spec.shares[n];
  const Index free = frequencies - degrees;
  Index given = 0;
  std::size_t largest = counts.size() - 1;
  for (std::size_t n = constant ? 1 : 0; n < counts.size(); ++n) {
    const auto more = static_cast<Index>(static_cast<double>(free) * spec.shares[n] / total);
    counts[n] += more;
    given += more;
    if (spec.shares[n] > spec.shares[largest]) largest = n;
  }
  counts[largest] += free - given;
  return counts;
}

}  // namespace

Index directional_dimension(Index inputs, double offset) { return std::max<Index>(2, inputs + (offset > 0 ? 1 : 0)); }

MapPointer directional_map(DirectionalSpec spec, Index frequencies, Index inputs,
                           const std::function<FastfoodDraws(Index dimension, Index features)>& draw) {
  require(inputs > 0 && frequencies > 0, "a feature map needs inputs and frequencies");
  const std::vector<Index> counts = split_features(spec, frequencies);
  const Index features = std::accumulate(counts.begin(), counts.end(), Index{0});
  auto draws = std::make_shared<const FastfoodDraws>(draw(directional_dimension(inputs, spec.offset), features));
  return std::make_unique<DirectionalMap>(std::move(spec), counts, inputs, std::move(draws));
}

SphereProfile::SphereProfile(bool powers, Index degree, Index dimension) : powers_(powers), degree_(degree) {
  const double d = static_cast<double>(dimension);
  for (Index k = 1; k < degree; ++k) {
    const double n = static_cast<double>(k);
    rise_.push_back((2 * n + d - 2) / (n + d - 2));
    fall_.push_back(n / (n + d - 2));
  }
}

SphereProfile::Value SphereProfile::operator()(double t) const {
  if (degree_ == 0) return {1, 0};
  if (powers_) {
    double below = 1;  // products: std::pow takes four times as long as the rest of a feature
    for (Index k = 1; k < degree_; ++k) below *= t;
    return {t * below, static_cast<double>(degree_) * below};
  }
  Value before{1, 0}, now{t, 1};
  for (std::size_t k = 0; k < rise_.size(); ++k) {
    const Value next{rise_[k] * t * now.value - fall_[k] * before.value,
                     rise_[k] * (now.value + t * now.slope) - fall_[k] * before.slope};
    before = now;
    now = next;
  }
  return now;
}

double sphere_harmonics(Index degree, Index dimension) {
  if (degree == 0) return 1;
  const double n = static_cast<double>(degree), d = static_cast<double>(dimension);
  return (2 * n + d - 2) * std::exp(std::lgamma(n + d - 2) - std::lgamma(n + 1) - std::lgamma(d - 1));
}

// Uses t P_n = ((n + D - 2) P_(n+1) + n P_(n-1)) / (2n + D - 2), p times from P_0: no step adds a negative term.
std::vector<double> gegenbauer_coefficients_of_power(Index p, Index dimension) {
  const double d = static_cast<double>(dimension);
  std::vector<double> now(static_cast<std::size_t>(p) + 1, 0.0);
  now[0] = 1;
  for (Index step = 0; step < p; ++step) {
    std::vector<double> next(now.size(), 0.0);
    next[1] += now[0];
    for (std::size_t n = 1; n + 1 < now.size(); ++n) {
      const double k = static_cast<double>(n), total = 2 * k + d - 2;
      next[n + 1] += now[n] * (k + d - 2) / total;
      next[n - 1] += now[n] * k / total;
    }
    now = std::move(next);
  }
  return now;
}

}  // namespace alacarte
