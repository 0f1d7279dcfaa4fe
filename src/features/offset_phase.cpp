// One cosine a frequency: z_j = sqrt(2) (cos b_j c_j - sin b_j s_j) = sqrt(2) cos(u_j + b_j), a fixed combination of
// the pair c_j, s_j of another map, which computes both values and adjoint. Unbiased for uniform b, with a larger
// variance than as many pairs; normalized: psi = z |p| / |z| for the pairs p of a row, of length amplitude.
#include <algorithm>
#include <limits>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "features/radial_map.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

class PreparedOffset final : public PreparedMap {
 public:
  PreparedOffset(std::unique_ptr<PreparedMap> pairs, const Vector& offsets, bool normalized)
      : pairs_(std::move(pairs)),
        cosine_(std::numbers::sqrt2 * offsets.array().cos()),
        sine_(std::numbers::sqrt2 * offsets.array().sin()),
        normalized_(normalized) {}

  void forward(const InputView& x, FeatureBlock features) const override {
    MatRef psi = features.dense();
    require(psi.rows() == x.rows() && psi.cols() == count(), "feature map: shapes");
    const auto pairs = pairs_of(x);
    combine(pairs, psi);
    if (!normalized_) return;
    const auto factor = factors(pairs, psi);
    for (Index j = 0; j < count(); ++j) psi.col(j).array() *= factor.col(0).array();
  }

  // Normalises with z_bar = f (psi_bar - psi (psi.psi_bar) / |psi|^2), f = |p| / |z|; |p| carries the amplitude, whose
  // cotangent psi.psi_bar reaches the map as that of p along p itself.
  void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index m = count(), n = x.rows();
    require(psi.rows() == n && psi.cols() == m && psi_bar.rows() == n && psi_bar.cols() == m, "feature map: shapes");
    const auto pairs = pairs_of(x);
    auto pairs_bar = thread_matrix<struct PairsBar>(n, 2 * m);
    auto rows = thread_matrix<struct RowSums>(n, 3);  // psi.psi_bar, |psi|^2, f
    if (normalized_) {
      rows.leftCols(2).setZero();
      for (Index j = 0; j < m; ++j) {
        rows.col(0).array() += psi.col(j).array() * psi_bar.col(j).array();
        rows.col(1).array() += psi.col(j).array().square();
      }
      rows.col(1) = rows.col(1).cwiseMax(std::numeric_limits<double>::min());  // a zero row passes nothing on
      auto z = pairs_bar.leftCols(m);
      combine(pairs, z);
      rows.col(2) = factors(pairs, z).col(0);
    }
    for (Index j = 0; j < m; ++j) {
      auto c_bar = pairs_bar.col(j).array(), s_bar = pairs_bar.col(m + j).array();
      if (normalized_)
        c_bar = rows.col(2).array() *
                (psi_bar.col(j).array() - psi.col(j).array() * rows.col(0).array() / rows.col(1).array());
      else
        c_bar = psi_bar.col(j).array();
      s_bar = -sine_[j] * c_bar;
      c_bar *= cosine_[j];
      if (!normalized_) continue;
      c_bar += rows.col(0).array() / rows.col(1).array() * pairs.col(j).array();
      s_bar += rows.col(0).array() / rows.col(1).array() * pairs.col(m + j).array();
    }
    pairs_->backward(x, pairs, pairs_bar, sums);
  }

  // Uses that |p| is the amplitude everywhere, so only |z| of the normalisation changes.
  void forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    const Index m = count(), n = x.rows();
    require(psi.rows() == n && psi.cols() == m && psi_dot.rows() == n && psi_dot.cols() == m, "feature map: shapes");
    const auto pairs = pairs_of(x);
    auto pairs_dot = thread_matrix<struct PairsBar>(n, 2 * m);
    pairs_->forward_tangent(x, pairs, x_dot, pairs_dot);
    if (!normalized_) return combine(pairs_dot, psi_dot);
    combine(pairs, psi_dot);
    const auto factor = factors(pairs, psi_dot);
    combine(pairs_dot, psi_dot);
    for (Index i = 0; i < n; ++i) {
      const double square = std::max(psi.row(i).squaredNorm(), std::numeric_limits<double>::min());
      psi_dot.row(i) *= factor(i, 0);
      psi_dot.row(i) -= psi.row(i).dot(psi_dot.row(i)) / square * psi.row(i);
    }
  }

  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    require(weights.size() == count(), "feature map: weights do not fit");
    if (normalized_) return PreparedMap::linear_predictor(weights, type);
    Vector both(2 * count());
    both << cosine_.cwiseProduct(weights), -sine_.cwiseProduct(weights);
    return pairs_->linear_predictor(both, type);
  }

  Index accumulator_size() const override { return pairs_->accumulator_size(); }
  void finish(ConstVec sums, VecRef theta_bar) const override { pairs_->finish(sums, theta_bar); }

 private:
  Index count() const { return cosine_.size(); }

  Eigen::Map<Matrix> pairs_of(const InputView& x) const {
    auto pairs = thread_matrix<struct Pairs>(x.rows(), 2 * count());
    pairs_->forward(x, pairs);
    return pairs;
  }

  void combine(ConstMat pairs, MatRef z) const {
    for (Index j = 0; j < count(); ++j) z.col(j) = cosine_[j] * pairs.col(j) - sine_[j] * pairs.col(count() + j);
  }

  /// Returns |p| / |z| of each row; 0 if z is 0 (a row with one frequency may be exactly there).
  static Eigen::Map<Matrix> factors(ConstMat pairs, ConstMat z) {
    auto squares = thread_matrix<struct Squares>(z.rows(), 2);
    squares.setZero();
    for (Index j = 0; j < pairs.cols(); ++j) squares.col(0).array() += pairs.col(j).array().square();
    for (Index j = 0; j < z.cols(); ++j) squares.col(1).array() += z.col(j).array().square();
    const auto pair = squares.col(0).array(), own = squares.col(1).array();
    squares.col(0).array() = (own > 0).select((pair / own).sqrt(), 0.0);
    return Eigen::Map<Matrix>(squares.data(), z.rows(), 1);
  }

  std::unique_ptr<PreparedMap> pairs_;
  Vector cosine_, sine_;  // (m) sqrt(2) cos b, sqrt(2) sin b
  bool normalized_;
};

