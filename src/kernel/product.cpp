// Kernels of the scalar product t = sum_j x_j x'_j / lengthscale_j^2.

#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/log_lengthscales.hpp"
#include "kernel/entries.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {
namespace {

/// polynomial: a^2 (t + c)^p; linear: t, whose length-scales are the inverse prior slopes.
class ProductKernel final : public TiledKernel {
 public:
  /// Makes "linear".
  explicit ProductKernel(Index input_count) : TiledKernel(input_count) {
    ParameterSlot slot = product_scale_slot("linear.log_lengthscale", inputs_, inputs_);
    slot.scale_power = -1;
    scales_ = {layout_.add(std::move(slot)), inputs_, false};
  }

  /// Makes "polynomial": degree p >= 1, offset c >= 0, at which a learned offset starts; 0 leaves it out. `shared`: one
  /// length-scale for all inputs.
  ProductKernel(Index input_count, Index degree, double offset, bool shared)
      : TiledKernel(input_count), degree_(degree), offset_(offset) {
    if (degree < 1) throw ConfigError("/kernel/degree", "must be at least 1");
    if (!(offset >= 0)) throw ConfigError("/kernel/offset", "must not be negative");
    scales_ = {0, inputs_, shared};
    scales_.first = layout_.add(product_scale_slot("polynomial.log_lengthscale", scales_.count(), inputs_));
    amplitude_at_ = layout_.add(amplitude_slot("polynomial.log_amplitude"));
    if (offset_ == 0) return;
    ParameterSlot slot = amplitude_slot("polynomial.log_offset");
    slot.scale_power = 0;
    slot.prior.mean[0] = std::log(offset_);
    slot.lower = std::log(offset_) - 12;
    slot.upper = std::log(offset_) + 12;
    offset_at_ = layout_.add(std::move(slot));
  }

  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    require(statistics.input_count() == inputs_, "kernel: training view of another input count");
    Vector theta(layout_.size());
    scales_.set(ard_start(statistics, stream), theta);
    if (amplitude_at_ < 0)
      theta.head(inputs_).array() -= std::log(statistics.target_sd);
    else
      theta[amplitude_at_] = std::log(statistics.target_sd);
    if (offset_at_ >= 0) theta[offset_at_] = std::log(offset_);
    keep_inside(layout_, theta);
    return theta;
  }

  bool has_tangent() const override { return true; }

  // Reports the amplitude of the value with all inputs 1, the mean size of standardised ones.
  KernelDescription describe(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    Vector constants(constant_count());
    prepare(theta, constants);
    auto report =
        describe_scales(std::sqrt(variance(constants, Matrix::Ones(1, inputs_), 0)), scales_.learned(theta), inputs_);
    if (amplitude_at_ >= 0) report.degree = degree_;
    if (offset_at_ >= 0) report.offset = constants[inputs_ + 1];
    return report;
  }

