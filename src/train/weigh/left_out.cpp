#include "left_out.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "data/changed_rows.hpp"
#include "data/row_pass.hpp"
#include "model/noise_mixture.hpp"

namespace alacarte {
namespace {

// Rows that the prior of the weights counts as for each fit that rows are left out of one by one, or, in folds, for the
// fits of each model together.
constexpr double kLeftOutPriorRows = 6;
constexpr int kStackingRounds = 300;
constexpr double kMinShare = 0.01;  // smallest share of all weights that a fit is kept for
constexpr Index kRowsAtOnce = 64;   // rows that a thread takes at once

using Fits = std::vector<std::size_t>;

Fits fits_that_came_out(const LeftOutFits& fits) {
  Fits places;
  for (std::size_t k = 0; k < fits.outcomes.size(); ++k)
    if (fits.outcomes[k]) places.push_back(k);
  return places;
}

const Likelihood& likelihood_of_fit(const LeftOutFits& fits, std::size_t fit, std::unique_ptr<Likelihood>& owned) {
  return likelihood_at(fits.jobs[fit].recipe, fits.outcomes[fit]->likelihood_theta, owned);
}

std::optional<Prediction> left_out_numbers(const LeftOutFits& fits, const Fits& chosen, const Vector& weights) {
  const Index rows = fits.target.size(), count = static_cast<Index>(chosen.size());
  const Standardizer& standardizer = fits.model.standardizer;
  const double scale = standardizer.target_scale();
  Matrix means(rows, count), variances(rows, count);
  for (Index j = 0; j < count; ++j) {
    const LeaveOneOut& left_out = fits.outcomes[chosen[static_cast<std::size_t>(j)]]->leave_one_out;
    if (rows == 0 || left_out.mean.size() != rows) return std::nullopt;
    means.col(j) = (left_out.mean.array() * scale + standardizer.target_shift()).matrix();
    variances.col(j) = left_out.variance * (scale * scale);
  }
  if (!means.allFinite() || !variances.allFinite()) return std::nullopt;
  if (fits.model.target() == TargetKind::counts) {
    if (!(variances.array() >= 0).all()) return std::nullopt;
    if (fits.offsets.size() > 0) means.colwise() += fits.offsets;
    Vector dispersions(count);
    std::unique_ptr<Likelihood> owned;
    for (Index j = 0; j < count; ++j)
      dispersions[j] = likelihood_of_fit(fits, chosen[static_cast<std::size_t>(j)], owned).dispersion();
    return Prediction{CountDistribution(std::move(means), std::move(variances), weights, std::move(dispersions))};
  }
  if (!(variances.array() > 0).all()) return std::nullopt;
  if (!likelihood_of(fits.model.recipe).is_conjugate()) {
    std::vector<NoiseMixture> noise;
    std::unique_ptr<Likelihood> owned;
    for (const std::size_t fit : chosen) noise.push_back(likelihood_of_fit(fits, fit, owned).noise_mixture());
    return Prediction{with_noise_mixtures(means, variances, noise, scale, weights, standardizer.transform())};
  }
  return Prediction{
      PredictiveDistribution(std::move(means), std::move(variances), true, weights, standardizer.transform())};
}

std::optional<Prediction> left_out_classes(const LeftOutFits& fits, const Fits& chosen, const Vector& weights) {
  const Index classes = fits.model.schema.class_count();
  Matrix values = Matrix::Zero(fits.target.size(), classes);
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    const Matrix& own = fits.outcomes[chosen[j]]->class_values;
    if (own.rows() != values.rows()) return std::nullopt;
    values += weights[static_cast<Index>(j)] * own;
  }
  if (!values.allFinite()) return std::nullopt;
  values.array().colwise() /= values.rowwise().sum().array().eval();
  return Prediction{ClassPrediction{std::move(values)}};
}

std::optional<Prediction> left_out_of(const LeftOutFits& fits, const Fits& chosen, const Vector& weights) {
  if (fits.jobs.front().is_classifier()) return std::nullopt;
  if (fits.model.target() == TargetKind::classes) return left_out_classes(fits, chosen, weights);
  return left_out_numbers(fits, chosen, weights);
}

/// Groups the samples of the hyperparameters of one fit.
std::vector<Fits> joined_samples(const LeftOutFits& fits) {
  std::vector<Fits> joined;
  for (const std::size_t k : fits_that_came_out(fits)) {
    if (!fits.outcomes[k]->is_sample || joined.empty()) joined.emplace_back();
    joined.back().push_back(k);
  }
  return joined;
}

/// Spreads the weight of each fit over its samples; the weights then sum to the number of samples.
Vector shared_among_samples(const Vector& weights, const std::vector<Fits>& joined) {
  std::size_t count = 0;
  for (const Fits& samples : joined) count += samples.size();
  const double scale = static_cast<double>(count) / static_cast<double>(joined.size());
  Vector shared(static_cast<Index>(count));
  Index next = 0;
  for (std::size_t j = 0; j < joined.size(); ++j)
    for (std::size_t i = 0; i < joined[j].size(); ++i)
      shared[next++] = scale * weights[static_cast<Index>(j)] / static_cast<double>(joined[j].size());
  return shared;
}

/// Returns the scores (rows, fits); empty if a prediction does not exist.
Matrix scores_of_fits(const LeftOutFits& fits, const std::vector<Fits>& joined) {
  Matrix scores(fits.target.size(), static_cast<Index>(joined.size()));
  for (std::size_t j = 0; j < joined.size(); ++j) {
    const auto own = left_out_of(fits, joined[j], Vector::Ones(static_cast<Index>(joined[j].size())));
    if (!own) return {};
    scores.col(static_cast<Index>(j)) = log_scores(*own, fits.target);
  }
  return scores.allFinite() ? scores : Matrix();
}

/// Returns the log probabilities (all rows, fits) of weights "folds"; empty if a fit has none.
Matrix fold_scores(const LeftOutFits& fits) {
  const Fits places = fits_that_came_out(fits);
  Matrix scores(fits.fold_target.size(), static_cast<Index>(places.size()));
  for (std::size_t j = 0; j < places.size(); ++j) {
    const Matrix& own = fits.outcomes[places[j]]->fold_values;
    if (own.rows() != scores.rows() || own.rows() == 0 || !own.allFinite()) return {};
    scores.col(static_cast<Index>(j)) = log_scores(Prediction{ClassPrediction{own}}, fits.fold_target);
  }
  return scores;
}

/// Scales the weights of rows to counts whose mean is 1; empty: all 1.
Vector counts_of_rows(const Vector& weights, Index rows) {
  if (weights.size() == 0) return Vector::Ones(rows);
  return weights * (static_cast<double>(rows) / weights.sum());
}

/// Estimates the weights by expectation-maximisation: each row is shared among the fits in proportion to their
/// densities, and a weight is its fit's share of the rows.
Vector stacked_weights(const Matrix& scores, const Vector& counts, const Vector& prior) {
  const double n = static_cast<double>(scores.rows()), fits = static_cast<double>(scores.cols());
  const Matrix densities = (scores.colwise() - scores.rowwise().maxCoeff().eval()).array().exp();
  Vector weights = Vector::Ones(scores.cols());
  for (int round = 0; round < kStackingRounds; ++round) {
    const Vector mixed = densities * weights;
    const Vector shares = weights.cwiseProduct(densities.transpose() * counts.cwiseQuotient(mixed));
    weights = fits * (shares + prior) / (n + prior.sum());
  }
  return weights;
}

/// Returns the prior of weights by folds: the fits of one model share it, for they are right and wrong together.
Vector fold_prior(const LeftOutFits& fits) {
  const Fits places = fits_that_came_out(fits);
  Vector prior(static_cast<Index>(places.size()));
  for (std::size_t j = 0; j < places.size(); ++j) {
    const auto is_alike = [&](std::size_t k) { return fits.jobs[k].recipe.model == fits.jobs[places[j]].recipe.model; };
    const auto copies = std::count_if(places.begin(), places.end(), is_alike);
    prior[static_cast<Index>(j)] = kLeftOutPriorRows / static_cast<double>(copies);
  }
  return prior;
}

}  // namespace