class OffsetMap final : public FeatureMap {
 public:
  OffsetMap(MapPointer pairs, Vector offsets, bool normalized, bool stored)
      : pairs_(std::move(pairs)), offsets_(std::move(offsets)), normalized_(normalized), stored_(stored) {
    require(pairs_->feature_count() == 2 * offsets_.size(), "one offset for each pair of features");
  }

  const ParameterLayout& parameters() const override { return pairs_->parameters(); }
  Index input_count() const override { return pairs_->input_count(); }
  Index feature_count() const override { return offsets_.size(); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    return std::make_unique<PreparedOffset>(pairs_->prepare(theta), offsets_, normalized_);
  }
  bool has_tangent() const override { return pairs_->has_tangent(); }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return pairs_->start(statistics, k, stream);
  }
  KernelDescription describe(ConstVec theta) const override { return pairs_->describe(theta); }
  FrequencyRows frequencies(ConstVec theta) const override { return pairs_->frequencies(theta); }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    pairs_->save(bundle, prefix);
    if (stored_) bundle.put_vector(prefix + "offsets", offsets_);
  }
  // Counts the pairs twice, for the features and for their adjoint.
  double flops_per_row() const override {
    return 1.5 * pairs_->flops_per_row() + 15.0 * static_cast<double>(offsets_.size());
  }

 private:
  MapPointer pairs_;
  Vector offsets_;
  bool normalized_, stored_;
};

}  // namespace

MapPointer with_offset_phase(MapPointer map, Vector offsets, bool normalized, bool stored) {
  return std::make_unique<OffsetMap>(std::move(map), std::move(offsets), normalized, stored);
}

}  // namespace alacarte
