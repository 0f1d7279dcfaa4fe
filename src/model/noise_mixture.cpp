#include "model/noise_mixture.hpp"

#include <fmt/format.h>
#include <cmath>
#include <tuple>

namespace alacarte {

PredictiveDistribution with_noise_mixtures(ConstMat means, ConstMat variances, const std::vector<NoiseMixture>& noise,
                                           double scale, ConstVec weights, const TargetTransform& transform) {
  require(static_cast<Index>(noise.size()) == means.cols() && weights.size() == means.cols(),
          "one noise and weight for each fit");
  const auto expanded = [&](Matrix NoiseMixture::*part, const auto& weight_of) {
    Index count = 0;
    for (const NoiseMixture& own : noise) count += (own.*part).rows();
    Matrix all_means(means.rows(), count), all_variances(means.rows(), count);
    Vector all_weights(count);
    Index at = 0;
    for (Index j = 0; j < means.cols(); ++j) {
      const Matrix& own = noise[static_cast<std::size_t>(j)].*part;
      for (Index k = 0; k < own.rows(); ++k, ++at) {
        all_means.col(at) = means.col(j);
        all_variances.col(at) = variances.col(j).array() + own(k, 1) * scale * scale;
        all_weights[at] = weight_of(weights[j], own(k, 0));
      }
    }
    return std::tuple(std::move(all_means), std::move(all_variances), std::move(all_weights));
  };
  auto [near_means, near_variances, near_weights] =
      expanded(&NoiseMixture::components, [](double weight, double share) { return weight * share; });
  const double unit = static_cast<double>(near_weights.size()) / near_weights.sum();
  near_weights *= unit;
  PredictiveDistribution law(std::move(near_means), std::move(near_variances), true, std::move(near_weights),
                             transform);
  auto [far_means, far_variances, far_logs] =
      expanded(&NoiseMixture::far, [](double weight, double log_share) { return std::log(weight) + log_share; });
  far_logs.array() += std::log(unit);
  law.add_far(std::move(far_means), std::move(far_variances), std::move(far_logs));
  return law;
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