Matrix left_out_class_values(const FitJob& job, const LeaveOneOut& left_out, Index classes, int threads) {
  if (job.is_classifier() || likelihood_of(job.recipe).target() != TargetKind::classes) return {};
  Matrix values(left_out.mean.rows(), classes);
  for_each_chunk(values.rows(), kRowsAtOnce, threads, [&](int, Index first, Index count) {
    values.middleRows(first, count) = class_values(job.recipe, left_out.mean.middleRows(first, count),
                                                   left_out.variance.middleRows(first, count), classes);
  });
  return values;
}

std::optional<Prediction> left_out_predictions(const LeftOutFits& fits, const Vector& weights) {
  return left_out_of(fits, fits_that_came_out(fits), weights);
}

Vector log_scores(const Prediction& prediction, const Vector& target) {
  if (prediction.kind() == TargetKind::numbers) return prediction.distribution().log_density(target);
  if (prediction.kind() == TargetKind::counts) return prediction.counts().log_probability(target);
  constexpr double kMinProbability = 1e-15;  // as in the log loss
  const Matrix& values = prediction.classes().values;
  Vector scores(target.size());
  for (Index i = 0; i < target.size(); ++i)
    scores[i] = std::log(std::max(kMinProbability, values(i, static_cast<Index>(target[i]))));
  return scores;
}

