// Nystrom: psi(x) = L^-1 k(Z, x) with K_ZZ = L L^T, so psi(x).psi(x') = k(x, Z) K_ZZ^-1 k(Z, x'), the best
// approximation of k in the span of k(z, .) (Williams and Seeger 2001). The landmarks Z are fixed training rows.
#include <fmt/format.h>
#include <cmath>
#include <mutex>
#include <numeric>

#include "alacarte/core/threads.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "core/config_at.hpp"
#include "features/kernel_features.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "linalg/dense.hpp"

namespace alacarte {
namespace {

// Relative ridge. Smooth kernels are singular to rounding on close landmarks; this share of the diagonal, the smallest
// noise of a recipe, keeps L^-1 in the range of doubles. A fixed share has a derivative.
constexpr double kLandmarkRidge = 1e-6;

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
double landmark_bytes(Index landmarks, int threads) {
  const double m = static_cast<double>(landmarks);
  return 8 * m * m * (5 + static_cast<double>(threads));
}

double landmark_flops(Index landmarks, Index inputs) {
  const double m = static_cast<double>(landmarks);
  return 4 * m * m + m * (11 * static_cast<double>(inputs) + 80);
}

constexpr Index kPilotRows = 500;
constexpr double kLeverageRidge = 1e-2;

std::vector<Index> kmeans_seeds(const Matrix& rows, const Vector& range, Index count, RandomStream& stream) {
  const Matrix scaled = rows * range.cwiseInverse().asDiagonal();
  std::vector<Index> chosen{static_cast<Index>(stream.below(rows.rows()))};
  Vector nearest = (scaled.rowwise() - scaled.row(chosen[0])).rowwise().squaredNorm();
  while (static_cast<Index>(chosen.size()) < count) {
    const double total = nearest.sum();
    // Only copies of the chosen rows are left.
    if (!(total > 0)) break;
    double level = stream.uniform() * total;
    Index next = 0;
    while (next + 1 < nearest.size() && (level -= nearest[next]) >= 0) ++next;
    while (nearest[next] == 0) --next;
    chosen.push_back(next);
    nearest = nearest.cwiseMin((scaled.rowwise() - scaled.row(next)).rowwise().squaredNorm());
  }
  return chosen;
}

Vector leverage_scores(const Matrix& rows, const Kernel& kernel, const TrainingStatistics& statistics,
                       RandomStream& stream) {
  const Vector theta = kernel.start(statistics, 0, stream);
  const Matrix pilot = rows(draw_rows(stream, rows.rows(), kPilotRows), Eigen::all);
  Matrix factor(pilot.rows(), pilot.rows()), cross(rows.rows(), pilot.rows());
  kernel.gram(theta, pilot, pilot, factor);
  kernel.gram(theta, rows, pilot, cross);
  Vector scores(rows.rows());
  kernel.diagonal(theta, rows, scores);
  const double variance = scores.mean();
  factor.diagonal().array() += kLeverageRidge * variance;
  safe_cholesky(factor, "Cholesky factor of the pilot rows");
  solve_lower_right(factor, Op::transpose, cross);
  scores -= cross.rowwise().squaredNorm();
  return scores.cwiseMax(1e-12 * variance);
}

/// Draws `count` different indices, one after the other with probability proportional to the weights: those with the
/// largest log u_i / weight_i (Efraimidis and Spirakis 2006).
std::vector<Index> weighted_sample(const Vector& weights, Index count, RandomStream& stream) {
  Vector keys(weights.size());
  for (Index i = 0; i < keys.size(); ++i) keys[i] = std::log(1 - stream.uniform()) / weights[i];
  std::vector<Index> order(static_cast<std::size_t>(keys.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] > keys[b]; });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

/// Draws (min(count, n), d) distinct rows of `statistics.sample` (n, d), by `method`:
///   uniform   without replacement, all equally likely;
///   kmeans    the seeding of k-means++: each next row with probability proportional to its squared distance from the
///             nearest chosen so far, inputs in units of their range;
///   leverage  with probability proportional to the ridge leverage score k_ii - k_iS (K_SS + r I)^-1 k_Si at the
///             kernel's first initial theta, S a uniform pilot of up to 500 rows, r a hundredth of the variance.
/// Cost O(n count d) for kmeans, O(n 500^2) for leverage.
Matrix choose_landmarks(LandmarkChoice method, const Kernel& kernel, const TrainingStatistics& statistics, Index count,
                        const RandomStreams& streams) {
  const Matrix& rows = statistics.sample;
  require(rows.rows() > 0 && rows.cols() == kernel.input_count(), "landmarks need training rows");
  const Index available = std::min(count, rows.rows());
  RandomStream stream = streams.stream("nystrom.landmarks");
  std::vector<Index> chosen;
  if (method == LandmarkChoice::uniform)
    chosen = draw_rows(stream, rows.rows(), available);
  else if (method == LandmarkChoice::kmeans)
    chosen = kmeans_seeds(rows, statistics.range, available, stream);
  else
    chosen = weighted_sample(leverage_scores(rows, kernel, statistics, stream), available, stream);
  return rows(chosen, Eigen::all);
}

class NystromMap final : public LayoutMap {
 public:
  NystromMap(std::shared_ptr<const Kernel> kernel, Matrix landmarks)
      : LayoutMap(landmarks.cols(), landmarks.rows()),
        kernel_(std::move(kernel)),
        landmarks_(std::make_shared<Matrix>(std::move(landmarks))) {
    layout_.append(kernel_->parameters(), "nystrom.");
  }

  bool has_tangent() const override { return kernel_->has_tangent(); }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return inside_bounds(layout_, kernel_->start(statistics, k, stream));
  }
  KernelDescription describe(ConstVec theta) const override {
    KernelDescription report = kernel_->describe(theta);
    report.landmarks = landmarks_->rows();
    return report;
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "landmarks", *landmarks_);
  }
  double work_bytes(int threads) const override { return landmark_bytes(feature_count(), threads); }
  double flops_per_row() const override { return landmark_flops(feature_count(), input_count()); }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return std::make_unique<PreparedNystrom>(kernel_, landmarks_, theta);
  }

  std::shared_ptr<const Kernel> kernel_;
  std::shared_ptr<const Matrix> landmarks_;
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

// Relative ridge, far below what the evidence can resolve; multiplied by ten as long as rounding prevents factoring.
constexpr double kKernelRidge = 1e-12;

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
    const BlasThreads single(1);  // a loaded posterior computes the stored factor again with the same bits
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
