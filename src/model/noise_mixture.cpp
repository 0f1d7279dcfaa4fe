#include "model/noise_mixture.hpp"

#include <fmt/format.h>

namespace alacarte {

PredictiveDistribution with_noise_mixtures(ConstMat means, ConstMat variances, const std::vector<Matrix>& noise,
                                           double scale, ConstVec weights, const TargetTransform& transform) {
  require(static_cast<Index>(noise.size()) == means.cols() && weights.size() == means.cols(),
          "one noise and weight for each fit");
  Index count = 0;
  for (const Matrix& own : noise) count += own.rows();
  Matrix all_means(means.rows(), count), all_variances(means.rows(), count);
  Vector log_weights(count);
  Index at = 0;
  for (Index j = 0; j < means.cols(); ++j) {
    const Matrix& own = noise[static_cast<std::size_t>(j)];
    for (Index k = 0; k < own.rows(); ++k, ++at) {
      all_means.col(at) = means.col(j);
      all_variances.col(at) = variances.col(j).array() + own(k, 1) * scale * scale;
      log_weights[at] = std::log(weights[j]) + own(k, 0);
    }
  }
  log_weights.array() += std::log(static_cast<double>(count) / log_weights.array().exp().sum());
  Vector all_weights = log_weights.array().exp();
  return {std::move(all_means),  std::move(all_variances), true, std::move(all_weights), transform,
          std::move(log_weights)};
}

bool NoiseShape::operator==(const NoiseShape& other) const {
  return shares.size() == other.shares.size() && shares == other.shares && factors == other.factors;
}

std::string shape_text(const NoiseShape& shape) {
  if (shape.is_gaussian()) return "gaussian";
  std::string text = "standard deviations of";
  for (Index k = 0; k < shape.shares.size(); ++k)
    text += fmt::format("{} {:.2g} times ({:.3g} %{})", k > 0 ? "," : "", std::sqrt(shape.factors[k]),
                        100 * shape.shares[k], k > 0 ? "" : " of rows");
  return text;
}

Vector member_noise_variances(const FittedModel& model) {
  const double scale = model.standardizer.target_scale();
  Vector noise(static_cast<Index>(model.members.size()));
  for (Index j = 0; j < noise.size(); ++j)
    noise[j] = model.members[static_cast<std::size_t>(j)].posterior->noise_variance() * scale * scale;
  return noise;
}

Matrix shaped_noise(const Matrix& noise, const NoiseShape& shape) {
  if (shape.is_gaussian()) return noise;
  const Index parts = shape.factors.size();
  Matrix shaped(noise.rows(), noise.cols() * parts);
  for (Index j = 0; j < noise.cols(); ++j)
    for (Index k = 0; k < parts; ++k) shaped.col(j * parts + k) = shape.factors[k] * noise.col(j);
  return shaped;
}

PredictiveDistribution with_noise_shape(ConstMat means, ConstMat variances, const Matrix& noise,
                                        const NoiseShape& shape, ConstVec weights, const TargetTransform& transform) {
  if (shape.is_gaussian()) return {means, variances + noise, true, weights, transform};
  const Index parts = shape.factors.size();
  Matrix all_means(noise.rows(), noise.cols() * parts), all_variances = shaped_noise(noise, shape);
  Vector all_weights(all_means.cols());
  for (Index j = 0; j < noise.cols(); ++j)
    for (Index k = 0; k < parts; ++k) {
      all_means.col(j * parts + k) = means.col(j);
      all_variances.col(j * parts + k) += variances.col(j);
      all_weights[j * parts + k] = weights[j] * shape.shares[k];
    }
  all_weights *= static_cast<double>(all_weights.size()) / all_weights.sum();
  return {std::move(all_means), std::move(all_variances), true, std::move(all_weights), transform};
}

}  // namespace alacarte
