// Kernels a^2 phi(r^2) with r^2 = sum_j ((x_j - x'_j)/lengthscale_j)^2.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "alacarte/core/error.hpp"
#include "core/log_lengthscales.hpp"
#include "core/special_functions.hpp"
#include "kernel/entries.hpp"
#include "kernel/tiled.hpp"
#include "linalg/pair_loops.hpp"

namespace alacarte {
namespace {

/// The profile phi. Const and shared by threads.
class Profile {
 public:
  using Array = Eigen::Ref<Eigen::ArrayXd>;
  virtual ~Profile() = default;
  /// Replaces r^2 by phi(r^2). `shape`: exp of the log shape parameter, or 0.
  virtual void apply(Array r2, double shape) const = 0;
  /// Returns the form whose fast loops training uses; without one it uses apply() and apply_slope().
  virtual std::optional<PairProfile> closed_form() const { return {}; }
  /// Replaces r^2 by -2 phi'(r^2), the factor of ((x_j - x'_j)/lengthscale_j)^2 in d phi / d log lengthscale_j. At a
  /// pole at r^2 = 0 the product is 0, and so is the result.
  virtual void apply_slope(Array) const {}
  /// Returns -2 phi'(0), the variance of the process's derivative along an input of length-scale 1; 0 if that is
  /// infinite: such processes have no derivative.
  virtual double slope_at_zero() const { return 0; }
};

// Distance at which exp(-r) is 0 and r^2 finite, so their product is not NaN.
constexpr double kMaxDistance = 1e100;

class SquaredExponential final : public Profile {
 public:
  void apply(Array r2, double) const override { r2 = (-0.5 * r2).exp(); }
  std::optional<PairProfile> closed_form() const override { return PairProfile::squared_exponential; }
  double slope_at_zero() const override { return 1; }
};

class Matern12 final : public Profile {
 public:
  void apply(Array r2, double) const override { r2 = (-r2.sqrt()).exp(); }
  std::optional<PairProfile> closed_form() const override { return PairProfile::matern12; }
};

class Matern32 final : public Profile {
 public:
  void apply(Array r2, double) const override {
    r2 = (3.0 * r2).sqrt().min(kMaxDistance);
    r2 = (1.0 + r2) * (-r2).exp();
  }
  std::optional<PairProfile> closed_form() const override { return PairProfile::matern32; }
  double slope_at_zero() const override { return 3; }
};

class Matern52 final : public Profile {
 public:
  void apply(Array r2, double) const override {
    r2 = (5.0 * r2).sqrt().min(kMaxDistance);
    r2 = (1.0 + r2 + r2.square() / 3.0) * (-r2).exp();
  }
  std::optional<PairProfile> closed_form() const override { return PairProfile::matern52; }
  double slope_at_zero() const override { return 5.0 / 3.0; }
};

/// (1 + r^2/(2 alpha))^-alpha; alpha is the shape.
class RationalQuadratic final : public Profile {
 public:
  void apply(Array r2, double alpha) const override { r2 = (-alpha * (r2 / (2 * alpha)).log1p()).exp(); }
  std::optional<PairProfile> closed_form() const override { return PairProfile::rational_quadratic; }
  double slope_at_zero() const override { return 1; }
};

// phi(z) = 2^(1-nu)/Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r, and z phi'(z), which is -r^2 times the slope. A Bessel
// function takes a microsecond, as long as all the rest of a pair: both are tables of cubic Hermite pieces over log z,
// whose error of 1e-11 is far below any noise. Few pairs have a z below the table.
class GeneralMatern final : public Profile {
 public:
  explicit GeneralMatern(double nu) : nu_(nu) {
    log_factor_ = (1 - nu) * std::log(2.0) - log_gamma(nu);
    const auto nodes = static_cast<std::size_t>((kLast - kFirst) / kStep) + 2;
    table_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) table_[i] = at(std::exp(kFirst + kStep * static_cast<double>(i)));
  }

  void apply(Array r2, double) const override {
    for (double& value : r2) value = value > 0 ? look_up(std::sqrt(2 * nu_ * value), &Node::value) : 1;
  }
  void apply_slope(Array r2) const override {
    for (double& value : r2) value = value > 0 ? -look_up(std::sqrt(2 * nu_ * value), &Node::slope) / value : 0;
  }
  // Uses phi = 1 - nu r^2 / (2 (nu - 1)) + ..: mean square differentiable for nu > 1.
  double slope_at_zero() const override { return nu_ > 1 ? nu_ / (nu_ - 1) : 0; }

 private:
  static constexpr double kFirst = -12, kLast = 6.5, kStep = 1.0 / 256;

  // phi, d phi / d log z and the second derivative by log z.
  struct Node {
    double value = 1, slope = 0, curvature = 0;
  };

