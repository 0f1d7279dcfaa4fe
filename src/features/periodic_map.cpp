// The periodic kernel: the Gaussian kernel of points on circles. With c_j(x) = (cos, sin)(2 pi x_j / period_j), |c_j -
// c'_j|^2 = 4 sin^2(pi (x_j - x'_j) / period_j), so random Fourier features of the 2d coordinates c_j / lengthscale_j
// are those of exp(-2 sum_j sin^2(..) / lengthscale_j^2).
#include <cmath>

#include "alacarte/kernel/kernel.hpp"
#include "features/maps.hpp"
#include "features/pair_features.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "linalg/dense.hpp"
#include "linalg/sincos.hpp"

namespace alacarte {
namespace {

class PreparedPeriodic final : public PreparedDense {
 public:
  /// Takes frequencies (m, 2d) N(0, 1); inverse_lengthscale, inverse_period (d).
  PreparedPeriodic(const Matrix& frequencies, const Vector& inverse_lengthscale, Vector inverse_period,
                   double amplitude)
      : PreparedDense(inverse_period.size(), 2 * frequencies.rows(), 2 * inverse_period.size() + 1),
        amplitude_(amplitude),
        inverse_period_(std::move(inverse_period)),
        rows_(frequencies) {
    const Index d = inverse_lengthscale.size();
    for (Index j = 0; j < 2 * d; ++j) rows_.col(j) *= inverse_lengthscale[j % d];
    turns_ = rows_ / kTwoPi;
  }

 private:
  void compute(ConstMat x, MatRef psi) const override {
    const Index m = rows_.rows(), d = inputs_;
    Eigen::Map<Matrix> circles(thread_work<PreparedPeriodic>(2 * d * x.rows()), x.rows(), 2 * d);
    lift(x, circles);
    gemm(1, circles, Op::none, turns_, Op::transpose, 0, psi.leftCols(m));
    pairs_of_turns(amplitude_, psi);
  }

  void tangent(ConstMat x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    const Index n = x.rows(), d = inputs_;
    Eigen::Map<Matrix> circles(thread_work<PreparedPeriodic>(2 * d * n), n, 2 * d);
    lift(x, circles);
    for (Index j = 0; j < d; ++j)
      for (Index i = 0; i < n; ++i) {
        const double angle_dot = kTwoPi * inverse_period_[j] * x_dot(i, j);
        const double c = circles(i, j);
        circles(i, j) = -circles(i, d + j) * angle_dot;
        circles(i, d + j) = c * angle_dot;
      }
    auto phase_dot = psi_dot.leftCols(rows_.rows());
    gemm(1, circles, Op::none, rows_, Op::transpose, 0, phase_dot);
    pair_tangent(psi, phase_dot, psi_dot);
  }

  // Adds the sums of circle_bar circle, of the angle's cotangent by log period, and of psi_bar psi.
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index n = x.rows(), m = rows_.rows(), d = inputs_;
    double* work = thread_work<PreparedPeriodic>(n * (4 * d + m));
    Eigen::Map<Matrix> circles(work, n, 2 * d), bar(work + n * 2 * d, n, 2 * d), phase_bar(work + n * 4 * d, n, m);
    sums[2 * d] += phase_cotangent(psi, psi_bar, phase_bar);
    lift(x, circles);
    gemm(1, phase_bar, Op::none, rows_, Op::none, 0, bar);
    for (Index j = 0; j < d; ++j) {
      const auto c = circles.col(j).array(), s = circles.col(d + j).array();
      const auto c_bar = bar.col(j).array(), s_bar = bar.col(d + j).array();
      sums[j] += (c * c_bar + s * s_bar).sum();
      sums[d + j] += kTwoPi * inverse_period_[j] * (x.col(j).array() * (s * c_bar - c * s_bar)).sum();
    }
  }

  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Index d = inputs_;
    theta_bar.head(d) -= sums.head(d);
    theta_bar.segment(d, d) += sums.segment(d, d);
    theta_bar[2 * d] += sums[2 * d];
  }

