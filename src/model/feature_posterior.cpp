#include "model/feature_posterior.hpp"

#include <cmath>

#include "linalg/dense.hpp"

namespace alacarte {

FeaturePosterior::FeaturePosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, FeatureState state)
    : features_(std::move(map), theta), state_(std::move(state)), mean_(prepared().linear_predictor(state_.weights)) {}

// The mean always comes from the fused predictor, even if features are formed for the variance, so it does not depend
// on whether the variance is requested.
void FeaturePosterior::predict(const InputView& x, VecRef mean, VecRef variance) const {
  require(mean.size() == x.rows() && (variance.size() == 0 || variance.size() == x.rows()),
          "predict: one mean and variance for each row");
  if (variance.size() > 0) need_variance(*this);
  mean.setConstant(state_.scalars.offset);
  for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
    const Index rows = std::min(kPosteriorRows, x.rows() - first);
    mean_->add(x.middle_rows(first, rows), mean.segment(first, rows));
    prepared().add_residual_mean(x.middle_rows(first, rows), mean.segment(first, rows));
    if (!features_.near(x.middle_rows(first, rows))) mend_means(x.middle_rows(first, rows), mean.segment(first, rows));
  }
  if (variance.size() == 0) return;
  Matrix buffer(std::min(kPosteriorRows, x.rows()), map().feature_count());
  Vector residual(buffer.rows());
  for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
    const Index rows = std::min(kPosteriorRows, x.rows() - first);
    MatRef psi = buffer.topRows(rows);
    const Vector lost = features_.forward(x.middle_rows(first, rows), psi);
    residual.setZero();
    prepared().add_residual_variance(x.middle_rows(first, rows), psi, residual.head(rows));
    variance_of(psi, state_.centre, variance.segment(first, rows));
    variance.segment(first, rows).array() += state_.scalars.constant_variance;
    variance.segment(first, rows) += residual.head(rows);
    if (lost.size() > 0) variance.segment(first, rows) += lost;
  }
}

// Corrects the means of rows that are out of digits, which the fused predictor ignores.
void FeaturePosterior::mend_means(const InputView& x, VecRef mean) const {
  Matrix psi(x.rows(), map().feature_count());
  const Vector lost = features_.forward(x, psi);
  if (lost.size() == 0) return;
  Vector residual = Vector::Zero(x.rows());
  prepared().add_residual_mean(x, residual);
  for (Index i = 0; i < lost.size(); ++i)
    if (lost[i] > 0) mean[i] = state_.scalars.offset + psi.row(i).dot(state_.weights) + residual[i];
}

FunctionPosterior::Moments FeaturePosterior::predict_one(ConstVec x, VecRef work, bool variance) const {
  require(x.size() == map().input_count() && work.size() >= one_row_work(), "predict_one: inputs or work space");
  if (variance) need_variance(*this);
  const Eigen::Map<const Matrix> row(x.data(), 1, x.size());
  Moments moments{state_.scalars.offset, 0};
  if (!features_.near(row)) {
    Eigen::Map<Vector> value(&moments.variance, variance ? 1 : 0);
    predict(row, Eigen::Map<Vector>(&moments.mean, 1), value);
    return moments;
  }
  mean_->add(row, Eigen::Map<Vector>(&moments.mean, 1));
  prepared().add_residual_mean(row, Eigen::Map<Vector>(&moments.mean, 1));
  if (!variance) return moments;
  VecRef psi = work.head(map().feature_count());
  Eigen::Map<Matrix> features(psi.data(), 1, psi.size());
  prepared().forward(row, features);
  double residual = 0;
  prepared().add_residual_variance(row, features, Eigen::Map<Vector>(&residual, 1));
  moments.variance = variance_of_one(psi, work.segment(psi.size(), extra_work())) + state_.scalars.constant_variance;
  moments.variance += residual;
  return moments;
}

// The posterior of one term is that of features whose other terms stay at the centre.
std::vector<FunctionPosterior::TermMoments> FeaturePosterior::term_moments(const InputView& x, int) const {
  need_variance(*this);
  std::vector<TermMoments> all;
  Matrix none;
  const Matrix psi = features(x, none);
  for (const auto& term : map().terms()) {
    const auto own = psi.middleCols(term.first, term.count);
    TermMoments moments{term.model, own.rowwise().squaredNorm(), own * state_.weights.segment(term.first, term.count),
                        Vector(x.rows())};
    Matrix masked = state_.centre.transpose().replicate(x.rows(), 1);
    masked.middleCols(term.first, term.count) = own;
    variance_of(masked, state_.centre, moments.variance);
    all.push_back(std::move(moments));
  }
  return all;
}