  // Uses (z^nu K_nu)' = -z^nu K_(nu-1).
  Node at(double z) const {
    const double k = bessel_k(nu_, z);
    // K overflows only if phi is 1 to rounding.
    if (!std::isfinite(k)) return {};
    const double power = std::exp(log_factor_ + nu_ * std::log(z));
    const double before = bessel_k(std::abs(nu_ - 1), z);
    Node node;
    node.value = power * k;
    node.slope = -power * z * before;
    // d/dlog z of -c z^(nu+1) K_(nu-1): (z^(nu-1) K_(nu-1))' = -z^(nu-1) K_(nu-2), K_(nu-2) = K_nu - 2(nu-1)/z
    // K_(nu-1).
    node.curvature = 2 * node.slope + power * z * z * (k - 2 * (nu_ - 1) / z * before);
    return node;
  }

  double look_up(double z, double Node::*field) const {
    const double place = (std::log(z) - kFirst) / kStep;
    if (place < 0) return at(z).*field;
    if (!(place < static_cast<double>(table_.size() - 1))) return 0;
    const auto i = static_cast<std::size_t>(place);
    const Node &a = table_[i], &b = table_[i + 1];
    const bool value = field == &Node::value;
    const double t = place - static_cast<double>(i);
    const double a_slope = kStep * (value ? a.slope : a.curvature), b_slope = kStep * (value ? b.slope : b.curvature);
    const double rise = b.*field - a.*field;
    return a.*field + t * (a_slope + t * (3 * rise - 2 * a_slope - b_slope + t * (a_slope + b_slope - 2 * rise)));
  }

  double nu_, log_factor_;
  std::vector<Node> table_;
};

/// Returns Matern-nu of sqrt(2 nu) r; closed forms for nu = 1/2, 3/2, 5/2, else tables of Bessel functions. Throws
/// ConfigError unless 0 < nu <= 50.
std::unique_ptr<Profile> matern(double nu) {
  // Beyond, Bessel functions overflow, and the kernel is Gaussian to a per cent.
  constexpr double kMaxNu = 50;
  if (!(nu > 0 && nu <= kMaxNu))
    throw ConfigError("/kernel/nu", "must be above 0 and at most 50; the limit of large nu is exact-ard");
  if (nu == 0.5) return std::make_unique<Matern12>();
  if (nu == 1.5) return std::make_unique<Matern32>();
  if (nu == 2.5) return std::make_unique<Matern52>();
  return std::make_unique<GeneralMatern>(nu);
}

// Computes squared scaled distances from the rows [first, first + r2.size()) of x1 to one row of x2. It subtracts
// before it scales: for neighbours that is exact (Sterbenz), while x/lengthscale would already be rounded.
void squared_distances(ConstMat x1, Index first, ConstMat x2, Index row, ConstVec inverse,
                       Eigen::Ref<Eigen::ArrayXd> r2) {
  r2.setZero();
  for (Index j = 0; j < x1.cols(); ++j)
    r2 += ((x1.col(j).segment(first, r2.size()).array() - x2(row, j)) * inverse[j]).square();
}

class StationaryKernel final : public TiledKernel {
 public:
  /// Begins slot names with `prefix`; `shared`: one length-scale for all inputs. `shape`: name of the log shape slot
  /// after the prefix, "" for none, with its start.
  StationaryKernel(std::unique_ptr<Profile> profile, const std::string& prefix, bool shared, Index input_count,
                   const std::string& shape = {}, double shape_start = 1, bool learn_shape = true)
      : TiledKernel(input_count), profile_(std::move(profile)), shape_start_(shape_start) {
    scales_ = {0, inputs_, shared};
    scales_.first = layout_.add(distance_scale_slot(prefix + ".log_lengthscale", scales_.count(), inputs_));
    amplitude_at_ = layout_.add(amplitude_slot(prefix + ".log_amplitude"));
    if (shape.empty()) return;
    const double mean = std::log(shape_start);
    shape_at_ = layout_.add({.name = prefix + "." + shape,
                             .trainable = learn_shape,
                             .prior = {ParameterPrior::Kind::normal, Vector::Constant(1, mean), 1.5},
                             .lower = std::min(-5.0, mean - 1),
                             .upper = std::max(8.0, mean + 1)});
  }

  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    require(statistics.input_count() == inputs_, "kernel: training view of another input count");
    Vector theta(layout_.size());
    if (scales_.shared) {
      const double level = 0.1 + 0.2 * static_cast<double>(k % 5);
      theta[scales_.first] = std::log(std::max(statistics.distance_quantile(level, Vector::Ones(inputs_)), 1e-300));
    } else {
      scales_.set(ard_start(statistics, stream), theta);
    }
    theta[amplitude_at_] = std::log(statistics.target_sd);
    if (shape_at_ >= 0) theta[shape_at_] = std::log(shape_start_);
    keep_inside(layout_, theta);
    return theta;
  }

