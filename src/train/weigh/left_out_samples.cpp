#include "left_out_samples.hpp"

#include <cmath>

namespace alacarte {
namespace {

/// Returns the places of as many samples as there are weights, spread evenly over their sum.
std::vector<Index> spread_evenly(const Vector& weights) {
  const Index count = weights.size();
  const double step = weights.sum() / static_cast<double>(count);
  std::vector<Index> places;
  double reached = weights[0];
  for (Index place = 0; static_cast<Index>(places.size()) < count;) {
    const double wanted = (static_cast<double>(places.size()) + 0.5) * step;
    if (wanted > reached && place + 1 < count)
      reached += weights[++place];
    else
      places.push_back(place);
  }
  return places;
}

/// Returns the weights of the samples in the posterior without a row that they predict with these means and variances.
Vector weights_without(double target, const Vector& mean, const Vector& variance) {
  const Vector log_weights = 0.5 * ((target - mean.array()).square() / variance.array() + variance.array().log());
  const Vector weights = (log_weights.array() - log_weights.maxCoeff()).exp();
  return weights.cwiseMin(weights.mean() * std::sqrt(static_cast<double>(weights.size())));
}

}  // namespace

void leave_rows_out_of_samples(ConstVec target, std::vector<FitOutcome>& samples) {
  const auto count = static_cast<Index>(samples.size());
  Matrix means(count, target.size()), variances(count, target.size());
  for (Index s = 0; s < count; ++s) {
    const LeaveOneOut& own = samples[static_cast<std::size_t>(s)].leave_one_out;
    if (own.mean.rows() != target.size() || own.mean.cols() != 1 || own.variance.cols() != 1) return;
    means.row(s) = own.mean.col(0).transpose();
    variances.row(s) = own.variance.col(0).transpose();
  }
  if (!means.allFinite() || !variances.allFinite() || !(variances.array() > 0).all()) return;
  for (Index i = 0; i < target.size(); ++i) {
    const std::vector<Index> places = spread_evenly(weights_without(target[i], means.col(i), variances.col(i)));
    for (Index s = 0; s < count; ++s) {
      LeaveOneOut& own = samples[static_cast<std::size_t>(s)].leave_one_out;
      own.mean(i, 0) = means(places[static_cast<std::size_t>(s)], i);
      own.variance(i, 0) = variances(places[static_cast<std::size_t>(s)], i);
    }
  }
}

}  // namespace alacarte
