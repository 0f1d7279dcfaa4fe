#include "left_out.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/eval/class_metrics.hpp"
#include "alacarte/model/likelihood.hpp"

namespace alacarte {
namespace {

// Leave-one-out scores know nothing of how far parameters were bent to the rows: they gain the weight below on this
// many rows, where it was better than equal weights on Table 1's small sets, and some of the weights stay equal.
constexpr double kTrustedRows = 700, kWeightPower = 10, kEqualShare = 0.2;

using Fits = std::vector<std::size_t>;

Fits fits_that_came_out(const LeftOutFits& fits) {
  Fits places;
  for (std::size_t k = 0; k < fits.outcomes.size(); ++k)
    if (fits.outcomes[k]) places.push_back(k);
  return places;
}

std::optional<Prediction> left_out_numbers(const LeftOutFits& fits, const Fits& chosen, const Vector& weights) {
  const Index rows = fits.target.size(), count = static_cast<Index>(chosen.size());
  const Standardizer& standardizer = fits.model.standardizer;
  const double scale = standardizer.target_scale();
  Matrix means(rows, count), variances(rows, count);
  for (Index j = 0; j < count; ++j) {
    const LeaveOneOut& left_out = fits.outcomes[chosen[static_cast<std::size_t>(j)]]->leave_one_out;
    if (left_out.mean.size() != rows) return std::nullopt;
    means.col(j) = (left_out.mean.array() * scale + standardizer.target_shift()).matrix();
    variances.col(j) = left_out.variance * (scale * scale);
  }
  if (!means.allFinite() || !variances.allFinite()) return std::nullopt;
  if (fits.model.target() == TargetKind::counts) {
    if (!(variances.array() >= 0).all()) return std::nullopt;
    return Prediction{CountDistribution(std::move(means), std::move(variances), weights)};
  }
  if (!(variances.array() > 0).all()) return std::nullopt;
  return Prediction{PredictiveDistribution(std::move(means), std::move(variances), true, weights)};
}

std::optional<Prediction> left_out_classes(const LeftOutFits& fits, const Fits& chosen, const Vector& weights) {
  const Index classes = fits.model.schema.class_count();
  Matrix values = Matrix::Zero(fits.target.size(), classes);
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    const LeaveOneOut& left_out = fits.outcomes[chosen[j]]->leave_one_out;
    if (left_out.mean.rows() != values.rows()) return std::nullopt;
    const Matrix own = class_values(fits.jobs[chosen[j]].recipe, left_out.mean, left_out.variance, classes);
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

double mean_log_score(const Prediction& prediction, const Vector& target, const Vector& weights) {
  const auto mean = [&](const Vector& scores) {
    return weights.size() == 0 ? scores.mean() : weights.dot(scores) / weights.sum();
  };
  if (prediction.kind() == TargetKind::numbers) return mean(prediction.distribution().log_density(target));
  if (prediction.kind() == TargetKind::counts) return mean(prediction.counts().log_probability(target));
  return -score_classes(prediction.classes().values, target, true, weights).log_loss;
}

}  // namespace

std::optional<Prediction> left_out_predictions(const LeftOutFits& fits, const Vector& weights) {
  return left_out_of(fits, fits_that_came_out(fits), weights);
}

Vector left_out_weights(const LeftOutFits& fits) {
  const Fits places = fits_that_came_out(fits);
  const Vector equal = Vector::Ones(static_cast<Index>(places.size()));
  Vector scores(equal.size());
  for (std::size_t j = 0; j < places.size(); ++j) {
    const auto own = left_out_of(fits, {places[j]}, Vector::Ones(1));
    if (!own) return equal;
    scores[static_cast<Index>(j)] = mean_log_score(*own, fits.target, fits.row_weights);
  }
  if (!scores.allFinite()) return equal;
  const double share = std::min(1.0, static_cast<double>(fits.target.size()) / kTrustedRows);
  const Vector weights = (kWeightPower * share * share * (scores.array() - scores.maxCoeff())).exp();
  const double scale = (1 - kEqualShare) * static_cast<double>(weights.size()) / weights.sum();
  return scale * weights + kEqualShare * equal;
}

}  // namespace alacarte
