// The linear map: psi(x) = v x / sqrt(d), so k(x, x') = v^2 x.x' / d: Bayesian ridge regression whose penalty is
// learned by evidence. It is the baseline for learned kernels.
#include <cmath>

#include "features/maps.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

class PreparedLinear final : public PreparedMap {
 public:
  PreparedLinear(Index inputs, double amplitude)
      : inputs_(inputs), scale_(amplitude / std::sqrt(static_cast<double>(inputs))) {}

  void forward(const InputView& x, FeatureBlock psi) const override {
    require(x.cols() == inputs_, "linear map: shapes");
    psi.is_sparse() ? forward_sparse(x, psi.sparse()) : forward_dense(x, psi.dense());
  }

  // Uses that psi is proportional to the amplitude, so d psi / d log v = psi.
  void backward(const InputView&, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    sums[0] += psi.cwiseProduct(psi_bar).sum();
  }

  void add_input_gradient(const InputView& x, ConstMat, ConstMat psi_bar, MatRef x_bar) const override {
    require(
        psi_bar.cols() == inputs_ && x_bar.cols() == inputs_ && psi_bar.rows() == x.rows() && x_bar.rows() == x.rows(),
        "linear map: shapes");
    x_bar.noalias() += scale_ * psi_bar;
  }

  void forward_tangent(const InputView& x, ConstMat, ConstMat x_dot, MatRef psi_dot) const override {
    require(
        x_dot.cols() == inputs_ && psi_dot.cols() == inputs_ && x_dot.rows() == x.rows() && psi_dot.rows() == x.rows(),
        "linear map: shapes");
    psi_dot.noalias() = scale_ * x_dot;
  }

  Index accumulator_size() const override { return 1; }
  void finish(ConstVec sums, VecRef theta_bar) const override { theta_bar[0] += sums[0]; }

 private:
  void forward_dense(const InputView& x, MatRef psi) const {
    require(psi.cols() == inputs_ && psi.rows() == x.rows(), "linear map: shapes");
    if (!x.is_sparse()) {
      psi.noalias() = scale_ * x.dense();
      return;
    }
    psi.setZero();
    for (Index i = 0; i < x.rows(); ++i)
      x.for_each_entry(i, [&](Index j, double value) { psi(i, j) = scale_ * value; });
  }

  // Keeps the sparsity of the rows.
  void forward_sparse(const InputView& x, SparseRows& psi) const {
    psi.clear(inputs_);
    for (Index i = 0; i < x.rows(); ++i) {
      x.for_each_entry(i, [&](Index j, double value) {
        if (value != 0) psi.add(j, scale_ * value);
      });
      psi.end_row();
    }
  }

  Index inputs_;
  double scale_;
};

class LinearMap final : public LayoutMap {
 public:
  explicit LinearMap(Index inputs) : LayoutMap(inputs, inputs) {
    require(inputs > 0, "linear map: at least one input");
    layout_.add(log_amplitude_slot("linear.log_amplitude", 1));
  }

  bool has_input_gradient() const override { return true; }
  bool has_tangent() const override { return true; }
  SparseSupport sparse_support() const override { return {.inputs = true, .features = true}; }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream&) const override {
    // The start of the paper, then increasing values: the evidence has one or two modes in the amplitude.
    return inside_bounds(layout_, Vector::Constant(1, std::log(statistics.target_sd) + 0.5 * static_cast<double>(k)));
  }
  // Gives every input the prior slope v / sqrt(d); a linear function has no frequencies.
  KernelDescription describe(ConstVec theta) const override {
    const double amplitude = std::exp(theta[0]);
    const double slope = amplitude / std::sqrt(static_cast<double>(inputs_));
    return {.amplitude = amplitude, .relevance = Vector::Constant(inputs_, slope)};
  }
  void save(TensorBundle&, const std::string&) const override {}
  double flops_per_row() const override { return 3.0 * static_cast<double>(inputs_); }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return std::make_unique<PreparedLinear>(inputs_, std::exp(theta[0]));
  }
};

MapPointer make_linear(const Recipe&, Index inputs, const RandomStreams&, const TrainingStatistics&) {
  return std::make_unique<LinearMap>(inputs);
}

MapPointer load_linear(const Recipe&, Index inputs, const TensorBundle&, const std::string&) {
  return std::make_unique<LinearMap>(inputs);
}

}  // namespace

FeatureMapEntry linear_entry() {
  return {{.name = "linear",
           .description = "Linear functions: ridge regression with its penalty learned, the baseline.",
           .formula = "k(x, x') = v^2 x.x' / d;  psi(x) = v x / sqrt(d)",
           .cost = "features n d; memory of the features of a chunk of rows, D = d",
           .reference = "Rasmussen and Williams 2006, section 2.1",
           .accuracy = "exact",
           .recipe = R"({"model": "linear"})"},
          make_linear,
          load_linear};
}

}  // namespace alacarte
