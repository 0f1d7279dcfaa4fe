#include "alacarte/model/fitted_model.hpp"

#include <numeric>

#include "core/component_weights.hpp"
#include "data/row_pass.hpp"
#include "model/fit_inputs.hpp"
#include "model/learned_periods.hpp"
#include "model/noise_mixture.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Returns for each member the places of its draws among `count`: each goes to the member that lacks most of its share,
/// the first of several.
std::vector<std::vector<Index>> draws_of(const Vector& weights, Index count) {
  std::vector<std::vector<Index>> shares(static_cast<std::size_t>(weights.size()));
  Vector lacking = Vector::Zero(weights.size());
  for (Index c = 0; c < count; ++c) {
    lacking += weights;
    Index next = 0;
    lacking.maxCoeff(&next);
    lacking[next] -= static_cast<double>(weights.size());
    shares[static_cast<std::size_t>(next)].push_back(c);
  }
  return shares;
}

/// Returns the dispersion of counts of each member, (members).
Vector dispersions_of(const std::vector<Member>& members) {
  Vector dispersions(static_cast<Index>(members.size()));
  std::unique_ptr<Likelihood> owned;
  for (std::size_t j = 0; j < members.size(); ++j)
    dispersions[static_cast<Index>(j)] =
        likelihood_at(members[j].recipe, members[j].likelihood_theta, owned).dispersion();
  return dispersions;
}

std::vector<NoiseMixture> noise_mixtures_of(const std::vector<Member>& members) {
  std::vector<NoiseMixture> mixtures;
  std::unique_ptr<Likelihood> owned;
  for (const Member& member : members)
    mixtures.push_back(likelihood_at(member.recipe, member.likelihood_theta, owned).noise_mixture());
  return mixtures;
}

}  // namespace

Vector FittedModel::noise_factors(const InputView& raw, int threads) const {
  if (!noise_model) return Vector::Ones(raw.rows());
  PredictOptions means;
  means.variance = false;
  means.threads = threads;
  return noise_model->predict(raw, means).distribution().mean().unaryExpr([this](double log_factor) {
    return log_noise_range.factor(log_factor);
  });
}

Matrix FittedModel::noise_variances(const InputView& raw, int threads) const {
  const double scale = standardizer.target_scale();
  const Vector factors = noise_factors(raw, threads);
  Matrix noise(raw.rows(), static_cast<Index>(members.size()));
  for (std::size_t j = 0; j < members.size(); ++j)
    noise.col(static_cast<Index>(j)) = members[j].posterior->noise_variance() * scale * scale * factors;
  return noise;
}

Interval FittedModel::interval(const Prediction& prediction, double probability) const {
  require(probability > 0 && probability < 1, "interval: a probability lies between 0 and 1");
  const bool counts = prediction.kind() == TargetKind::counts;
  const bool corrected = calibration.is_conformal() && (counts || prediction.distribution().with_noise());
  const auto quantiles = [&](const auto& own) {
    const double below_one = std::nextafter(1.0, 0.0);  // since (1 + p) / 2 may round to 1
    return Interval{own.quantile((1 - probability) / 2), own.quantile(std::min((1 + probability) / 2, below_one))};
  };
  if (!corrected) return counts ? quantiles(prediction.counts()) : quantiles(prediction.distribution());
  const double factor = calibration.factor(probability);
  const auto around = [&](const auto& own) -> Interval {
    const Vector mean = own.mean(), reach = factor * own.variance().cwiseSqrt();
    return {mean - reach, mean + reach};
  };
  if (!counts) {
    const TargetTransform& transform = prediction.distribution().transform();
    if (transform.is_identity()) return around(prediction.distribution());
    const Interval bounds = around(prediction.distribution().of_transformed());
    return {transform.inverse(bounds.lower), transform.inverse(bounds.upper)};
  }
  Interval bounds = around(prediction.counts());
  bounds.lower = bounds.lower.array().ceil().max(0.0);
  bounds.upper = bounds.upper.array().floor().max(bounds.lower.array());
  return bounds;
}

FittedModel::Standardized FittedModel::standardize(const InputView& raw) const {
  Standardized x;
  if (raw.is_sparse()) {
    require(standardizer.is_sparse(), "prediction: sparse rows of a model that was trained on dense ones");
    std::vector<Index> all(static_cast<std::size_t>(raw.rows()));
    std::iota(all.begin(), all.end(), Index{0});
    x.sparse = select_rows(raw.sparse(), all);
    standardizer.standardise(x.sparse);
  } else {
    x.dense = standardizer.inputs(raw.dense());
  }
  return x;
}

