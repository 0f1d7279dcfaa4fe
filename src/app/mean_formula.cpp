#include <Eigen/LU>

#include "mean_formula.hpp"

#include <fmt/format.h>
#include <limits>

#include "features/heavy_tails.hpp"

namespace alacarte {
namespace {

constexpr double kMaxPhase = 0x1p48;  // as in model/bounded_features.cpp
constexpr Index kProbeRows = 8;       // rows that distinguish a sinusoid with two unknowns from other functions
constexpr double kProbeTolerance = 1e-9;
constexpr Index kComparedRows = 32;
constexpr double kComparedTolerance = 1e-8;

[[noreturn]] void refuse_model(const std::string& name, const std::string& why) {
  throw ConfigError("export", fmt::format("model '{}' {}", name, why));
}

Matrix probe_rows(Index rows, Index inputs) {
  RandomStream stream = RandomStreams(0).stream("app.mean_formula");
  const Vector normals = stream.normals(rows * inputs);
  return Eigen::Map<const Matrix>(normals.data(), rows, inputs);
}

/// Returns the coefficients of cos and sin that give the column, if they exist.
std::optional<Eigen::Vector2d> sinusoid_of(ConstVec column, ConstVec cosine, ConstVec sine) {
  // Columns are scaled to length 1, since the sine of a low frequency is small beside its cosine.
  const double lengths[] = {cosine.norm(), sine.norm()};
  Eigen::Matrix<double, Eigen::Dynamic, 2> basis(column.size(), 2);
  basis.col(0) = cosine / lengths[0];
  basis.col(1) = lengths[1] > 0 ? Vector(sine / lengths[1]) : Vector(sine);  // the sine is 0 at frequency 0
  const double angle = basis.col(0).dot(basis.col(1)), determinant = 1 - angle * angle;
  Eigen::Vector2d found = Eigen::Vector2d::Zero();
  for (int pass = 0; pass < 2; ++pass) {  // the second pass corrects the rounding of the normal equations
    const Eigen::Vector2d right = basis.transpose() * (column - basis * found);
    if (lengths[1] > 0 && determinant > 1e-10)
      found += Eigen::Vector2d(right[0] - angle * right[1], right[1] - angle * right[0]) / determinant;
    else
      found[0] += right[0];
  }
  if (!((column - basis * found).norm() <= kProbeTolerance * column.norm())) return std::nullopt;
  return Eigen::Vector2d(found[0] / lengths[0], lengths[1] > 0 ? found[1] / lengths[1] : 0.0);
}

/// Returns psi(x) w of a map whose features are sinusoids of its frequencies, in any order.
std::optional<SinusoidSum> sinusoid_sum(const FeatureMap& map, ConstVec theta, ConstVec weights) {
  SinusoidSum sum;
  sum.frequencies = map.frequencies(theta).rows;
  const Index m = sum.frequencies.rows();
  if (m == 0 || sum.frequencies.cols() != map.input_count()) return std::nullopt;
  const Matrix x = probe_rows(kProbeRows, map.input_count());
  Matrix psi(kProbeRows, map.feature_count());
  map.prepare(theta)->forward(x, psi);
  const Matrix phases = x * sum.frequencies.transpose();
  const Matrix cosines = phases.array().cos(), sines = phases.array().sin();
  sum.cosines = sum.sines = Vector::Zero(m);
  Index next = 0;  // features are nearly in the order of the frequencies
  for (Index j = 0; j < psi.cols(); ++j) {
    if (psi.col(j).isZero(0)) continue;
    std::optional<Eigen::Vector2d> found;
    for (Index tried = 0; tried < m && !found; ++tried) {
      const Index k = (next + tried) % m;
      found = sinusoid_of(psi.col(j), cosines.col(k), sines.col(k));
      if (!found) continue;
      sum.cosines[k] += weights[j] * (*found)[0];
      sum.sines[k] += weights[j] * (*found)[1];
      next = k + 1;
    }
    if (!found) return std::nullopt;
  }
  sum.rates = map.phase_rates(theta);
  return sum;
}

/// Returns psi(x) w of a linear map.
std::optional<LinearSum> linear_sum(const FeatureMap& map, ConstVec theta, ConstVec weights) {
  const Index d = map.input_count();
  const auto prepared = map.prepare(theta);
  const Matrix units = Matrix::Identity(d, d), x = probe_rows(kProbeRows, d);
  Matrix of_units(d, map.feature_count()), of_probes(kProbeRows, map.feature_count());
  prepared->forward(units, of_units);
  prepared->forward(x, of_probes);
  LinearSum sum{of_units * weights};
  if ((x * of_units - of_probes).norm() <= kProbeTolerance * of_probes.norm()) return sum;
  return std::nullopt;
}

/// Adds the parts of a map; `name` is its name in a recipe.
void add_parts(const std::string& name, const FeatureMap& map, ConstVec theta, ConstVec weights,
               std::vector<MeanPart>& parts) {
  const auto terms = map.terms();
  for (const auto& term : terms)
    add_parts(term.model, *term.map, theta.segment(term.first_parameter, term.map->parameters().size()),
              weights.segment(term.first, term.count), parts);
  if (!terms.empty()) return;
  if (auto sinusoids = sinusoid_sum(map, theta, weights))
    parts.emplace_back(std::move(*sinusoids));
  else if (auto linear = linear_sum(map, theta, weights))
    parts.emplace_back(std::move(*linear));
  else
    refuse_model(name, "has features that are neither sinusoids nor linear; its mean has no formula to export");
}

/// Returns the network at the front of theta, in the layout of features/network.hpp.
NetworkFormula network_of(const NetworkConfig& config, Index inputs, ConstVec theta, Index& used) {
  NetworkFormula network;
  network.activation = config.activation;
  network.skip = config.skip;
  network.residual = config.residual;
  Index fan_in = inputs;
  for (const Index units : config.widths) {
    network.weights.emplace_back(Eigen::Map<const Matrix>(theta.data() + used, fan_in, units));
    used += fan_in * units;
    network.biases.emplace_back(theta.segment(used, units));
    used += units;
    fan_in = units;
  }
  return network;
}

void add_deep_parts(const Member& member, ConstVec weights, FitFormula& fit) {
  const Recipe& inner = member.recipe.terms.front();
  Index used = 0;
  Index width = member.prior.map()->input_count();
  if (!member.recipe.network.widths.empty()) {
    fit.network = network_of(member.recipe.network, width, member.theta, used);
    width = fit.network->biases.back().size() + (fit.network->skip ? width : 0);
  }
  TensorBundle drawn;
  member.prior.map()->save(drawn, "");
  if (drawn.contains("tails")) {
    const HeavyTails tails = HeavyTails::load(drawn, "tails", member.prior.map()->input_count());
    fit.tails = TailsFormula{tails.median(), tails.width(), tails.mean(), tails.sd()};
  }
  const auto map = find_feature_map(inner.model)->load(inner, width, drawn, "inner.");
  add_parts(inner.model, *map, member.theta.segment(used, map->parameters().size()), weights, fit.parts);
  fit.rates = member.prior.map()->phase_rates(member.theta.head(member.prior.parameters().size()));
  for (MeanPart& part : fit.parts)
    if (auto* sum = std::get_if<SinusoidSum>(&part)) sum->rates.resize(0);
}

RadialProfile profile_of(const Recipe& recipe) {
  if (recipe.model == "exact-rbf" || recipe.model == "exact-ard") return RadialProfile::squared_exponential;
  if (recipe.model == "exact-rq") return RadialProfile::rational_quadratic;
  if (recipe.model == "exact-matern" && recipe.kernel.nu == 0.5) return RadialProfile::matern12;
  if (recipe.model == "exact-matern" && recipe.kernel.nu == 1.5) return RadialProfile::matern32;
  if (recipe.model == "exact-matern" && recipe.kernel.nu == 2.5) return RadialProfile::matern52;
  refuse_model(recipe.model,
               "is an exact kernel that is not exported; exact-rbf, exact-ard, exact-rq, exact-matern "
               "of nu 0.5, 1.5 or 2.5, and exact-sum of these are");
}

RadialSum radial_sum(const Recipe& recipe, const Kernel& kernel, ConstVec theta, const TensorBundle& state) {
  RadialSum sum;
  sum.profile = profile_of(recipe);
  const KernelDescription about = kernel.describe(theta);
  sum.rows = state.matrix("training_inputs");
  sum.inverse = about.relevance;
  if (sum.profile == RadialProfile::rational_quadratic) sum.shape = about.shape.value();
  Vector variance(1);
  kernel.diagonal(theta, sum.rows.topRows(1), variance);
  sum.weights = variance[0] * state.vector("alpha");
  return sum;
}

void add_radial_parts(const Recipe& recipe, const Kernel& kernel, ConstVec theta, const TensorBundle& state,
                      std::vector<MeanPart>& parts) {
  const auto terms = kernel.terms();
  for (std::size_t t = 0; t < terms.size(); ++t)
    add_radial_parts(recipe.terms[t], *terms[t].kernel,
                     theta.segment(terms[t].first_parameter, terms[t].kernel->parameters().size()), state, parts);
  if (terms.empty()) parts.emplace_back(radial_sum(recipe, kernel, theta, state));
}

bool out_of_digits(const Vector& rates, ConstVec v) { return rates.size() > 0 && v.cwiseAbs().dot(rates) > kMaxPhase; }

double value_of(const SinusoidSum& sum, ConstVec z, ConstVec v) {
  if (out_of_digits(sum.rates, v)) return 0;
  const Vector phases = sum.frequencies * z;
  return sum.cosines.dot(Vector(phases.array().cos())) + sum.sines.dot(Vector(phases.array().sin()));
}

double value_of(const LinearSum& sum, ConstVec z, ConstVec) { return sum.slopes.dot(z); }

double profile_value(const RadialSum& sum, double r2) {
  switch (sum.profile) {
    case RadialProfile::squared_exponential: return std::exp(-0.5 * r2);
    case RadialProfile::matern12: return std::exp(-std::sqrt(r2));
    case RadialProfile::matern32: return (1 + std::sqrt(3 * r2)) * std::exp(-std::sqrt(3 * r2));
    case RadialProfile::matern52: return (1 + std::sqrt(5 * r2) + 5 * r2 / 3) * std::exp(-std::sqrt(5 * r2));
    case RadialProfile::rational_quadratic: return std::exp(-sum.shape * std::log1p(r2 / (2 * sum.shape)));
  }
  return 0;
}

double value_of(const RadialSum& sum, ConstVec z, ConstVec) {
  double value = 0;
  for (Index i = 0; i < sum.rows.rows(); ++i) {
    const double r2 = ((z - sum.rows.row(i).transpose()).array() * sum.inverse.array()).square().sum();
    value += sum.weights[i] * profile_value(sum, r2);
  }
  return value;
}

Vector without_tails(const TailsFormula& tails, Vector v) {
  for (Index j = 0; j < v.size(); ++j)
    if (tails.width[j] > 0)
      v[j] = (std::asinh((v[j] - tails.median[j]) / tails.width[j]) - tails.mean[j]) / tails.sd[j];
  return v;
}

Vector behind_network(const NetworkFormula& network, ConstVec v) {
  Vector h = v;
  for (std::size_t l = 0; l < network.weights.size(); ++l) {
    Vector out = network.weights[l].transpose() * h + network.biases[l];
    for (double& u : out)
      u = network.activation == Activation::silu   ? u / (1 + std::exp(-u))
          : network.activation == Activation::tanh ? std::tanh(u)
                                                   : std::sin(u);
    h = network.adds(l) ? Vector(h + out) : std::move(out);
  }
  if (!network.skip) return h;
  Vector z(h.size() + v.size());
  z << h, v;
  return z;
}

FitFormula formula_of(const Member& member) {
  TensorBundle state;
  member.posterior->save(state, "", true);
  FitFormula fit;
  fit.offset = state.vector("offset", 1)[0];
  fit.inputs = member.posterior->behind().inputs;
  if (!member.prior.map()) {
    if (!state.contains("alpha"))
      refuse_model(member.recipe.model, fmt::format("is an exact kernel with likelihood '{}', which is not exported",
                                                    member.recipe.likelihood));
    const Vector theta = member.theta.head(member.prior.parameters().size());
    add_radial_parts(member.recipe, *member.prior.kernel(), theta, state, fit.parts);
    return fit;
  }
  const Vector weights = state.vector("weights", member.prior.map()->feature_count());
  if (member.recipe.model == "deep")
    add_deep_parts(member, weights, fit);
  else
    add_parts(member.recipe.model, *member.prior.map(), member.theta.head(member.prior.parameters().size()), weights,
              fit.parts);
  return fit;
}

/// Returns the rounding of sums over rows, whose weights are large and cancel where there is no noise.
double rounding_of(const FitFormula& fit) {
  double weights = 0;
  for (const MeanPart& part : fit.parts)
    if (const auto* radial = std::get_if<RadialSum>(&part)) weights += radial->weights.lpNorm<1>();
  return 4 * std::numeric_limits<double>::epsilon() * weights;
}

/// Throws unless the formula agrees with the posterior mean, whatever the map reports.
void compare_with_posterior(const Member& member, const FitFormula& fit, Index inputs) {
  const Matrix x = probe_rows(kComparedRows, inputs);
  Vector mean(kComparedRows), none(0);
  function_of(*member.posterior).predict(InputView(x), mean, none);
  double largest = 0;
  for (Index i = 0; i < kComparedRows; ++i)
    largest = std::max(largest, std::abs(evaluate(fit, Vector(x.row(i).transpose())) - mean[i]));
  if (!(largest <= kComparedTolerance * (1 + mean.cwiseAbs().maxCoeff()) + rounding_of(fit)))
    refuse_model(member.recipe.model, fmt::format("has a mean that its formula misses by {:.1e}", largest));
}

}  // namespace

std::vector<FitFormula> mean_formula(const FittedModel& model) {
  if (model.target() != TargetKind::numbers)
    refuse_model(model.recipe.model, model.target() == TargetKind::classes
                                         ? "predicts classes; only means of numbers are exported"
                                         : "predicts counts; only means of numbers are exported");
  if (!model.standardizer.transform().is_identity())
    refuse_model(model.recipe.model, "transforms its target (scale.target '" + word(model.recipe.scale_target) +
                                         "'): its mean needs the variance of each row, which is not exported");
  if (model.standardizer.is_sparse()) refuse_model(model.recipe.model, "reads sparse rows, which are not exported");
  if (!model.schema.level_counts().empty())
    refuse_model(model.recipe.model, "has random effects of levels, which are not exported");
  std::vector<FitFormula> fits;
  for (const Member& member : model.members) {
    if (!member.posterior->as_function())
      refuse_model(member.recipe.model, "has several outputs; the mean of one is exported");
    fits.push_back(formula_of(member));
    fits.back().share = member.weight / static_cast<double>(model.members.size());
    compare_with_posterior(member, fits.back(), model.standardizer.input_shift().size());
  }
  return fits;
}

double evaluate(const FitFormula& fit, ConstVec standardised) {
  Vector v = standardised;
  if (fit.inputs) {
    v.resize(fit.inputs->seen());
    fit.inputs->of_row(standardised, v);
  }
  if (out_of_digits(fit.rates, v)) return fit.offset;
  const Vector seen = fit.tails ? without_tails(*fit.tails, v) : Vector(v);
  const Vector z = fit.network ? behind_network(*fit.network, seen) : seen;
  double value = fit.offset;
  for (const MeanPart& part : fit.parts)
    value += std::visit([&](const auto& sum) { return value_of(sum, z, v); }, part);
  return value;
}

}  // namespace alacarte
