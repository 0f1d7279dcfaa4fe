// The sparse spectrum GP: dense frequencies are parameters (Lazaro-Gredilla et al. 2010). Phases are one matrix
// product, u = (x ./ lengthscale) F^T.
#include <cmath>

#include "features/maps.hpp"
#include "features/pair_features.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "linalg/dense.hpp"

namespace alacarte {
namespace {

struct SpectrumOffsets {
  Index log_lengthscale = 0, log_amplitude = 0, frequency = 0;
};

class PreparedSparseSpectrum final : public PreparedDense {
 public:
  PreparedSparseSpectrum(const Matrix& unit, ConstVec lengthscale, double amplitude, SpectrumOffsets at)
      : PreparedDense(unit.cols(), 2 * unit.rows(), 1 + unit.size()),
        at_(at),
        amplitude_(amplitude),
        inverse_lengthscale_(lengthscale.cwiseInverse()) {
    rows_ = unit * inverse_lengthscale_.asDiagonal();
    turns_ = rows_ / kTwoPi;
  }

  void add_input_gradient(const InputView& x, ConstMat psi, ConstMat psi_bar, MatRef x_bar) const override {
    auto phase_bar = thread_matrix<struct PhaseBar>(x.rows(), rows_.rows());
    phase_cotangent(psi, psi_bar, phase_bar);
    gemm(1, phase_bar, Op::none, rows_, Op::none, 1, x_bar);
  }

 private:
  void compute(ConstMat x, MatRef psi) const override {
    gemm(1, x, Op::none, turns_, Op::transpose, 0, psi.leftCols(rows_.rows()));
    pairs_of_turns(amplitude_, psi);
  }

  void tangent(ConstMat, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    auto phase_dot = psi_dot.leftCols(rows_.rows());
    gemm(1, x_dot, Op::none, rows_, Op::transpose, 0, phase_dot);
    pair_tangent(psi, phase_dot, psi_dot);
  }

  // Adds the sums for log amplitude, then u_bar^T x (m, d).
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index m = rows_.rows(), d = rows_.cols();
    auto phase_bar = thread_matrix<struct PhaseBar>(x.rows(), m);
    sums[0] += phase_cotangent(psi, psi_bar, phase_bar);
    gemm(1, phase_bar, Op::transpose, x, Op::none, 1, Eigen::Map<Matrix>(sums.data() + 1, m, d));
  }

  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Index m = rows_.rows(), d = rows_.cols();
    theta_bar[at_.log_amplitude] += sums[0];
    const Eigen::Map<const Matrix> product(sums.data() + 1, m, d);
    Eigen::Map<Matrix>(theta_bar.data() + at_.frequency, m, d) += product * inverse_lengthscale_.asDiagonal();
    theta_bar.segment(at_.log_lengthscale, d) -= product.cwiseProduct(rows_).colwise().sum().transpose();
  }

  SpectrumOffsets at_;
  double amplitude_;
  Vector inverse_lengthscale_;
  Matrix rows_, turns_;  // (m, d): in radians per unit of x; in turns
};

class SparseSpectrum final : public LayoutMap {
 public:
  SparseSpectrum(bool learn_lengthscale, Matrix draws)
      : LayoutMap(draws.cols(), 2 * draws.rows()), draws_(std::move(draws)) {
    const Index d = draws_.cols();
    ParameterSlot scales = log_lengthscale_slot("ssgpr.log_lengthscale", d, d);
    scales.trainable = learn_lengthscale;
    at_.log_lengthscale = layout_.add(std::move(scales));
    at_.frequency = layout_.add(normal_slot("ssgpr.frequency", draws_.size(), flat_draws(), kSpread, -1e4, 1e4));
    at_.log_amplitude = layout_.add(log_amplitude_slot("ssgpr.log_amplitude", 1));
  }

