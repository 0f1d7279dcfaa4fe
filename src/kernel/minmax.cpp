// The min-max kernel. With |u| = sum_i u~_i, the sum of the larger ones is |u| + |v| less the sum of the smaller ones;
// it is at least half of |u| + |v|, so no digits are lost.
#include "minmax.hpp"

#include <algorithm>
#include <cmath>

#include "core/workers.hpp"
#include "kernel/entries.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {
namespace {

/// Returns min(u~, v~) of one input: of its positive parts and of its negative parts, one of which is 0.
double smaller(double u, double v) { return std::max(0.0, std::min(u, v)) - std::min(0.0, std::max(u, v)); }

double ratio(double smaller_sum, double total) { return total == 0 ? 1 : smaller_sum / (total - smaller_sum); }

class MinMaxKernel final : public TiledKernel {
 public:
  explicit MinMaxKernel(Index input_count) : TiledKernel(input_count) {
    layout_.add(amplitude_slot("minmax.log_amplitude"));
  }

  Vector start(const TrainingStatistics& statistics, Index k, RandomStream&) const override {
    Vector theta = Vector::Constant(1, std::log(statistics.target_sd) + 0.5 * static_cast<double>(k % 5));
    keep_inside(layout_, theta);
    return theta;
  }
  // Gives all inputs equal relevance.
  KernelDescription describe(ConstVec theta) const override {
    require(theta.size() == 1, "theta does not fit the kernel");
    return {.amplitude = std::exp(theta[0]), .relevance = Vector::Ones(inputs_)};
  }

 protected:
  Index constant_count() const override { return 1; }
  void prepare(ConstVec theta, VecRef constants) const override { constants[0] = std::exp(2 * theta[0]); }

  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    Tile total = Tile::Zero(out.size());
    out.setZero();
    for (Index j = 0; j < inputs_; ++j) {
      const auto u = x1.col(j).segment(first, out.size()).array();
      const double v = x2(row, j);
      total += u.abs() + std::abs(v);
      out += u.min(v).max(0.0) - u.max(v).min(0.0);
    }
    out = constants[0] * (total == 0).select(1.0, out / (total - out));
  }
  double variance(ConstVec constants, ConstMat, Index) const override { return constants[0]; }

  Index sum_count() const override { return 1; }
  void collect(ConstVec, ConstMat, Index, ConstMat, Index, ConstArray value, ConstArray weight,
               Eigen::Ref<Eigen::ArrayXXd>, VecRef sums) const override {
    sums[0] += (weight * value).sum();
  }
  void finish(ConstVec, ConstVec sums, VecRef theta_bar) const override { theta_bar[0] += 2 * sums[0]; }
};

Vector absolute_sums(const SparseView& x) {
  Vector sums = Vector::Zero(x.rows);
  for (Index i = 0; i < x.rows; ++i)
    for (Index e = x.starts[i]; e < x.starts[i + 1]; ++e) sums[i] += std::abs(x.values[e]);
  return sums;
}

}  // namespace

void minmax_gram(const SparseView& x1, const SparseView& x2, MatRef gram, int threads) {
  require(x1.width == x2.width && gram.rows() == x1.rows && gram.cols() == x2.rows, "min-max kernel: shapes");
  const Vector of1 = absolute_sums(x1), of2 = absolute_sums(x2);
  // One row of x2 at a time, with its zeros, against the nonzeros of all rows of x1.
  WorkQueue columns(x2.rows, 4);
  run_workers(std::max(1, threads), [&](int) {
    std::vector<double> dense(static_cast<std::size_t>(x2.width), 0.0);
    columns.work([&](Index c) {
      for (Index e = x2.starts[c]; e < x2.starts[c + 1]; ++e)
        dense[static_cast<std::size_t>(x2.columns[e])] = x2.values[e];
      for (Index i = 0; i < x1.rows; ++i) {
        double sum = 0;
        for (Index e = x1.starts[i]; e < x1.starts[i + 1]; ++e)
          sum += smaller(x1.values[e], dense[static_cast<std::size_t>(x1.columns[e])]);
        gram(i, c) = ratio(sum, of1[i] + of2[c]);
      }
      for (Index e = x2.starts[c]; e < x2.starts[c + 1]; ++e) dense[static_cast<std::size_t>(x2.columns[e])] = 0;
    });
  });
}

KernelEntry minmax_kernel_entry() {
  return {
      {.name = "exact-minmax",
       .description =
           "Exact Gaussian process, min-max kernel (\"GMM\" of its paper): no scale to tune, rows of any sign.",
       .formula = "k(x, x') = v^2 sum_i min(u_i, u'_i) / sum_i max(u_i, u'_i),  u = [max(x, 0), max(-x, 0)]; two rows "
                  "of zeros have v^2",
       .reference = "Li 2017 (Linearized GMM kernels), eqs. 2 and 3",
       .recipe = R"({"model": "exact-minmax", "scale": {"inputs": "none"}})"},
      [](const Recipe&, Index inputs) -> std::unique_ptr<Kernel> { return std::make_unique<MinMaxKernel>(inputs); }};
}

}  // namespace alacarte
