// a^2 exp(-2 sum_j sin^2(pi (x_j - x'_j)/period_j)/lengthscale_j^2).

#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "kernel/entries.hpp"
#include "kernel/tiled.hpp"
#include "linalg/sincos.hpp"

namespace alacarte {
namespace {

constexpr double kMaxTurns = 0x1p45;  // beyond, a phase has fewer than eight bits

/// MacKay 1998, section 5.3; Rasmussen and Williams 2006, eq. 4.31, with a period and a length-scale for each input.
class PeriodicKernel final : public TiledKernel {
 public:
  explicit PeriodicKernel(Index input_count) : TiledKernel(input_count) {
    // Units of the circle's radius: with length-scale 1 a function bends a few times in a period, and d inputs share
    // the bends of one.
    const Vector mean = Vector::Constant(1, 0.5 * std::log(static_cast<double>(inputs_)));
    layout_.add({.name = "periodic.log_lengthscale",
                 .size = inputs_,
                 .prior = {ParameterPrior::Kind::lower_normal, mean, 1.0},
                 .lower = -6,
                 .upper = 8});
    layout_.add({.name = "periodic.log_period", .size = inputs_, .lower = -12, .upper = 18});
    layout_.add(amplitude_slot("periodic.log_amplitude"));
  }

  // Draws periods between a tenth and the whole of the range, since evidence has many modes in a period; the first
  // start is at the season of each input, or beyond its range, where the kernel is nearly Gaussian.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    require(statistics.input_count() == inputs_, "kernel: training view of another input count");
    Vector theta(layout_.size());
    const double root = 0.5 * std::log(static_cast<double>(inputs_));
    for (Index j = 0; j < inputs_; ++j) {
      const double u = stream.uniform();
      theta[j] = root + (k == 0 ? 0.5 : 0.0) + 0.3 * stream.uniform();
      theta[inputs_ + j] = std::log(statistics.range[j]) + std::log(k == 0 ? 2.0 : std::pow(0.1, u));
    }
    theta[2 * inputs_] = std::log(statistics.target_sd);
    const std::vector<SpectralPeak> seasons = statistics.structure.fundamentals();
    for (std::size_t q = seasons.size(); k == 0 && q-- > 0;)  // the strongest of an input last
      theta[inputs_ + seasons[q].input] = std::log(kTwoPi / seasons[q].frequency);
    keep_inside(layout_, theta);
    return theta;
  }

  bool has_tangent() const override { return true; }

  // Uses that near 0 the kernel is Gaussian with the frequency 2 pi/(period lengthscale).
  KernelDescription describe(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    const Vector straight =
        theta.head(inputs_) + theta.segment(inputs_, inputs_) - Vector::Constant(inputs_, std::log(kTwoPi));
    auto report = describe_scales(std::exp(theta[2 * inputs_]), straight, inputs_);
    report.period.resize(inputs_);
    for (Index j = 0; j < inputs_; ++j) {
      report.lengthscale[j] = std::exp(theta[j]);
      report.period[j] = std::exp(theta[inputs_ + j]);
    }
    return report;
  }

 protected:
  Index constant_count() const override { return 2 * inputs_ + 1; }
  // Sets 1/lengthscale^2 and 1/period of each input, a^2.
  void prepare(ConstVec theta, VecRef constants) const override {
    constants.head(inputs_) = (-2.0 * theta.head(inputs_).array()).exp();
    constants.segment(inputs_, inputs_) = (-theta.segment(inputs_, inputs_).array()).exp();
    constants[2 * inputs_] = std::exp(2.0 * theta[2 * inputs_]);
  }