Vector mixture_weights(const LeftOutFits& fits) {
  const std::vector<Fits> joined = joined_samples(fits);
  Vector weights = Vector::Ones(static_cast<Index>(joined.size()));
  const FitWeights kind = fits.model.recipe.weights;
  if (kind == FitWeights::folds)
    if (const Matrix scores = fold_scores(fits); scores.size() > 0)
      return stacked_weights(scores, counts_of_rows(fits.fold_weights, scores.rows()), fold_prior(fits));
  if (kind != FitWeights::equal && kind != FitWeights::automatic) {
    if (const Matrix scores = scores_of_fits(fits, joined); scores.size() > 0) {
      const Vector counts = counts_of_rows(fits.row_weights, scores.rows());
      const bool by_held_out = kind != FitWeights::leave_one_out && fits.held_out;
      const double prior = (by_held_out ? 1 : kLeftOutPriorRows) * fits.prior_rows;
      weights = stacked_weights(scores, counts, Vector::Constant(scores.cols(), prior));
    }
  }
  return shared_among_samples(weights, joined);
}

Vector drop_negligible(const Vector& weights, const std::vector<FitJob>& jobs, FitOutcomes& outcomes,
                       std::vector<std::string>& notes) {
  std::vector<double> kept;
  Index next = 0;
  for (std::size_t k = 0; k < outcomes.size();) {
    const std::size_t first = k++;
    if (!outcomes[first]) continue;
    while (k < outcomes.size() && outcomes[k] && outcomes[k]->is_sample) ++k;
    const auto samples = static_cast<Index>(k - first);
    const Vector own = weights.segment(next, samples);
    next += samples;
    if (own.sum() >= kMinShare * weights.sum()) {
      kept.insert(kept.end(), own.begin(), own.end());
      continue;
    }
    notes.push_back(fmt::format("{} is dropped: rows that were left out give it {:.2g} of the weight", jobs[first].name,
                                own.sum() / weights.sum()));
    for (std::size_t i = first; i < k; ++i) outcomes[i].reset();
  }
  const Eigen::Map<const Vector> rest(kept.data(), static_cast<Index>(kept.size()));
  return rest * (static_cast<double>(kept.size()) / rest.sum());
}

std::vector<Index> draw_held_out(Index rows, std::uint64_t seed, Index most) {
  RandomStream stream = RandomStreams(seed).stream("held_out.rows");
  std::vector<Index> held = draw_rows(stream, rows, std::min(most, held_out_rows(rows)));
  std::sort(held.begin(), held.end());
  return held;
}

TrainingRows rows_seen(const TrainingRows& rows, const std::vector<Index>& held_out) {
  TrainingRows seen = rows;
  seen.held_out = gather_rows(*rows.source, held_out);
  seen.source = rows_without(rows.source, held_out);
  if (!rows.columns.empty()) seen.columns = rows.columns.of_rows(rows_but(rows.source->rows(), held_out));
  for (const double place : seen.held_out->y())
    if (!seen.classes.empty()) --seen.classes[static_cast<std::size_t>(place)];
  for (auto& [view, rest] : seen.views) rest = std::make_shared<TrainingRows>(rows_seen(*rest, held_out));
  return seen;
}

}  // namespace alacarte
