// Moments of a transformed target that a PredictiveDistribution does not have: those of one row without allocation, and
// covariances of rows.
#include "alacarte/model/fitted_model.hpp"
#include "model/posteriors.hpp"

namespace alacarte {

void FittedModel::undo_transform(double factor, OneRowPrediction& one, const Vector& weights) const {
  const double scale = standardizer.target_scale();
  const Index parts = factor > 0 ? std::max<Index>(1, noise_shape.shares.size()) : 1;
  double weight = 0, spread = 0;
  one.mean = 0;
  for (Index j = 0; j < one.component_means.size(); ++j) {
    // Variances hold the noise times its mean factor, in whose place each part of its shape has its own.
    const double unit = factor / noise_shape.mean_factor() *
                        members[static_cast<std::size_t>(j)].posterior->noise_variance() * scale * scale;
    for (Index k = 0; k < parts; ++k) {
      const bool is_shaped = factor > 0 && !noise_shape.is_gaussian();
      const double share = weights[j] * (is_shaped ? noise_shape.shares[k] : 1);
      const double more = is_shaped ? (noise_shape.factors[k] - noise_shape.mean_factor()) * unit : 0;
      const auto own =
          standardizer.transform().moments(one.component_means[j], std::max(0.0, one.component_variances[j] + more));
      const double step = own.mean - one.mean;
      weight += share;
      if (weight > 0) one.mean += share * step / weight;
      spread += share * (own.variance + step * (own.mean - one.mean));
    }
  }
  one.variance = spread / weight;
}

/// Uses that E exp(f_i + f_k) = exp(m_i + m_k + (c_ii + c_kk) / 2 + c_ik) for normal f. Independent noise multiplies an
/// expectation by its own.
Matrix FittedModel::log_normal_covariance(const InputView& raw, bool latent) const {
  const Standardized standardized = standardize(raw);
  const InputView x = standardized.view();
  const double scale = standardizer.target_scale(), share = 1.0 / static_cast<double>(members.size());
  const Matrix noise = latent ? Matrix() : noise_variances(raw);
  Vector all_means = Vector::Zero(x.rows()), none(0);
  Matrix result = Matrix::Zero(x.rows(), x.rows());
  std::vector<Vector> own_means;
  for (std::size_t j = 0; j < members.size(); ++j) {
    const FunctionPosterior& posterior = function_of(*members[j].posterior);
    const double weight = share * members[j].weight;
    Vector middle(x.rows());
    posterior.predict(x, middle, none);
    const Matrix covariance = scale * scale * posterior.covariance(x);
    Vector mean = (middle.array() * scale + standardizer.target_shift() + 0.5 * covariance.diagonal().array()).exp();
    // E e^2 over (E e)^2 of the noise factor e.
    Vector excess = Vector::Ones(x.rows());
    for (Index i = 0; !latent && i < x.rows(); ++i) {
      double first = 0, second = 0;
      for (Index k = 0; k < std::max<Index>(1, noise_shape.shares.size()); ++k) {
        const double part = noise_shape.is_gaussian() ? 1 : noise_shape.shares[k];
        const double own = (noise_shape.is_gaussian() ? 1 : noise_shape.factors[k]) * noise(i, static_cast<Index>(j));
        first += part * std::exp(0.5 * own);
        second += part * std::exp(2 * own);
      }
      mean[i] *= first;
      excess[i] = second / (first * first);
    }
    Matrix factors = covariance.unaryExpr([](double value) { return std::expm1(value); });
    factors.diagonal().array() = (factors.diagonal().array() + 1) * excess.array() - 1;
    result += weight * (mean.asDiagonal() * factors * mean.asDiagonal()).eval();
    all_means += weight * mean;
    own_means.push_back(std::move(mean));
  }
  for (std::size_t j = 0; j < members.size(); ++j) {
    const Vector step = own_means[j] - all_means;
    result += share * members[j].weight * step * step.transpose();
  }
  return result;
}

}  // namespace alacarte
