// Stacks whose phases come from a plain linear product: dense rows, hashed rows, Hartley products.
#include <numbers>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "features/frequency_stack.hpp"
#include "features/pair_features.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

class ProjectedStack final : public FrequencyStack {
 public:
  ProjectedStack(std::unique_ptr<const Projection> projection, double amplitude, bool learn_scales)
      : projection_(std::move(projection)), amplitude_(amplitude), learn_scales_(learn_scales) {}

  void forward(ConstMat x, MatRef psi) const override {
    const Index m = projection_->frequencies();
    require(x.cols() == projection_->inputs() && psi.rows() == x.rows() && psi.cols() == 2 * m, "feature map: shapes");
    projection_->project(x, psi.leftCols(m));
    pairs_of_turns(amplitude_, psi);
  }

  // A scale multiplies its phase, so its cotangent in logarithms is the sum of phase times cotangent over the rows.
  void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index m = projection_->frequencies(), d = projection_->inputs();
    require(x.cols() == d && psi.rows() == x.rows() && psi.cols() == 2 * m && psi_bar.rows() == psi.rows() &&
                psi_bar.cols() == psi.cols() && sums.size() == accumulator_size(),
            "feature map: shapes");
    auto phase_bar = thread_matrix<struct PhaseBar>(x.rows(), m);
    auto input_bar = thread_matrix<struct InputBar>(x.rows(), d);
    sums[0] += phase_cotangent(psi, psi_bar, phase_bar);
    projection_->pull_back(phase_bar, input_bar);
    for (Index j = 0; j < d; ++j) sums[1 + j] += input_bar.col(j).dot(x.col(j));
    if (!learn_scales_) return;
    auto turns = thread_matrix<struct Turns>(x.rows(), m);
    projection_->project(x, turns);
    for (Index i = 0; i < m; ++i) sums[1 + d + i] += kTwoPi * turns.col(i).dot(phase_bar.col(i));
  }

  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec, FloatType) const override { return nullptr; }

  /// Log amplitude, sum of x_bar x for each input, and of u_bar u for each frequency whose scale is learned.
  Index accumulator_size() const override {
    return 1 + projection_->inputs() + (learn_scales_ ? projection_->frequencies() : 0);
  }

  Fastfood::Pullback finish(ConstVec sums) const override {
    Fastfood::Pullback bar;
    const Index d = projection_->inputs();
    bar.log_amplitude = sums[0];
    bar.log_lengthscale = -sums.segment(1, d);
    if (learn_scales_) bar.log_lengths = sums.tail(projection_->frequencies());
    return bar;
  }

  Matrix frequencies() const override { return projection_->rows(); }

 private:
  std::unique_ptr<const Projection> projection_;
  double amplitude_;
  bool learn_scales_;
};

class DenseProjection final : public Projection {
 public:
  explicit DenseProjection(Matrix rows) : rows_(std::move(rows)), turns_(rows_ / kTwoPi) {}
  Index inputs() const override { return rows_.cols(); }
  Index frequencies() const override { return rows_.rows(); }
  void project(ConstMat x, MatRef turns) const override { gemm(1, x, Op::none, turns_, Op::transpose, 0, turns); }
  void pull_back(ConstMat phase_bar, MatRef x_bar) const override {
    gemm(1, phase_bar, Op::none, rows_, Op::none, 0, x_bar);
  }
  Matrix rows() const override { return rows_; }

 private:
  Matrix rows_, turns_;  // (m, d) in radians and in turns per unit of x
};

class DenseSource final : public FrequencySource {
 public:
  explicit DenseSource(Matrix rows) : rows_(std::move(rows)) {}
  Index inputs() const override { return rows_.cols(); }
  Index frequencies() const override { return rows_.rows(); }
  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    Matrix rows = scales.asDiagonal() * rows_ * lengthscale.cwiseInverse().asDiagonal();
    return projected_stack(std::make_unique<DenseProjection>(std::move(rows)), amplitude, learn_scales);
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "frequencies", rows_);
  }
  double flops(bool learn_scales) const override {
    return (learn_scales ? 6.0 : 4.0) * static_cast<double>(rows_.size());
  }

 private:
  Matrix rows_;
};

}  // namespace

std::unique_ptr<FrequencyStack> projected_stack(std::unique_ptr<const Projection> projection, double amplitude,
                                                bool learn_scales) {
  return std::make_unique<ProjectedStack>(std::move(projection), amplitude, learn_scales);
}

std::unique_ptr<FrequencySource> dense_source(Matrix rows) { return std::make_unique<DenseSource>(std::move(rows)); }

}  // namespace alacarte
