// Nystrom: psi(x) = L^-1 k(Z, x) with K_ZZ = L L^T, so psi(x).psi(x') = k(x, Z) K_ZZ^-1 k(Z, x'), the best
// approximation of k in the span of k(z, .) (Williams and Seeger 2001). The landmarks Z are training rows and stay.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/config_at.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "alacarte/linalg/dense.hpp"
#include "features/landmarks.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

// Smooth kernels are singular to rounding on close landmarks. This share of the diagonal, as much as the least noise a
// recipe has, keeps L^-1 in the range of doubles; being a fixed share, it has a derivative.
constexpr double kLandmarkRidge = 1e-6;

class PreparedNystrom final : public PreparedMap {
 public:
  PreparedNystrom(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const Matrix> landmarks, Vector theta)
      : kernel_(std::move(kernel)), landmarks_(std::move(landmarks)), theta_(std::move(theta)) {
    const Index m = landmarks_->rows();
    gram_.resize(m, m);
    kernel_->gram(theta_, *landmarks_, *landmarks_, gram_);
    factor_ = gram_;
    factor_.diagonal() *= 1 + kLandmarkRidge;
    safe_cholesky(factor_, "Cholesky factor of the landmarks");
  }

  void forward(const InputView& rows, FeatureBlock features) const override {
    ConstMat x = rows.dense();
    MatRef psi = features.dense();
    require(x.cols() == landmarks_->cols() && psi.rows() == x.rows() && psi.cols() == landmarks_->rows(),
            "feature map: shapes");
    if (x.rows() == 1) return forward_point(x, psi);
    kernel_->gram(theta_, x, *landmarks_, psi);
    solve_lower_right(factor_, Op::transpose, psi);
  }

  // psi = C L^-T: C_bar = psi_bar L^-1, and what L needs of the rows is psi_bar^T psi.
  void backward(const InputView& rows, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    ConstMat x = rows.dense();
    const Index n = x.rows(), m = landmarks_->rows(), p = theta_.size();
    require(x.cols() == landmarks_->cols() && psi.rows() == n && psi.cols() == m && psi_bar.rows() == n &&
                psi_bar.cols() == m && sums.size() == accumulator_size(),
            "feature map: shapes");
    double* work = thread_work<PreparedNystrom>(2 * n * m);
    Eigen::Map<Matrix> cross(work, n, m), cross_bar(work + n * m, n, m);
    kernel_->gram(theta_, x, *landmarks_, cross);
    cross_bar = psi_bar;
    solve_lower_right(factor_, Op::none, cross_bar);
    kernel_->backward_cross(theta_, x, *landmarks_, cross, cross_bar, sums.head(p));
    gemm(1, psi_bar, Op::transpose, psi, Op::none, 1, Eigen::Map<Matrix>(sums.data() + p, m, m));
  }

  /// The kernel's own gradient from C, and psi_bar^T psi.
  Index accumulator_size() const override { return theta_.size() + landmarks_->rows() * landmarks_->rows(); }

  // L^T L_bar = -psi_bar^T psi; the adjoint of the Cholesky factor takes its lower half, the diagonal halved (Smith
  // 1995): K_bar = L^-T half(L^T L_bar) L^-1, made symmetric.
  void finish(ConstVec sums, VecRef theta_bar) const override {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    const Index m = landmarks_->rows(), p = theta_.size();
    theta_bar += sums.head(p);
    Matrix bar = Matrix::Zero(m, m);
    bar.triangularView<Eigen::Lower>() = -Eigen::Map<const Matrix>(sums.data() + p, m, m);
    bar.diagonal() *= 0.5;
    solve_lower_right(factor_, Op::none, bar);
    solve_lower(factor_, Op::transpose, bar);
    Matrix gram_bar = 0.5 * (bar + bar.transpose());
    gram_bar.diagonal() *= 1 + kLandmarkRidge;
    kernel_->backward(theta_, *landmarks_, gram_, gram_bar, theta_bar);
  }

 private:
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
  Matrix gram_, factor_;  // (m, m)
};