FittedModel::Latent FittedModel::latent(const InputView& raw, const PredictOptions& options) const {
  const Standardized standardized = standardize(raw);
  const InputView x = standardized.view();
  const Index count = static_cast<Index>(members.size());
  Latent result{Matrix(x.rows(), count), Matrix::Zero(x.rows(), count)};
  for (Index j = 0; j < count; ++j) {
    const FunctionPosterior& posterior = function_of(*members[static_cast<std::size_t>(j)].posterior);
    for_each_chunk(x.rows(), kPosteriorRows, options.threads, [&](int, Index first, Index rows) {
      VecRef variance = result.variances.col(j).segment(options.variance ? first : 0, options.variance ? rows : 0);
      posterior.predict(x.middle_rows(first, rows), result.means.col(j).segment(first, rows), variance);
    });
  }
  return result;
}

// The noise of a row is computed with the row's own weight: noise for weight 1, with a part of it subtracted later,
// would lose all digits where it is far larger.
Prediction FittedModel::predict(const InputView& raw, const PredictOptions& how) const {
  require(!members.empty(), "a fitted model has at least one member");
  const TargetTransform& transform = standardizer.transform();
  PredictOptions options = how;
  options.variance = options.variance || !transform.is_identity();
  require(options.weights.size() == 0 || options.weights.size() == raw.rows(), "predict: one weight for each row");
  require(options.offsets.size() == 0 || options.offsets.size() == raw.rows(), "predict: one offset for each row");
  if (target() == TargetKind::classes) return {predict_classes(raw, options)};
  auto [means, variances] = latent(raw, options);
  if (target() == TargetKind::counts) {
    if (options.latent)
      return {PredictiveDistribution(std::move(means), std::move(variances), false, component_weights())};
    if (options.offsets.size() > 0) means.colwise() += options.offsets;
    return {CountDistribution(std::move(means), std::move(variances), component_weights(), dispersions_of(members))};
  }
  const double shift = standardizer.target_shift(), scale = standardizer.target_scale();
  const bool with_noise = options.variance && !options.latent;
  const bool conjugate = likelihood_of(recipe).is_conjugate();
  const bool shaped = with_noise && !noise_shape.is_gaussian();
  const Vector& weights = options.weights;
  if (with_noise && conjugate && !shaped) {
    Vector factors = noise_factors(raw, options.threads);
    if (weights.size() > 0) factors.array() /= weights.array();
    for (std::size_t j = 0; j < members.size(); ++j)
      variances.col(static_cast<Index>(j)) += members[j].posterior->noise_variance() * factors;
  }
  means = (means.array() * scale + shift).matrix();
  variances *= scale * scale;
  if (shaped) {
    Matrix noise = noise_variances(raw, options.threads);
    if (weights.size() > 0) noise.array().colwise() /= weights.array();
    return {with_noise_shape(means, variances, noise, noise_shape, component_weights(), transform)};
  }
  if (with_noise && !conjugate)
    return {with_noise_mixtures(means, variances, noise_mixtures_of(members), scale, component_weights(), transform)};
  return {PredictiveDistribution(std::move(means), std::move(variances), with_noise, component_weights(), transform)};
}

ClassPrediction FittedModel::predict_classes(const InputView& raw, const PredictOptions& options) const {
  const Standardized standardized = standardize(raw);
  const InputView x = standardized.view();
  ClassPrediction prediction{Matrix::Zero(x.rows(), schema.class_count()), gives_probabilities(recipe)};
  for (const Member& member : members) {
    const Posterior& posterior = *member.posterior;
    const bool variance = options.variance && posterior.has_variance();
    for_each_chunk(x.rows(), kPosteriorRows, options.threads, [&](int, Index first, Index rows) {
      // Covariances of many classes are wide, so they are made for one block of rows at a time.
      Matrix means(rows, posterior.outputs()), covariances(variance ? rows : 0, pair_count(posterior.outputs()));
      posterior.predict_outputs(x.middle_rows(first, rows), means, covariances);
      prediction.values.middleRows(first, rows) +=
          member.weight * class_values(member.recipe, means, covariances, schema.class_count());
    });
  }
  prediction.values /= static_cast<double>(members.size());
  calibration.apply(prediction.values);
  return prediction;
}

OneRowWorkspace FittedModel::one_row_workspace() const {
  require(!members.empty(), "a fitted model has at least one member");
  OneRowWorkspace workspace;
  workspace.inputs_.resize(standardizer.input_shift().size());
  Index work = 0;
  for (const Member& member : members)
    if (const FunctionPosterior* function = member.posterior->as_function())
      work = std::max(work, function->one_row_work());
  workspace.work_.resize(work);
  OneRowPrediction& one = workspace.prediction_;
  one.component_means.resize(static_cast<Index>(members.size()));
  one.component_variances.resize(one.component_means.size());
  workspace.weights_ = component_weights();
  one.class_values.resize(schema.class_count());
  if (noise_model) workspace.noise_.push_back(noise_model->one_row_workspace());
  predict_one(standardizer.input_shift(), workspace, has_variance() ? Moment::variance : Moment::mean);
  return workspace;
}

