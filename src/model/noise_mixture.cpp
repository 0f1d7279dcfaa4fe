#include "model/noise_mixture.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {

PredictiveDistribution with_noise_mixtures(ConstMat means, ConstMat variances, const std::vector<Matrix>& noise,
                                           double scale, ConstVec weights) {
  require(static_cast<Index>(noise.size()) == means.cols() && weights.size() == means.cols(),
          "one noise and weight for each fit");
  Index count = 0;
  for (const Matrix& own : noise) count += own.rows();
  Matrix all_means(means.rows(), count), all_variances(means.rows(), count);
  Vector all_weights(count);
  Index at = 0;
  for (Index j = 0; j < means.cols(); ++j) {
    const Matrix& own = noise[static_cast<std::size_t>(j)];
    for (Index k = 0; k < own.rows(); ++k, ++at) {
      all_means.col(at) = means.col(j);
      all_variances.col(at) = variances.col(j).array() + own(k, 1) * scale * scale;
      all_weights[at] = weights[j] * own(k, 0);
    }
  }
  all_weights *= static_cast<double>(count) / all_weights.sum();
  return {std::move(all_means), std::move(all_variances), true, std::move(all_weights)};
}

}  // namespace alacarte
