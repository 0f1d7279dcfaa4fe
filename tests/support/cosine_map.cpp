#include "support/cosine_map.hpp"

#include <cmath>

namespace alacarte {
namespace {

class PreparedCosine final : public PreparedMap {
 public:
  PreparedCosine(Matrix weights, double scale) : weights_(std::move(weights)), scale_(scale) {}

  void forward(const InputView& rows, FeatureBlock features) const override {
    ConstMat x = rows.dense();
    MatRef psi = features.dense();
    const Matrix phase = x * weights_.transpose();
    psi.leftCols(phase.cols()) = scale_ * phase.array().cos();
    psi.rightCols(phase.cols()) = scale_ * phase.array().sin();
  }

  void backward(const InputView& rows, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    ConstMat x = rows.dense();
    const Index m = weights_.rows();
    const Matrix phase_bar =
        psi_bar.rightCols(m).cwiseProduct(psi.leftCols(m)) - psi_bar.leftCols(m).cwiseProduct(psi.rightCols(m));
    sums.head(x.cols()) += (phase_bar * weights_).cwiseProduct(x).colwise().sum().transpose();
    sums[x.cols()] += psi.cwiseProduct(psi_bar).sum();
  }

  Index accumulator_size() const override { return weights_.cols() + 1; }

  void finish(ConstVec sums, VecRef theta_bar) const override {
    theta_bar.head(weights_.cols()) -= sums.head(weights_.cols());
    theta_bar[weights_.cols() + 1] += sums[weights_.cols()];
  }

 private:
  Matrix weights_;
  double scale_;
};

}  // namespace

CosineMap::CosineMap(Index input_count, Index frequencies, std::uint64_t seed)
    : frequencies_(normal_matrix(frequencies, input_count, seed)) {
  layout_.add({.name = "test.log_lengthscale", .size = input_count});
  layout_.add({.name = "test.fixed", .trainable = false});
  layout_.add({.name = "test.log_amplitude"});
}

std::unique_ptr<PreparedMap> CosineMap::prepare(ConstVec theta) const {
  const Index d = frequencies_.cols();
  const Vector inverse = (-theta.head(d).array()).exp();
  const double scale = std::exp(theta[d + 1]) / std::sqrt(static_cast<double>(frequencies_.rows()));
  return std::make_unique<PreparedCosine>(frequencies_ * inverse.asDiagonal(), scale);
}

Vector CosineMap::start(const TrainingStatistics&, Index, RandomStream&) const { return Vector::Zero(layout_.size()); }

KernelDescription CosineMap::describe(ConstVec) const { return {}; }

FrequencyRows CosineMap::frequencies(ConstVec theta) const {
  const Index m = frequencies_.rows();
  return {frequencies_ * (-theta.head(frequencies_.cols()).array()).exp().matrix().asDiagonal(),
          Vector::Constant(m, 1.0 / static_cast<double>(m))};
}

void CosineMap::save(TensorBundle& bundle, const std::string& prefix) const {
  bundle.put(prefix + "frequencies", frequencies_);
}

Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix matrix(rows, cols);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = stream.normal();
  return matrix;
}

Vector smooth_target(ConstMat x, std::uint64_t seed) {
  RandomStream stream(seed);
  Vector y(x.rows());
  for (Index i = 0; i < y.size(); ++i) y[i] = 0.7 + std::sin(1.3 * x.row(i).sum()) + 0.2 * stream.normal();
  return y;
}

}  // namespace alacarte