// The derivative of f is that of psi times the weights; the offset and the constant drop out.
void FeaturePosterior::predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                                        MatRef variances) const {
  check_tangents(*this, x, directions, means, variances);
  const Index maximum = std::min(kPosteriorRows, x.rows());
  Matrix features(maximum, map().feature_count()), tangents(maximum, map().feature_count());
  Matrix x_dot(maximum, map().input_count());
  const Vector zero = Vector::Zero(map().feature_count());
  for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
    const Index rows = std::min(kPosteriorRows, x.rows() - first);
    const InputView chunk = x.middle_rows(first, rows);
    const Vector lost = features_.forward(chunk, features.topRows(rows));
    if (lost.size() > 0 && (lost.array() > 0).any())
      throw NumericalError("derivative", "there is none where a row is so far out that its phases have no digits");
    for (Index k = 0; k < directions; ++k) {
      direction(k, first, x_dot.topRows(rows));
      prepared().forward_tangent(chunk, features.topRows(rows), x_dot.topRows(rows), tangents.topRows(rows));
      means.col(k).segment(first, rows).noalias() = tangents.topRows(rows) * state_.weights;
      if (variances.size() == 0) continue;
      Vector residual = Vector::Zero(rows);
      prepared().add_residual_tangent_variance(chunk, x_dot.topRows(rows), tangents.topRows(rows), residual);
      variance_of(tangents.topRows(rows), zero, variances.col(k).segment(first, rows));
      variances.col(k).segment(first, rows) += residual;
    }
  }
}

// f = offset + psi^T w + constant, so the features enter by their weighted sum and the rest by the sum of the weights.
FunctionPosterior::Moments FeaturePosterior::functional(const InputView& x, ConstVec weights, bool variance) const {
  require(weights.size() == x.rows(), "functional: one weight for each row");
  if (variance) need_variance(*this);
  Matrix sum = Matrix::Zero(1, map().feature_count());
  Matrix psi(std::min(kPosteriorRows, x.rows()), map().feature_count());
  double lost = 0;
  for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
    const Index rows = std::min(kPosteriorRows, x.rows() - first);
    const Vector far = features_.forward(x.middle_rows(first, rows), psi.topRows(rows));
    sum.noalias() += weights.segment(first, rows).transpose() * psi.topRows(rows);
    if (far.size() > 0) lost += far.cwiseSqrt().dot(weights.segment(first, rows));
  }
  const double total = weights.sum();
  Moments moments{total * state_.scalars.offset + sum.row(0).dot(state_.weights), 0};
  if (map().has_residual()) {
    Vector mean(x.rows()), none(0);
    predict(x, mean, none);
    moments.mean = weights.dot(mean);
  }
  if (!variance) return moments;
  Vector value(1);
  variance_of(sum, total * state_.centre, value);
  moments.variance = value[0] + total * total * state_.scalars.constant_variance + lost * lost;
  if (map().has_residual()) moments.variance += residual_of(x, weights);
  return moments;
}

double FeaturePosterior::residual_of(const InputView& x, ConstVec weights) const {
  Matrix psi(x.rows(), map().feature_count()), covariance = Matrix::Zero(x.rows(), x.rows());
  features_.forward(x, psi);
  prepared().add_residual_covariance(x, psi, covariance);
  mirror_lower(covariance);
  return std::max(0.0, weights.dot(covariance * weights));
}

Matrix FeaturePosterior::features(const InputView& x, MatRef covariance) const {
  Matrix psi(x.rows(), map().feature_count());
  const Vector lost = features_.forward(x, psi).cwiseSqrt();
  if (lost.size() > 0 && covariance.size() > 0) covariance.noalias() += lost * lost.transpose();
  return psi;
}

double FeaturePosterior::draw_constant(RandomStream& stream) const {
  return std::sqrt(state_.scalars.constant_variance) * stream.normal();
}

Matrix FeaturePosterior::functions(const InputView& x, Matrix errors, Vector constants, RandomStream& stream) const {
  constants.array() += state_.scalars.offset;
  constants -= errors.transpose() * state_.centre;
  errors.colwise() += state_.weights;
  Matrix result(x.rows(), errors.cols());
  Matrix psi(x.rows(), errors.rows());
  const Vector lost = features_.forward(x, psi).cwiseSqrt();
  gemm(1.0, psi, Op::none, errors, Op::none, 0.0, result);
  result.rowwise() += constants.transpose();
  if (lost.size() > 0) result.noalias() += lost * stream.normals(errors.cols()).transpose();
  return result;
}

}  // namespace alacarte