  bool has_input_gradient() const override { return true; }
  bool has_tangent() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    theta.segment(at_.log_lengthscale, input_count()) = ard_start(statistics, stream);
    theta[at_.log_amplitude] = std::log(statistics.target_sd);
    theta.segment(at_.frequency, draws_.size()) = flat_draws();
    return inside_bounds(layout_, theta);
  }

  KernelDescription describe(ConstVec theta) const override {
    const double amplitude = std::exp(theta[at_.log_amplitude]);
    const Vector scales = lengthscale(theta);
    const Vector relevance =
        scales.cwiseInverse().array() * unit_frequencies(theta).array().square().colwise().mean().sqrt().transpose();
    return {.amplitude = amplitude,
            .relevance = relevance,
            .components = {{.amplitude = amplitude, .lengthscales = scales}}};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const Matrix rows = unit_frequencies(theta) * lengthscale(theta).cwiseInverse().asDiagonal();
    return {rows, Vector::Constant(rows.rows(), 1.0 / static_cast<double>(rows.rows()))};
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "frequencies", draws_);
  }

  double flops_per_row() const override {
    return 4.0 * static_cast<double>(draws_.size()) + 55.0 * static_cast<double>(draws_.rows());
  }

 private:
  // Standard deviation of the prior around the drawn frequencies, in units of 1 / length-scale. A standard normal
  // around zero, their law before the data, would let m d free frequencies overfit a few hundred rows.
  static constexpr double kSpread = 0.3;

  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    const double amplitude = std::exp(theta[at_.log_amplitude]) / std::sqrt(static_cast<double>(draws_.rows()));
    return std::make_unique<PreparedSparseSpectrum>(unit_frequencies(theta), lengthscale(theta), amplitude, at_);
  }

  Vector flat_draws() const { return Eigen::Map<const Vector>(draws_.data(), draws_.size()); }

  Vector lengthscale(ConstVec theta) const { return theta.segment(at_.log_lengthscale, input_count()).array().exp(); }

  Matrix unit_frequencies(ConstVec theta) const {
    return Eigen::Map<const Matrix>(theta.data() + at_.frequency, draws_.rows(), draws_.cols());
  }

  Matrix draws_;  // (m, d) N(0, 1)
  SpectrumOffsets at_;
};

MapPointer make_ssgpr(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  const FeatureConfig& config = recipe.features;
  require(inputs > 0 && config.frequencies > 0, "a feature map needs inputs and frequencies");
  RandomStream stream = streams.stream("dense.frequencies");
  const Vector normals = stream.normals(config.frequencies * inputs);
  return std::make_unique<SparseSpectrum>(config.learn_lengthscale,
                                          Eigen::Map<const Matrix>(normals.data(), config.frequencies, inputs));
}

MapPointer load_ssgpr(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  const FeatureConfig& config = recipe.features;
  require(inputs > 0 && config.frequencies > 0, "a feature map needs inputs and frequencies");
  return std::make_unique<SparseSpectrum>(config.learn_lengthscale,
                                          bundle.matrix(prefix + "frequencies", config.frequencies, inputs));
}

}  // namespace

FeatureMapEntry ssgpr_entry() {
  return {{.name = "ssgpr",
           .description = "Sparse spectrum: every entry of every frequency is learned.",
           .formula = "psi(x) = v / sqrt(m) [cos u, sin u], u = F (x ./ lengthscale): the m x d matrix F is learned",
           .cost = "features n m d, D = 2 m; memory of a chunk of features and 4 m d numbers, parameters m d + d + 1",
           .reference = "Lazaro-Gredilla et al. 2010; Yang et al. 2015, section 5",
           .accuracy = "its frequencies are its kernel: at the start they are a draw of ard's",
           .keys = {"features.frequencies", "features.learn_lengthscale"},
           .recipe = R"({"model": "ssgpr", "features": {"frequencies": 64}, "copies": 3})"},
          make_ssgpr,
          load_ssgpr};
}

}  // namespace alacarte