  // Uses 2 sin^2(pi t) = 1 - cos(2 pi t).
  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    Tile sine(out.size()), cosine(out.size());
    bool far = false;
    out.setZero();
    for (Index j = 0; j < inputs_; ++j) {
      cosine = (x1.col(j).segment(first, out.size()).array() - x2(row, j)) * constants[inputs_ + j];
      far = far || !(cosine.abs() <= kMaxTurns).all();
      sincos_turns(cosine.data(), out.size(), sine.data(), cosine.data());
      out += (cosine - 1.0) * constants[j];
    }
    if (far) take_out_far(constants, x1, first, x2, row, out);
    out = constants[2 * inputs_] * out.exp();
  }

  double variance(ConstVec constants, ConstMat, Index) const override { return constants[2 * inputs_]; }
  void tangents(ConstVec constants, ConstMat x1, ConstMat x1_dot, Index first, ConstMat x2, Index row,
                Array out) const override {
    const Index count = out.size();
    Tile sine(count), cosine(count), slope = Tile::Zero(count);
    values(constants, x1, first, x2, row, out);
    for (Index j = 0; j < inputs_; ++j) {
      cosine = (x1.col(j).segment(first, count).array() - x2(row, j)) * constants[inputs_ + j];
      sincos_turns(cosine.data(), count, sine.data(), cosine.data());
      slope -= sine * x1_dot.col(j).segment(first, count).array() * (kTwoPi * constants[j] * constants[inputs_ + j]);
    }
    out = (out != 0).select(out * slope, 0.0);
  }
  double slope_variance(ConstVec constants, ConstMat, ConstMat x_dot, Index row) const override {
    double sum = 0;
    for (Index j = 0; j < inputs_; ++j)
      sum += constants[j] * std::pow(kTwoPi * constants[inputs_ + j] * x_dot(row, j), 2);
    return constants[2 * inputs_] * sum;
  }
  Index sum_count() const override { return 2 * inputs_ + 1; }
  // Adds the sums of weight value (1 - cos 2 pi t_j), of weight value sin(2 pi t_j) 2 pi t_j, and of weight value.
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
               ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override {
    Tile sine(value.size());
    sums[2 * inputs_] += (weight * value).sum();
    for (Index j = 0; j < inputs_; ++j) {
      scratch.col(0) = (x1.col(j).segment(first, value.size()).array() - x2(row, j)) * constants[inputs_ + j];
      sincos_turns(scratch.col(0).data(), value.size(), sine.data(), scratch.col(1).data());
      sums[j] += (weight * value * (1.0 - scratch.col(1))).sum();
      sums[inputs_ + j] += kTwoPi * (weight * value * sine * scratch.col(0)).sum();
    }
  }

  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override {
    const auto power = constants.head(inputs_);
    theta_bar.head(inputs_) += 2.0 * sums.head(inputs_).cwiseProduct(power);
    theta_bar.segment(inputs_, inputs_) += sums.segment(inputs_, inputs_).cwiseProduct(power);
    theta_bar[2 * inputs_] += 2.0 * sums[2 * inputs_];
  }

 private:
  /// Sets the covariance to 0 for points so far apart that the phase between them is lost to rounding.
  void take_out_far(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array exponents) const {
    for (Index i = 0; i < exponents.size(); ++i)
      for (Index j = 0; j < inputs_; ++j)
        if (!(std::abs((x1(first + i, j) - x2(row, j)) * constants[inputs_ + j]) <= kMaxTurns))
          exponents[i] = -std::numeric_limits<double>::infinity();
  }
};

}  // namespace

KernelEntry periodic_kernel_entry() {
  return {
      {.name = "exact-periodic",
       .description = "Exact Gaussian process, periodic kernel with a period and a length-scale for each input.",
       .formula = "k(x, x') = v^2 exp(-2 sum_j sin^2(pi (x_j - x'_j) / period_j) / lengthscale_j^2)",
       .reference = "MacKay 1998, section 5.3; Rasmussen and Williams 2006, eq. 4.31",
       .recipe = R"({"model": "exact-periodic"})"},
      [](const Recipe&, Index inputs) -> std::unique_ptr<Kernel> { return std::make_unique<PeriodicKernel>(inputs); }};
}

}  // namespace alacarte