class NystromMap final : public FeatureMap {
 public:
  NystromMap(std::shared_ptr<const Kernel> kernel, Matrix landmarks)
      : kernel_(std::move(kernel)), landmarks_(std::make_shared<Matrix>(std::move(landmarks))) {
    layout_.append(kernel_->parameters(), "nystrom.");
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return landmarks_->cols(); }
  Index feature_count() const override { return landmarks_->rows(); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the feature map");
    return std::make_unique<PreparedNystrom>(kernel_, landmarks_, theta);
  }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return inside_bounds(layout_, kernel_->start(statistics, k, stream));
  }
  nlohmann::json describe(ConstVec theta) const override {
    nlohmann::json report = kernel_->describe(theta);
    report["landmarks"] = landmarks_->rows();
    return report;
  }
  FrequencyRows frequencies(ConstVec) const override { return {}; }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "landmarks", *landmarks_);
  }
  // K_ZZ and its factor, their cotangents, and the threads' psi_bar^T psi with their sum.
  double work_bytes(int threads) const override {
    const double m = static_cast<double>(feature_count());
    return 8 * m * m * (5 + static_cast<double>(threads));
  }
  double flops_per_row() const override {
    const double m = static_cast<double>(feature_count()), d = static_cast<double>(input_count());
    return 4 * m * m + m * (11 * d + 80);
  }

 private:
  std::shared_ptr<const Kernel> kernel_;
  std::shared_ptr<const Matrix> landmarks_;
  ParameterLayout layout_;
};

std::shared_ptr<const Kernel> kernel_of(const Recipe& recipe, Index inputs) {
  if (recipe.terms.size() != 1)
    throw ConfigError("/terms", "nystrom takes one kernel; 'exact-sum' and 'exact-product' make one of several");
  const Recipe& term = recipe.terms.front();
  const KernelEntry* entry = find_kernel(term.model);
  if (entry == nullptr) throw ConfigError("/terms/0/model", fmt::format("there is no exact kernel '{}'", term.model));
  return config_at("/terms/0", [&] { return entry->make(term, inputs); });
}

MapPointer make_nystrom(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                        const TrainingStatistics& statistics) {
  require(inputs > 0 && recipe.features.frequencies > 0, "a feature map needs inputs and frequencies");
  auto kernel = kernel_of(recipe, inputs);
  Matrix landmarks =
      choose_landmarks(recipe.features.landmarks, *kernel, statistics, recipe.features.frequencies, streams);
  return std::make_unique<NystromMap>(std::move(kernel), std::move(landmarks));
}

MapPointer load_nystrom(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  Matrix landmarks = bundle.matrix(prefix + "landmarks", -1, inputs);
  if (landmarks.rows() < 1) throw IoError("model file", "tensor '" + prefix + "landmarks' has no rows");
  return std::make_unique<NystromMap>(kernel_of(recipe, inputs), std::move(landmarks));
}

}  // namespace

FeatureMapEntry nystrom_entry() {
  return {
      {.name = "nystrom",
       .description = "Nystrom approximation of an exact kernel, the one of terms, on landmark rows.",
       .formula = "k(x, x') ~ k(x, Z) K_ZZ^-1 k(Z, x');  psi(x) = L^-1 k(Z, x),  L L^T = K_ZZ, Z up to "
                  "features.frequencies training rows",
       .cost = "features n m (10 d + m), since differences are no matrix product; D = m; memory 2 m^2 + m d, and m^2 "
               "for the gradient of each thread",
       .reference = "Williams and Seeger 2001; landmarks: Arthur and Vassilvitskii 2007 (kmeans: D^2 sampling), "
                    "Alaoui and Mahoney 2015 (leverage)",
       .accuracy = "never above k(x, x), exact at the landmarks (to a ridge of 1e-6 of the variance)",
       .fixed = "the landmarks stay the rows they were chosen as",
       .keys = {"features.frequencies", "features.landmarks", "terms"},
       .recipe =
           R"({"model": "nystrom", "features": {"frequencies": 512, "landmarks": "kmeans"}, "terms": [{"model": "exact-ard"}]})"},
      make_nystrom,
      load_nystrom};
}

}  // namespace alacarte
