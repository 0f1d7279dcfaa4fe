// Predictions of observations whose noise is not that of weight 1.
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/likelihood.hpp"
#include "model/noise_mixture.hpp"

namespace alacarte {

Prediction with_weights(const Prediction& prediction, const Dataset& rows, const FittedModel& model) {
  return with_weights(prediction, rows.view(), rows.weights, model);
}

Prediction with_weights(const Prediction& prediction, const InputView& raw, ConstVec weights,
                        const FittedModel& model) {
  if (weights.size() == 0 || prediction.kind() != TargetKind::numbers || !likelihood_of(model.recipe).is_conjugate() ||
      !prediction.distribution().with_noise())
    return prediction;
  Matrix variances = prediction.distribution().component_variances();
  const Matrix noise = shaped_noise(model.noise_variances(raw), model.noise_shape);
  for (Index j = 0; j < variances.cols(); ++j)
    variances.col(j).array() += noise.col(j).array() * (1 / weights.array() - 1);
  return {PredictiveDistribution(prediction.distribution().component_means(), variances.cwiseMax(0), true,
                                 prediction.distribution().weights())};
}

}  // namespace alacarte