 protected:
  Index constant_count() const override { return inputs_ + 2; }
  // Sets 1/lengthscale^2 of each input, a^2, c.
  void prepare(ConstVec theta, VecRef constants) const override {
    for (Index j = 0; j < inputs_; ++j) constants[j] = std::exp(-2.0 * scales_.of_input(theta, j));
    constants[inputs_] = amplitude_at_ < 0 ? 1 : std::exp(2.0 * theta[amplitude_at_]);
    constants[inputs_ + 1] = offset_at_ < 0 ? 0 : std::exp(theta[offset_at_]);
  }

  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    products(constants, x1, first, x2, row, out);
    if (degree_ > 1) out = out.pow(static_cast<int>(degree_));
    out *= constants[inputs_];
  }

  double variance(ConstVec constants, ConstMat x, Index row) const override {
    double value = constants[inputs_ + 1];
    for (Index j = 0; j < inputs_; ++j) value += x(row, j) * x(row, j) * constants[j];
    return constants[inputs_] * std::pow(value, static_cast<double>(degree_));
  }

  Index sum_count() const override { return inputs_ + 2; }
  // Adds the sums of weight p a^2 (t + c)^(p-1), with x_j x'_j for each input and without, and of weight times value.
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
               ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override {
    auto slope = scratch.col(0);
    if (degree_ == 1) {
      slope = constants[inputs_] * weight;
    } else {
      products(constants, x1, first, x2, row, slope);
      slope = slope.pow(static_cast<int>(degree_ - 1)) * weight * (static_cast<double>(degree_) * constants[inputs_]);
    }
    for (Index j = 0; j < inputs_; ++j)
      sums[j] += x2(row, j) * (slope * x1.col(j).segment(first, slope.size()).array()).sum();
    sums[inputs_] += slope.sum();
    sums[inputs_ + 1] += (weight * value).sum();
  }

  // Computes d/dt a^2 T^p = a^2 p T^(p-1) T_dot, T = t + c.
  void tangents(ConstVec constants, ConstMat x1, ConstMat x1_dot, Index first, ConstMat x2, Index row,
                Array out) const override {
    Tile along = Tile::Zero(out.size());
    for (Index j = 0; j < inputs_; ++j)
      along += x1_dot.col(j).segment(first, out.size()).array() * (x2(row, j) * constants[j]);
    products(constants, x1, first, x2, row, out);
    out = out.pow(static_cast<int>(degree_ - 1)) * along * (static_cast<double>(degree_) * constants[inputs_]);
  }
  // Computes d^2/ds dt a^2 T(s, t)^p = a^2 (p (p - 1) T^(p-2) T_s T_t + p T^(p-1) T_st).
  double slope_variance(ConstVec constants, ConstMat x, ConstMat x_dot, Index row) const override {
    const double p = static_cast<double>(degree_);
    double product = constants[inputs_ + 1], along = 0, square = 0;
    for (Index j = 0; j < inputs_; ++j) {
      product += x(row, j) * x(row, j) * constants[j];
      along += x(row, j) * x_dot(row, j) * constants[j];
      square += x_dot(row, j) * x_dot(row, j) * constants[j];
    }
    const double bend = degree_ > 1 ? p * (p - 1) * std::pow(product, p - 2) * along * along : 0;
    return constants[inputs_] * (bend + p * std::pow(product, p - 1) * square);
  }

  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override {
    scales_.add_slopes(-2.0 * sums.head(inputs_).cwiseProduct(constants.head(inputs_)), theta_bar);
    if (amplitude_at_ >= 0) theta_bar[amplitude_at_] += 2.0 * sums[inputs_ + 1];
    if (offset_at_ >= 0) theta_bar[offset_at_] += constants[inputs_ + 1] * sums[inputs_];
  }

 private:
  // Computes t + c.
  void products(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const {
    out.setConstant(constants[inputs_ + 1]);
    for (Index j = 0; j < inputs_; ++j)
      out += x1.col(j).segment(first, out.size()).array() * (x2(row, j) * constants[j]);
  }

  Index degree_ = 1;
  double offset_ = 0;
  LogLengthscales scales_;
  Index amplitude_at_ = -1, offset_at_ = -1;
};

}  // namespace

KernelEntry linear_kernel_entry() {
  return {
      {.name = "exact-linear",
       .description = "Exact Gaussian process, linear kernel with one scale for each input: ridge regression.",
       .formula = "k(x, x') = sum_j x_j x'_j / lengthscale_j^2",
       .reference = "Rasmussen and Williams 2006, section 2.1",
       .recipe = R"({"model": "exact-linear"})"},
      [](const Recipe&, Index inputs) -> std::unique_ptr<Kernel> { return std::make_unique<ProductKernel>(inputs); }};
}

KernelEntry polynomial_kernel_entry() {
  return {{.name = "exact-polynomial",
           .description =
               "Exact Gaussian process, polynomial kernel of any degree, one length-scale for each input (or for all).",
           .formula = "k(x, x') = v^2 (sum_j x_j x'_j / lengthscale_j^2 + c)^p",
           .reference = "Rasmussen and Williams 2006, section 4.2.2",
           .fixed = "kernel.degree stays what the recipe says, and an offset of 0 stays 0 (homogeneous)",
           .keys = {"kernel.degree", "kernel.offset", "kernel.isotropic"},
           .recipe = R"({"model": "exact-polynomial", "kernel": {"degree": 3, "offset": 1}})"},
          [](const Recipe& recipe, Index inputs) -> std::unique_ptr<Kernel> {
            return std::make_unique<ProductKernel>(inputs, recipe.kernel.degree, recipe.kernel.offset,
                                                   recipe.kernel.isotropic);
          }};
}

}  // namespace alacarte
