#pragma once
// Features at landmarks Z of an exact kernel, with their gradient.
#include <memory>

#include "alacarte/kernel/kernel.hpp"
#include "features/maps.hpp"
#include "features/thread_work.hpp"
#include "linalg/dense.hpp"

namespace alacarte {

// Relative ridge. Smooth kernels are singular to rounding on close landmarks; this share of the diagonal, the smallest
// noise of a recipe, keeps L^-1 in the range of doubles. A fixed share has a derivative.
inline constexpr double kLandmarkRidge = 1e-6;

/// psi(x) = L^-1 k(Z, x), L L^T = k(Z, Z) with its diagonal raised by `ridge` of itself and, if that does not factor,
/// by the jitter of safe_cholesky(); Z the landmarks (m, d).
class PreparedNystrom : public PreparedDense {
 public:
  PreparedNystrom(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const Matrix> landmarks, Vector theta,
                  double ridge = kLandmarkRidge)
      : PreparedDense(landmarks->cols(), landmarks->rows(), theta.size() + landmarks->rows() * landmarks->rows()),
        kernel_(std::move(kernel)),
        landmarks_(std::move(landmarks)),
        theta_(std::move(theta)),
        ridge_(ridge) {
    const Index m = landmarks_->rows();
    factor_.resize(m, m);
    kernel_->gram(theta_, *landmarks_, *landmarks_, factor_);
    factor_.diagonal() *= 1 + ridge_;
    const double level = factor_.diagonal().mean();
    jitter_share_ = safe_cholesky(factor_, "Cholesky factor of the landmarks") / level;
  }

 protected:
  const Kernel& kernel() const { return *kernel_; }
  const Matrix& landmarks() const { return *landmarks_; }
  const Matrix& factor() const { return factor_; }  ///< L
  const Vector& theta() const { return theta_; }

 private:
  void compute(ConstMat x, MatRef psi) const override {
    if (x.rows() == 1) return forward_point(x, psi);
    kernel_->gram(theta_, x, *landmarks_, psi);
    solve_lower_right(factor_, Op::transpose, psi);
  }

  void tangent(ConstMat x, ConstMat, ConstMat x_dot, MatRef psi_dot) const override {
    kernel_->tangent(theta_, x, x_dot, *landmarks_, psi_dot);
    solve_lower_right(factor_, Op::transpose, psi_dot);
  }

  // Adds the kernel's own gradient from C, and psi_bar^T psi. psi = C L^-T, C_bar = psi_bar L^-1; L needs the latter.
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index n = x.rows(), m = landmarks_->rows(), p = theta_.size();
    double* work = thread_work<PreparedNystrom>(2 * n * m);
    Eigen::Map<Matrix> cross(work, n, m), cross_bar(work + n * m, n, m);
    kernel_->gram(theta_, x, *landmarks_, cross);
    cross_bar = psi_bar;
    solve_lower_right(factor_, Op::none, cross_bar);
    kernel_->backward_cross(theta_, x, *landmarks_, cross, cross_bar, sums.head(p));
    gemm(1, psi_bar, Op::transpose, psi, Op::none, 1, Eigen::Map<Matrix>(sums.data() + p, m, m));
  }

  // Uses L^T L_bar = -psi_bar^T psi; the adjoint of the Cholesky factor takes its lower half, the diagonal halved
  // (Smith 1995): K_bar = L^-T half(L^T L_bar) L^-1, symmetrised.
  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Index m = landmarks_->rows(), p = theta_.size();
    theta_bar += sums.head(p);
    Matrix bar = Matrix::Zero(m, m);
    bar.triangularView<Eigen::Lower>() = -Eigen::Map<const Matrix>(sums.data() + p, m, m);
    bar.diagonal() *= 0.5;
    solve_lower_right(factor_, Op::none, bar);
    solve_lower(factor_, Op::transpose, bar);
    Matrix gram_bar = 0.5 * (bar + bar.transpose());
    if (jitter_share_ > 0) gram_bar.diagonal().array() += jitter_share_ * gram_bar.trace() / static_cast<double>(m);
    gram_bar.diagonal() *= 1 + ridge_;
    kernel_->gram(theta_, *landmarks_, *landmarks_, bar);
    kernel_->backward(theta_, *landmarks_, bar, gram_bar, theta_bar);
  }

  void forward_point(ConstMat x, MatRef psi) const {
    const Index d = x.cols(), m = landmarks_->rows();
    double* work = thread_work<PreparedNystrom>(d + m);
    Eigen::Map<Vector> point(work, d), values(work + d, m);
    point = x.row(0).transpose();
    kernel_->row(theta_, point, *landmarks_, values);
    solve_lower_vector(factor_, Op::none, values);
    psi.row(0) = values.transpose();
  }

  std::shared_ptr<const Kernel> kernel_;
  std::shared_ptr<const Matrix> landmarks_;
  Vector theta_;
  double ridge_, jitter_share_ = 0;  // jitter of the factorisation, a share of the mean diagonal
  Matrix factor_;                    // L (m, m)
};

/// Estimates FeatureMap::work_bytes() of a map with landmarks: K_ZZ and its factor, their cotangents, each thread's
/// psi_bar^T psi.
inline double landmark_bytes(Index landmarks, int threads) {
  const double m = static_cast<double>(landmarks);
  return 8 * m * m * (5 + static_cast<double>(threads));
}

inline double landmark_flops(Index landmarks, Index inputs) {
  const double m = static_cast<double>(landmarks);
  return 4 * m * m + m * (11 * static_cast<double>(inputs) + 80);
}

}  // namespace alacarte