  bool has_tangent() const override { return profile_->slope_at_zero() > 0; }

  KernelDescription describe(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    auto report = describe_scales(std::exp(theta[amplitude_at_]), scales_.learned(theta), inputs_);
    if (shape_at_ >= 0) report.shape = std::exp(theta[shape_at_]);
    return report;
  }

 protected:
  Index constant_count() const override { return inputs_ + 2; }
  // Sets 1/lengthscale of each input, a^2, shape.
  void prepare(ConstVec theta, VecRef constants) const override {
    for (Index j = 0; j < inputs_; ++j) constants[j] = std::exp(-scales_.of_input(theta, j));
    constants[inputs_] = std::exp(2.0 * theta[amplitude_at_]);
    constants[inputs_ + 1] = shape_at_ < 0 ? 0 : std::exp(theta[shape_at_]);
  }

  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    squared_distances(x1, first, x2, row, constants, out);
    profile_->apply(out, constants[inputs_ + 1]);
    out *= constants[inputs_];
  }

  void training_values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    const std::optional<PairProfile> form = profile_->closed_form();
    if (!form) return values(constants, x1, first, x2, row, out);
    scaled_square_distances(pairs(x1, first, out.size(), x2, row), constants.data(), out.data());
    pair_values(*form, out.size(), constants[inputs_], constants[inputs_ + 1], out.data());
  }

  double variance(ConstVec constants, ConstMat, Index) const override { return constants[inputs_]; }
  void tangents(ConstVec constants, ConstMat x1, ConstMat x1_dot, Index first, ConstMat x2, Index row,
                Array out) const override {
    const Index count = out.size();
    const double shape = constants[inputs_ + 1];
    Tile slope(count), along = Tile::Zero(count);
    squared_distances(x1, first, x2, row, constants, slope);
    if (const std::optional<PairProfile> form = profile_->closed_form()) {
      out = slope;
      profile_->apply(out, shape);
      out *= constants[inputs_];
      const Tile ones = Tile::Ones(count);
      pair_slopes(*form, count, shape, out.data(), ones.data(), slope.data());
    } else {
      profile_->apply_slope(slope);
      slope *= constants[inputs_];
    }
    for (Index j = 0; j < inputs_; ++j)
      along += (x1.col(j).segment(first, count).array() - x2(row, j)) * x1_dot.col(j).segment(first, count).array() *
               (constants[j] * constants[j]);
    out = -slope * along;
  }
  double slope_variance(ConstVec constants, ConstMat, ConstMat x_dot, Index row) const override {
    double square = 0;
    for (Index j = 0; j < inputs_; ++j) square += std::pow(x_dot(row, j) * constants[j], 2);
    return constants[inputs_] * profile_->slope_at_zero() * square;
  }
  Index sum_count() const override { return inputs_ + 2; }
  // Adds the sums of weighted squared differences of each input, of weight times value, and for the shape.
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray value,
               ConstArray weight, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override {
    const RowsAndPoint x = pairs(x1, first, value.size(), x2, row);
    auto slope = scratch.col(0);
    if (profile_->closed_form() != PairProfile::squared_exponential)
      scaled_square_distances(x, constants.data(), slope.data());
    add_slopes(constants, x, value, weight, slope, sums);
  }
  // Reuses the distances of the values.
  void collect_anew(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray weight,
                    Array value, Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override {
    const std::optional<PairProfile> form = profile_->closed_form();
    if (!form) return TiledKernel::collect_anew(constants, x1, first, x2, row, weight, value, scratch, sums);
    const RowsAndPoint x = pairs(x1, first, value.size(), x2, row);
    auto slope = scratch.col(0);
    scaled_square_distances(x, constants.data(), slope.data());
    value = slope;
    pair_values(*form, value.size(), constants[inputs_], constants[inputs_ + 1], value.data());
    add_slopes(constants, x, value, weight, slope, sums);
  }

  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override {
    scales_.add_slopes(sums.head(inputs_).cwiseProduct(constants.head(inputs_).cwiseAbs2()), theta_bar);
    theta_bar[amplitude_at_] += 2.0 * sums[inputs_];
    if (shape_at_ >= 0) theta_bar[shape_at_] += sums[inputs_ + 1];
  }

 private:
  /// Finishes collect() once `slope` holds the squared distances, which it overwrites.
  void add_slopes(ConstVec constants, const RowsAndPoint& x, ConstArray value, ConstArray weight, Array slope,
                  VecRef sums) const {
    const double shape = constants[inputs_ + 1];
    sums[inputs_] += (weight * value).sum();
    if (shape_at_ >= 0)
      sums[inputs_ + 1] += rational_quadratic_shape_slope(x.count, shape, value.data(), weight.data(), slope.data());
    if (const std::optional<PairProfile> form = profile_->closed_form()) {
      pair_slopes(*form, x.count, shape, value.data(), weight.data(), slope.data());
    } else {
      profile_->apply_slope(slope);
      slope *= constants[inputs_] * weight;
    }
    add_weighted_squares(x, slope.data(), sums.data());
  }

  static RowsAndPoint pairs(ConstMat x1, Index first, Index count, ConstMat x2, Index row) {
    return {x1.data() + first, x1.outerStride(), count, x1.cols(), x2.data() + row, x2.outerStride()};
  }

  std::unique_ptr<Profile> profile_;
  LogLengthscales scales_;
  Index amplitude_at_, shape_at_ = -1;
  double shape_start_;
};

}  // namespace

