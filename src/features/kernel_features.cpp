#include "features/kernel_features.hpp"

#include <mutex>

#include "alacarte/core/threads.hpp"
#include "features/nystrom.hpp"

namespace alacarte {
namespace {

// Relative ridge, far below what the evidence can resolve; multiplied by ten as long as rounding prevents factoring.
constexpr double kKernelRidge = 1e-12;

// Uses one BLAS thread for the stored factor: a loaded posterior computes it again with the same bits.

/// Features of all training rows, with their residual variance.
class PreparedKernelFeatures final : public PreparedNystrom {
 public:
  PreparedKernelFeatures(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const Matrix> rows, Vector theta)
      : PreparedNystrom(std::move(kernel), std::move(rows), std::move(theta), kKernelRidge) {}

  // Uses psi^T w = k(x, X) L^-T w, one solve for all rows (L^-T w is the gradient of log p in equation 3.21 of
  // Rasmussen and Williams 2006).
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType) const override {
    const BlasThreads single(1);
    Matrix alpha = weights;
    solve_lower(factor(), Op::transpose, alpha);
    return std::make_unique<Predictor>(*this, alpha.col(0));
  }

  void add_residual_variance(const InputView& rows, ConstMat psi, VecRef variance) const override {
    Eigen::Map<Vector> prior(thread_work<PreparedKernelFeatures>(rows.rows()), rows.rows());
    kernel().diagonal(theta(), rows.dense(), prior);
    variance.array() += (prior - psi.rowwise().squaredNorm()).array().max(0.0);
  }
  void add_residual_tangent_variance(const InputView& rows, ConstMat x_dot, ConstMat psi_dot,
                                     VecRef variance) const override {
    Eigen::Map<Vector> prior(thread_work<PreparedKernelFeatures>(rows.rows()), rows.rows());
    kernel().tangent_variance(theta(), rows.dense(), x_dot, prior);
    variance.array() += (prior - psi_dot.rowwise().squaredNorm()).array().max(0.0);
  }
  void add_residual_covariance(const InputView& rows, ConstMat psi, MatRef covariance) const override {
    Matrix prior(rows.rows(), rows.rows());
    kernel().gram(theta(), rows.dense(), rows.dense(), prior);
    covariance += prior;
    syrk_lower(-1.0, psi, Op::none, 1.0, covariance);
  }

 private:
  class Predictor final : public LinearPredictor {
   public:
    Predictor(const PreparedKernelFeatures& map, Vector alpha) : map_(map), alpha_(std::move(alpha)) {}

    void add(const InputView& rows, VecRef f) const override {
      constexpr Index kRows = 64;
      ConstMat x = rows.dense();
      require(x.cols() == map_.landmarks().cols() && f.size() == x.rows(), "linear predictor: shapes");
      for (Index first = 0; first < x.rows(); first += kRows) {
        const Index count = std::min(kRows, x.rows() - first);
        auto cross = thread_matrix<Predictor>(count, alpha_.size());
        map_.kernel().gram(map_.theta(), x.middleRows(first, count), map_.landmarks(), cross);
        f.segment(first, count).noalias() += cross * alpha_;
      }
    }

   private:
    const PreparedKernelFeatures& map_;
    Vector alpha_;  // L^-T w
  };
};

class KernelFeatures final : public FeatureMap {
 public:
  KernelFeatures(std::shared_ptr<const Kernel> kernel, Index n, std::function<Matrix()> read)
      : kernel_(std::move(kernel)), count_(n), read_rows_(std::move(read)) {}

  const ParameterLayout& parameters() const override { return kernel_->parameters(); }
  Index input_count() const override { return kernel_->input_count(); }
  Index feature_count() const override { return count_; }
  bool has_residual() const override { return true; }
  bool has_tangent() const override { return kernel_->has_tangent(); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == parameters().size(), "theta does not fit the feature map");
    const BlasThreads single(1);
    return std::make_unique<PreparedKernelFeatures>(kernel_, rows(), theta);
  }
  Vector start(const TrainingStatistics& view, Index k, RandomStream& stream) const override {
    return kernel_->start(view, k, stream);
  }
  KernelDescription describe(ConstVec theta) const override { return kernel_->describe(theta); }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "training_inputs", *rows());
  }
  double work_bytes(int threads) const override {
    return landmark_bytes(feature_count(), threads) + 8 * static_cast<double>(feature_count() * input_count());
  }
  double flops_per_row() const override { return landmark_flops(feature_count(), input_count()); }

 private:
  const std::shared_ptr<const Matrix>& rows() const {
    std::call_once(read_, [&] {
      rows_ = std::make_shared<const Matrix>(read_rows_());
      require(count_ > 0 && rows_->rows() == count_ && rows_->cols() == input_count(),
              "rows and inputs of the kernel do not fit");
      read_rows_ = nullptr;  // a posterior outlives its training rows
    });
    return rows_;
  }

  std::shared_ptr<const Kernel> kernel_;
  Index count_;
  mutable std::once_flag read_;
  mutable std::function<Matrix()> read_rows_;
  mutable std::shared_ptr<const Matrix> rows_;
};

}  // namespace

std::shared_ptr<const FeatureMap> make_kernel_features(std::shared_ptr<const Kernel> kernel, Index n,
                                                       std::function<Matrix()> read) {
  return std::make_shared<KernelFeatures>(std::move(kernel), n, std::move(read));
}

std::shared_ptr<const FeatureMap> make_kernel_features(std::shared_ptr<const Kernel> kernel, Matrix rows) {
  require(rows.rows() > 0 && rows.cols() == kernel->input_count(), "rows and inputs of the kernel do not fit");
  const Index n = rows.rows();
  return make_kernel_features(std::move(kernel), n, [rows = std::move(rows)] { return rows; });
}

}  // namespace alacarte
