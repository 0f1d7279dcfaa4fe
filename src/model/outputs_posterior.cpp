// K functions over the same features: the posterior of softmax by Laplace's approximation.
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/model/likelihood.hpp"
#include "linalg/dense.hpp"
#include "model/bounded_features.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

class OutputsPosterior final : public Posterior {
 public:
  OutputsPosterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, OutputsState state)
      : features_(std::move(map), theta), state_(std::move(state)), inverse_(state_.factor) {
    if (inverse_.size() == 0) return;
    const BlasThreads single(1);  // the bits must not depend on how many there are
    const Index size = inverse_.rows();
    for (Index first = 0; first < inverse_.cols(); first += size) {
      auto factor = inverse_.middleCols(first, size);
      invert_lower(factor);
      factor.triangularView<Eigen::StrictlyUpper>().setZero();
    }
  }

  Index outputs() const override { return state_.weights.cols(); }
  bool has_variance() const override { return inverse_.size() > 0; }

  void predict_outputs(const InputView& x, MatRef means, MatRef covariances) const override {
    require(means.rows() == x.rows() && means.cols() == outputs() &&
                (covariances.size() == 0 ||
                 (covariances.rows() == x.rows() && covariances.cols() == pair_count(outputs()))),
            "predict_outputs: one mean for each row and output");
    if (covariances.size() > 0 && !has_variance())
      throw NumericalError("prediction", "this model was saved without its variances");
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      Vector lost;
      const Matrix psi = features(x.middle_rows(first, rows), lost);
      gemm(1.0, psi, Op::none, state_.weights, Op::none, 0.0, means.middleRows(first, rows));
      if (covariances.size() == 0) continue;
      if (lost.size() == 0) lost = Vector::Zero(rows);
      features_.prepared().add_residual_variance(x.middle_rows(first, rows),
                                                 psi.rightCols(features_.map().feature_count()), lost);
      covariances_of(psi, lost, covariances.middleRows(first, rows));
    }
  }

  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    bundle.put(prefix + "output_weights", state_.weights);
    bundle.put_vector(prefix + "constant", Vector::Constant(1, state_.constant));
    if (features_.map().has_residual()) features_.map().save(bundle, prefix);
    if (!mean_only && has_variance()) put_factor(bundle, prefix, state_.factor);
  }

 private:
  Index width() const { return state_.weights.rows(); }
  bool joint() const { return state_.factor.rows() > width(); }

  /// Returns the constant and the features of x; lost: the variances that BoundedFeatures::forward() returns.
  Matrix features(const InputView& x, Vector& lost) const {
    Matrix psi(x.rows(), width());
    const Index constants = state_.constant > 0 ? 1 : 0;
    if (constants > 0) psi.col(0).setConstant(state_.constant);
    lost = features_.forward(x, psi.rightCols(width() - constants));
    return psi;
  }

  /// Computes covariances of outputs. residual (rows): independent variance of each output beyond its features.
  void covariances_of(ConstMat psi, ConstVec residual, MatRef covariances) const {
    if (joint())
      joint_covariances(psi, residual, covariances);
    else
      block_covariances(psi, residual, covariances);
  }

  // Let M_a = psi (L^-1)_a^T with L^-1 cut into the columns of each output; then C_ab = M_a M_b^T row by row. This
  // gives sums of squares on the diagonal, and a covariance of rank at most K however it is rounded.
  void joint_covariances(ConstMat psi, ConstVec residual, MatRef covariances) const {
    const Index count = outputs();
    std::vector<Matrix> parts;
    for (Index a = 0; a < count; ++a) {
      // Rows of L^-1 above the block are zero there.
      const Index below = (count - a) * width();
      parts.emplace_back(psi.rows(), below);
      gemm(1.0, psi, Op::none, inverse_.block(a * width(), a * width(), below, width()), Op::transpose, 0.0,
           parts.back());
    }
    for (Index b = 0; b < count; ++b)
      for (Index a = b; a < count; ++a) {
        const Matrix& own = parts[static_cast<std::size_t>(a)];
        covariances.col(packed_index(a, b, count)) =
            own.cwiseProduct(parts[static_cast<std::size_t>(b)].rightCols(own.cols())).rowwise().sum();
        if (a == b) covariances.col(packed_index(a, b, count)) += residual;
      }
  }

  // Computes sum_k v_k (e_k - 1/K) (e_k - 1/K)^T, v_k = psi B_k^-1 psi^T, which leaves out the sum of the outputs: no
  // class depends on it.
  void block_covariances(ConstMat psi, ConstVec residual, MatRef covariances) const {
    const Index count = outputs();
    const double share = 1 / static_cast<double>(count);
    Matrix variances(psi.rows(), count), whitened(psi.rows(), width());
    for (Index k = 0; k < count; ++k) {
      gemm(1.0, psi, Op::none, inverse_.middleCols(k * width(), width()), Op::transpose, 0.0, whitened);
      variances.col(k) = whitened.rowwise().squaredNorm() + residual;
    }
    const Vector mean = variances.rowwise().mean();
    for (Index b = 0; b < count; ++b)
      for (Index a = b; a < count; ++a) {
        auto pair = covariances.col(packed_index(a, b, count));
        pair = share * (mean - variances.col(a) - variances.col(b));
        if (a == b) pair += variances.col(a);
      }
  }

  BoundedFeatures features_;
  OutputsState state_;
  Matrix inverse_;  // inverse of each factor
};

}  // namespace

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, OutputsState state) {
  require(theta.size() >= map->parameters().size(), "theta does not fit the feature map");
  const Index width = map->feature_count() + (state.constant > 0 ? 1 : 0), outputs = state.weights.cols();
  require(state.weights.rows() == width && outputs > 1, "posterior weights do not fit the feature map");
  require(state.factor.size() == 0 || (state.factor.cols() == width * outputs &&
                                       (state.factor.rows() == width || state.factor.rows() == width * outputs)),
          "posterior factor does not fit the feature map");
  return std::make_unique<OutputsPosterior>(std::move(map), theta, std::move(state));
}

std::unique_ptr<Posterior> load_outputs_posterior(const TensorBundle& bundle, const std::string& prefix,
                                                  std::shared_ptr<const FeatureMap> map, ConstVec theta) {
  OutputsState state;
  state.constant = bundle.vector(prefix + "constant", 1)[0];
  if (state.constant < 0) throw IoError("model file", "tensor '" + prefix + "constant' is negative");
  const Index width = map->feature_count() + (state.constant > 0 ? 1 : 0);
  state.weights = bundle.matrix(prefix + "output_weights", width, -1);
  if (state.weights.cols() < 2) throw IoError("model file", "tensor '" + prefix + "output_weights' has one output");
  const std::string name = prefix + "factor";
  if (const auto found = bundle.tensors.find(name); found != bundle.tensors.end()) {
    const auto size = static_cast<Index>(found->second.f64.size());
    const Index outputs = state.weights.cols(), joint = width * outputs;
    state.factor =
        size == pair_count(joint) ? take_factor(bundle, prefix, joint) : take_factor(bundle, prefix, width, outputs);
  }
  return make_posterior(std::move(map), theta, std::move(state));
}

}  // namespace alacarte