KernelEntry rbf_kernel_entry() {
  return {{.name = "exact-rbf",
           .description = "Exact Gaussian process, Gaussian kernel with one length-scale for all inputs.",
           .formula = "k(x, x') = v^2 exp(-r^2 / 2), r = |x - x'| / lengthscale",
           .reference = "Rasmussen and Williams 2006, eq. 4.9",
           .recipe = R"({"model": "exact-rbf"})"},
          [](const Recipe&, Index inputs) -> std::unique_ptr<Kernel> {
            return std::make_unique<StationaryKernel>(std::make_unique<SquaredExponential>(), "rbf", true, inputs);
          }};
}

KernelEntry ard_kernel_entry() {
  return {{.name = "exact-ard",
           .description = "Exact Gaussian process, Gaussian kernel with one length-scale for each input.",
           .formula = "k(x, x') = v^2 exp(-r^2 / 2), r^2 = sum_j ((x_j - x'_j) / lengthscale_j)^2",
           .reference = "Rasmussen and Williams 2006, eq. 5.1",
           .recipe = R"({"model": "exact-ard"})"},
          [](const Recipe&, Index inputs) -> std::unique_ptr<Kernel> {
            return std::make_unique<StationaryKernel>(std::make_unique<SquaredExponential>(), "ard", false, inputs);
          }};
}

KernelEntry matern_kernel_entry() {
  return {
      {.name = "exact-matern",
       .description =
           "Exact Gaussian process, Matern kernel of any nu up to 50, one length-scale for each input (or for all).",
       .formula = "k(x, x') = v^2 2^(1 - nu) / Gamma(nu) s^nu K_nu(s), s = sqrt(2 nu) r;  nu = 1/2: v^2 exp(-r), "
                  "3/2: v^2 (1 + s) exp(-s),\n5/2: v^2 (1 + s + s^2/3) exp(-s);  r^2 = sum_j ((x_j - x'_j) / "
                  "lengthscale_j)^2",
       .reference = "Rasmussen and Williams 2006, eqs. 4.14, 4.17",
       .accuracy = "exact; for nu other than 1/2, 3/2, 5/2 from a table good to 1e-10 of v^2",
       .fixed = "kernel.nu stays what the recipe says",
       .keys = {"kernel.nu", "kernel.isotropic"},
       .recipe = R"({"model": "exact-matern", "kernel": {"nu": 2.5}})"},
      [](const Recipe& recipe, Index inputs) -> std::unique_ptr<Kernel> {
        return std::make_unique<StationaryKernel>(matern(recipe.kernel.nu), "matern", recipe.kernel.isotropic, inputs);
      }};
}

KernelEntry rational_quadratic_kernel_entry() {
  return {{.name = "exact-rq",
           .description =
               "Exact Gaussian process, rational quadratic kernel, one length-scale for each input (or for all).",
           .formula = "k(x, x') = v^2 (1 + r^2 / (2 alpha))^-alpha, r^2 = sum_j ((x_j - x'_j) / lengthscale_j)^2; "
                      "alpha = 1 is the Cauchy kernel",
           .reference = "Rasmussen and Williams 2006, eq. 4.19",
           .keys = {"kernel.alpha", "kernel.learn_shape", "kernel.isotropic"},
           .recipe = R"({"model": "exact-rq", "kernel": {"alpha": 1}})"},
          [](const Recipe& recipe, Index inputs) -> std::unique_ptr<Kernel> {
            if (!(recipe.kernel.alpha > 0)) throw ConfigError("/kernel/alpha", "must be above 0");
            return std::make_unique<StationaryKernel>(std::make_unique<RationalQuadratic>(), "rq",
                                                      recipe.kernel.isotropic, inputs, "log_alpha", recipe.kernel.alpha,
                                                      recipe.kernel.learn_shape);
          }};
}

}  // namespace alacarte