  // Computes cosines, then sines, of each input's angle.
  template <class Circles>
  void lift(ConstMat x, Circles& circles) const {
    const Index d = inputs_;
    for (Index j = 0; j < d; ++j) {
      circles.col(j) = x.col(j) * inverse_period_[j];
      sincos_turns(circles.col(j).data(), x.rows(), circles.col(d + j).data(), circles.col(j).data());
    }
  }

  double amplitude_;
  Vector inverse_period_;
  Matrix rows_, turns_;  // (m, 2d) divided by the length-scales: in radians, in turns
};

// Parameters, starts and reports are those of exact-periodic; the algebra is that of features.
class PeriodicMap final : public FeatureMap {
 public:
  PeriodicMap(Matrix draws, std::unique_ptr<Kernel> exact) : draws_(std::move(draws)), exact_(std::move(exact)) {}

  const ParameterLayout& parameters() const override { return exact_->parameters(); }
  Index input_count() const override { return exact_->input_count(); }
  Index feature_count() const override { return 2 * draws_.rows(); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == parameters().size(), "theta does not fit the feature map");
    const Index d = input_count();
    const Vector inverse = (-theta.head(2 * d).array()).exp();
    const double amplitude = std::exp(theta[2 * d]) / std::sqrt(static_cast<double>(draws_.rows()));
    return std::make_unique<PreparedPeriodic>(draws_, inverse.head(d), inverse.tail(d), amplitude);
  }
  bool has_tangent() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return inside_bounds(parameters(), exact_->start(statistics, k, stream));
  }
  KernelDescription describe(ConstVec theta) const override { return exact_->describe(theta); }
  // Overrides the default: frequencies() are on the circles, not along the inputs.
  Vector phase_rates(ConstVec theta) const override {
    return kTwoPi * (-theta.segment(input_count(), input_count()).array()).exp();
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "frequencies", draws_);
  }
  double flops_per_row() const override {
    return 8.0 * static_cast<double>(draws_.size()) + 55.0 * static_cast<double>(draws_.rows() + 2 * input_count());
  }

 private:
  Matrix draws_;  // (m, 2d) N(0, 1)
  std::unique_ptr<Kernel> exact_;
};

MapPointer make_map(Matrix draws, const Recipe& recipe, Index inputs) {
  return std::make_unique<PeriodicMap>(std::move(draws), find_kernel("exact-periodic")->make(recipe, inputs));
}

MapPointer make_periodic(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  const Index m = recipe.features.frequencies;
  require(inputs > 0 && m > 0, "a feature map needs inputs and frequencies");
  RandomStream stream = streams.stream("dense.frequencies");
  const Vector normals = stream.normals(m * 2 * inputs);
  return make_map(Eigen::Map<const Matrix>(normals.data(), m, 2 * inputs), recipe, inputs);
}

MapPointer load_periodic(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  require(inputs > 0 && recipe.features.frequencies > 0, "a feature map needs inputs and frequencies");
  return make_map(bundle.matrix(prefix + "frequencies", recipe.features.frequencies, 2 * inputs), recipe, inputs);
}

}  // namespace

FeatureMapEntry periodic_entry() {
  return {{.name = "periodic",
           .description = "Periodic kernel, a period and a length-scale for each input.",
           .formula = "k(x, x') = v^2 exp(-2 sum_j sin^2(pi (x_j - x'_j) / period_j) / lengthscale_j^2);  psi(x) = v / "
                      "sqrt(m) [cos u, sin u],\nu_i = sum_j (w_ij cos + w_i,d+j sin)(2 pi x_j / period_j) / "
                      "lengthscale_j, w ~ N(0, 1)",
           .cost = "features 4 n m d; D = 2 m; memory 6 m d",
           .reference = "MacKay 1998, section 5.3; Rasmussen and Williams 2006, eq. 4.31; Rahimi and Recht 2007",
           .accuracy = "unbiased",
           .keys = {"features.frequencies"},
           .recipe = R"({"model": "periodic", "features": {"frequencies": 256}})"},
          make_periodic,
          load_periodic};
}

}  // namespace alacarte