const OneRowPrediction& FittedModel::predict_one(ConstVec raw, OneRowWorkspace& workspace, Moment wanted,
                                                 double exposure) const {
  OneRowPrediction& one = workspace.prediction_;
  Vector &means = one.component_means, &variances = one.component_variances;
  require(raw.size() == standardizer.input_shift().size(), "predict_one: another number of inputs");
  require(workspace.inputs_.size() == raw.size() && means.size() == static_cast<Index>(members.size()) &&
              one.class_values.size() == schema.class_count() && workspace.noise_.size() == (noise_model ? 1 : 0),
          "predict_one: the work space of another model");
  standardizer.standardise_row(raw, workspace.inputs_);
  const TargetKind kind = target();
  if (kind == TargetKind::classes) {
    predict_classes_one(workspace, wanted != Moment::mean);
    return one;
  }
  // The mean of a transformed target needs the variances.
  const bool is_transformed = !standardizer.transform().is_identity();
  const bool with_noise =
      kind == TargetKind::numbers && (wanted == Moment::variance || (is_transformed && wanted == Moment::mean));
  const double scale = standardizer.target_scale();
  double factor = noise_shape.mean_factor();
  if (with_noise && noise_model)
    factor *= log_noise_range.factor(noise_model->predict_one(raw, workspace.noise_.front(), Moment::mean).mean);
  for (Index j = 0; j < means.size(); ++j) {
    const FunctionPosterior& posterior = function_of(*members[static_cast<std::size_t>(j)].posterior);
    const auto latent =
        posterior.predict_one(workspace.inputs_, workspace.work_, wanted != Moment::mean || is_transformed);
    means[j] = latent.mean * scale + standardizer.target_shift();
    variances[j] = (latent.variance + (with_noise ? factor * posterior.noise_variance() : 0)) * scale * scale;
  }
  if (kind == TargetKind::counts) {
    require(exposure > 0 && std::isfinite(exposure), "predict_one: an exposure is finite and above 0");
    if (exposure != 1) means.array() += std::log(exposure);
    const CountDistribution counts(means.transpose(), variances.transpose(), workspace.weights_,
                                   dispersions_of(members));
    one.mean = counts.mean()[0];
    one.variance = wanted == Moment::mean ? 0 : counts.variance()[0];
  } else if (is_transformed) {
    undo_transform(with_noise ? factor : 0, one, workspace.weights_);
    if (wanted == Moment::mean) one.variance = 0;
  } else {
    const auto weights = workspace.weights_.array();
    one.mean = (weights * means.array()).mean();
    one.variance = wanted == Moment::mean
                       ? 0
                       : (weights * variances.array()).mean() + (weights * (means.array() - one.mean).square()).mean();
  }
  return one;
}

void FittedModel::predict_classes_one(OneRowWorkspace& workspace, bool wants_variance) const {
  Matrix &means = workspace.output_means_, &covariances = workspace.covariances_;
  Vector& values = workspace.prediction_.class_values;
  values.setZero();
  for (const Member& member : members) {
    const Posterior& posterior = *member.posterior;
    const bool variance = wants_variance && posterior.has_variance();
    means.resize(1, posterior.outputs());
    covariances.resize(variance ? 1 : 0, pair_count(posterior.outputs()));
    if (const FunctionPosterior* function = posterior.as_function()) {
      const auto latent = function->predict_one(workspace.inputs_, workspace.work_, variance);
      means(0, 0) = latent.mean;
      if (variance) covariances(0, 0) = latent.variance;
    } else {
      const Eigen::Map<const Matrix> x(workspace.inputs_.data(), 1, workspace.inputs_.size());
      posterior.predict_outputs(x, means, covariances);
    }
    values += member.weight * class_values(member.recipe, means, covariances, schema.class_count()).row(0).transpose();
  }
  values /= static_cast<double>(members.size());
  calibration.apply(Eigen::Map<Matrix>(values.data(), 1, values.size()));
}

Matrix FittedModel::covariance(const InputView& raw, bool latent) const {
  require(!members.empty() && target() == TargetKind::numbers, "covariance: a fitted model of numbers");
  if (standardizer.transform().kind() == TargetTransform::Kind::log) return log_normal_covariance(raw, latent);
  if (!standardizer.transform().is_identity())
    throw ConfigError("/scale/target",
                      "'yeo-johnson' has no covariances of rows in the unit of the target; take draws");
  const Standardized standardized = standardize(raw);
  const InputView x = standardized.view();
  const Index count = static_cast<Index>(members.size());
  const double share = 1.0 / static_cast<double>(count);
  Matrix means(x.rows(), count), result = Matrix::Zero(x.rows(), x.rows());
  const Vector factors = latent ? Vector() : Vector(noise_factors(raw, 1) * noise_shape.mean_factor());
  Vector none(0);
  for (Index j = 0; j < count; ++j) {
    const FunctionPosterior& posterior = function_of(*members[static_cast<std::size_t>(j)].posterior);
    const double weight = share * members[static_cast<std::size_t>(j)].weight;
    result += weight * posterior.covariance(x);
    if (!latent) result.diagonal() += weight * posterior.noise_variance() * factors;
    posterior.predict(x, means.col(j), none);
  }
  const Vector weights = component_weights();
  means.colwise() -= weighted_mean(means, weights);
  const Matrix weighted = means * weights.asDiagonal();
  result.noalias() += share * weighted * means.transpose();
  return standardizer.target_scale() * standardizer.target_scale() * result;
}

Matrix FittedModel::draws(const InputView& raw, Index count, std::uint64_t draw_seed) const {
  require(!members.empty() && target() == TargetKind::numbers && count >= 0,
          "draws need a model of numbers and a count");
  const Standardized standardized = standardize(raw);
  const InputView x = standardized.view();
  const std::vector<std::vector<Index>> shares = draws_of(component_weights(), count);
  Matrix result(x.rows(), count);
  for (std::size_t j = 0; j < shares.size(); ++j) {
    if (shares[j].empty()) continue;
    RandomStream stream = RandomStreams(draw_seed).stream("draws[" + std::to_string(j) + "]");
    const Matrix functions = function_of(*members[j].posterior).draws(x, static_cast<Index>(shares[j].size()), stream);
    for (std::size_t c = 0; c < shares[j].size(); ++c) result.col(shares[j][c]) = functions.col(static_cast<Index>(c));
  }
  const Matrix values = result.array() * standardizer.target_scale() + standardizer.target_shift();
  const TargetTransform& transform = standardizer.transform();
  return transform.is_identity() ? values : Matrix(values.unaryExpr([&](double u) { return transform.inverse(u); }));
}

Vector FittedModel::component_weights() const {
  Vector weights(static_cast<Index>(members.size()));
  for (std::size_t j = 0; j < members.size(); ++j) weights[static_cast<Index>(j)] = members[j].weight;
  return weights;
}

bool is_further_sample(const Member& member) { return member.summary.is_sample; }

namespace {

/// Keeps what is said of the first inputs, and drops the columns of trees behind them.
void keep_inputs(Index count, KernelDescription& description) {
  const auto keep = [count](Vector& values) {
    if (values.size() > count) values.conservativeResize(count);
  };
  for (Vector* values : {&description.relevance, &description.period, &description.spread}) keep(*values);
  if (description.lengthscale.size() > 1) keep(description.lengthscale);  // one is that of all inputs
  for (SpectralComponent& component : description.components) {
    keep(component.mean_frequency);
    if (component.lengthscales.size() > 1) keep(component.lengthscales);
  }
  for (KernelDescription& term : description.terms) keep_inputs(count, term);
}

}  // namespace

KernelDescription describe(const FittedModel& model, const Member& member) {
  const Vector theta = member.theta.head(member.prior.parameters().size());
  KernelDescription description = member.prior.describe(theta);
  if (const auto& inputs = member.posterior->behind().inputs; inputs && inputs->trees())
    keep_inputs(inputs->smooth(), description);
  for (Index j = 0; j < description.relevance.size(); ++j)
    if (model.standardizer.is_constant(j)) description.relevance[j] = 0;
  if (view_of(member.recipe).is_plain()) give_units(model.standardizer, description);
  return description;
}

bool FittedModel::has_variance() const {
  return std::all_of(members.begin(), members.end(),
                     [](const auto& member) { return member.posterior->has_variance(); });
}

std::vector<Index> ClassPrediction::labels() const {
  std::vector<Index> places(static_cast<std::size_t>(values.rows()));
  for (Index i = 0; i < values.rows(); ++i) values.row(i).maxCoeff(&places[static_cast<std::size_t>(i)]);
  return places;
}

void Prediction::require_kind(TargetKind asked) const {
  constexpr const char* kNames[] = {"numbers", "classes", "counts"};
  const auto name = [&](TargetKind kind) { return std::string(kNames[static_cast<std::size_t>(kind)]); };
  require(kind() == asked, ("the prediction is of " + name(kind()) + ", not of " + name(asked)).c_str());
}

}  // namespace alacarte
