// Updates of posteriors with a factor of the Gram matrix: exact kernels, and features with fewer rows than features.
#include <cmath>
#include <limits>

#include "core/special_functions.hpp"
#include "linalg/dense.hpp"
#include "linear_gaussian.hpp"
#include "model/posterior_update.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

constexpr double kNoDensity = std::numeric_limits<double>::quiet_NaN();

// Keeps the rows, and factors the Gram matrix of all of them again.
class RowsUpdate : public PosteriorUpdate {
 public:
  void add(const InputView& x, ConstVec y, const Vector& weights) final {
    append_inputs(x);
    const Index before = y_.size();
    y_.conservativeResize(before + y.size());
    y_.tail(y.size()) = y;
    if (weights.size() > 0 && weights_.size() == 0) weights_ = Vector::Ones(before);
    if (weights_.size() == 0 && weights.size() == 0) return;
    weights_.conservativeResize(y_.size());
    weights_.tail(y.size()) = weights.size() > 0 ? weights : Vector::Ones(y.size());
  }

  double model_bytes() const override { return bytes_of_factor(learned() + y_.size()); }

 protected:
  RowsUpdate(const PosteriorScalars& scalars, const Matrix& factor, const Vector& roots, double keep)
      : mean_(scalars.constant_variance > 0 ? MeanKind::constant : MeanKind::zero),
        scalars_(scalars),
        factor_(factor),
        roots_(roots),
        keep_(keep) {}

  virtual void append_inputs(const InputView& x) = 0;

  Index learned() const { return factor_.rows(); }
  const PosteriorScalars& scalars() const { return scalars_; }
  MeanKind mean() const { return mean_; }
  double keep() const { return keep_; }

  /// Returns the roots of the weights of all rows, (n + m), or empty: all 1.
  Vector all_roots() const {
    if (keep_ == 1 && roots_.size() == 0 && weights_.size() == 0) return {};
    Vector roots = Vector::Ones(learned() + y_.size());
    if (roots_.size() > 0) roots.head(learned()) = roots_;
    roots.head(learned()) *= std::sqrt(keep_);
    if (weights_.size() > 0) roots.tail(y_.size()) = weights_.cwiseSqrt();
    return roots;
  }

  /// Returns z of the header. fitted (n + m): the mean function so far without its offset.
  Vector targets(const Vector& fitted) const {
    Vector z = (1 - keep_) * fitted;
    z.tail(y_.size()) += y_ - fitted.tail(y_.size());
    z.tail(y_.size()).array() -= scalars_.offset;
    return z;
  }

  /// Returns the log density of the new rows. value: negative log evidence of z at all rows. The evidence of the
  /// earlier rows enters without its quadratic form: that of all targets consists of it and z's.
  double log_density(double value) const {
    if (keep_ < 1) return kNoDensity;
    const double n = static_cast<double>(learned());
    const Vector u = roots_.size() > 0 ? roots_ : Vector::Ones(learned());
    double before = n * kLogTwoPi + log_determinant(factor_) - 2 * u.array().log().sum();
    if (mean_ == MeanKind::constant) {
      const double eigenvalue =
          (factor_.triangularView<Eigen::Lower>().transpose() * u).squaredNorm() / u.squaredNorm();
      before += std::log(u.squaredNorm()) - std::log(eigenvalue) - kLogTwoPi;
    }
    return 0.5 * before - value;
  }

 private:
  MeanKind mean_;
  const PosteriorScalars& scalars_;
  const Matrix& factor_;
  const Vector& roots_;
  double keep_;
  Vector y_, weights_;
};

Matrix below(const Matrix& above, const Matrix& more) {
  Matrix all(above.rows() + more.rows(), std::max(above.cols(), more.cols()));
  all << above, more;
  return all;
}

class ExactUpdate final : public RowsUpdate {
 public:
  ExactUpdate(std::shared_ptr<const Kernel> kernel, const Vector& theta, const ExactState& state, double keep)
      : RowsUpdate(state.scalars, state.factor, state.roots, keep),
        kernel_(std::move(kernel)),
        theta_(theta),
        inputs_(state.inputs),
        alpha_(state.alpha) {}

  UpdatedPosterior finish() override {
    const Index rows = inputs_.rows();
    Matrix gram(rows, rows);
    kernel_->gram_lower(theta_, inputs_, gram, 1);
    mirror_lower(gram);
    Vector known = Vector::Zero(rows);
    known.head(alpha_.size()) = alpha_;
    DualGaussian gaussian(mean());
    gaussian.factor(gram, targets(gram * known), scalars().noise_variance, all_roots());
    ExactState state;
    state.scalars = {scalars().offset + gaussian.offset(), scalars().noise_variance, gaussian.constant_variance()};
    state.inputs = std::move(inputs_);
    state.alpha = keep() * known + gaussian.alpha();
    state.row_means = gaussian.row_means();
    state.roots = gaussian.roots();
    state.factor = gaussian.factor_matrix();
    return {make_posterior(kernel_, theta_, std::move(state)), log_density(gaussian.value()), gaussian.jitter()};
  }

 private:
  void append_inputs(const InputView& x) override { inputs_ = below(inputs_, x.dense()); }

  std::shared_ptr<const Kernel> kernel_;
  const Vector& theta_;
  Matrix inputs_;
  const Vector& alpha_;
};

// Features of fewer rows than features, until there are more of them.
class DualUpdate final : public RowsUpdate {
 public:
  DualUpdate(std::shared_ptr<const FeatureMap> map, const Member& member, const FeatureState& state, double keep)
      : RowsUpdate(state.scalars, state.factor, state.roots, keep),
        map_(std::move(map)),
        theta_(member.theta),
        stays_dual_(member.recipe.evidence == EvidenceForm::dual),
        weights_(state.weights) {
    all_.inputs = state.inputs;
    all_.sparse = state.sparse;
  }

  UpdatedPosterior finish() override {
    const Index rows = all_.rows();
    const auto prepared = map_->prepare(theta_);
    Matrix psi(rows, map_->feature_count());
    for (Index first = 0; first < rows; first += kPosteriorRows) {
      const Index count = std::min(kPosteriorRows, rows - first);
      prepared->forward(all_.view().middle_rows(first, count), psi.middleRows(first, count));
    }
    const Vector z = targets(psi * weights_);
    return stays_dual_ || rows < map_->feature_count() ? dual(psi, z) : primal(psi, z);
  }

 private:
  void append_inputs(const InputView& x) override {
    if (all_.is_sparse())
      all_.sparse.append(x.sparse());
    else
      all_.inputs = below(all_.inputs, x.dense());
  }

  UpdatedPosterior dual(const Matrix& psi, const Vector& z) {
    Matrix gram(psi.rows(), psi.rows());
    syrk_lower(1.0, psi, Op::none, 0.0, gram);
    DualGaussian gaussian(mean());
    gaussian.factor(gram, z, scalars().noise_variance, all_roots());
    FeatureState state;
    state.roots = gaussian.roots();
    state.centre = Vector::Zero(psi.cols());
    if (mean() == MeanKind::constant) {
      const Vector w = state.roots.size() > 0 ? Vector(state.roots.cwiseAbs2()) : Vector::Ones(psi.rows());
      state.centre = psi.transpose() * w / w.sum();
    }
    const Vector step = psi.transpose() * gaussian.alpha();
    state.weights = keep() * weights_ + step;
    state.scalars = {scalars().offset + gaussian.target_mean() - state.centre.dot(step), scalars().noise_variance,
                     gaussian.constant_variance()};
    state.factor = gaussian.factor_matrix();
    state.inputs = std::move(all_.inputs);
    state.sparse = std::move(all_.sparse);
    return {make_posterior(map_, theta_, std::move(state)), log_density(gaussian.value()), gaussian.jitter()};
  }

  UpdatedPosterior primal(const Matrix& psi, const Vector& z) {
    const Vector roots = all_roots();
    PrimalSums sums;
    sums.reset(psi.cols());
    Matrix scaled = psi;
    Vector targets = z;
    if (roots.size() > 0)
      sums.add(scaled, targets, roots);
    else
      sums.add(scaled, targets);
    PrimalGaussian gaussian(mean());
    gaussian.factor(sums, scalars().noise_variance, false);
    FeatureState state;
    state.scalars = {scalars().offset + gaussian.offset(), scalars().noise_variance, gaussian.constant_variance()};
    state.weights = keep() * weights_ + gaussian.weights();
    state.centre = gaussian.centre();
    state.factor = gaussian.factor_matrix();
    Vector residual(z.size());
    gaussian.residual(psi, z, residual);
    if (roots.size() > 0) residual.array() *= roots.array();
    const double value = gaussian.value(residual.squaredNorm());
    return {make_posterior(map_, theta_, std::move(state)), log_density(value), gaussian.jitter()};
  }

  std::shared_ptr<const FeatureMap> map_;
  const Vector& theta_;
  bool stays_dual_;
  const Vector& weights_;
  Dataset all_;
};

}  // namespace

std::unique_ptr<PosteriorUpdate> make_exact_update(const Member& member, const ExactState& state, double keep) {
  return std::make_unique<ExactUpdate>(member.prior.kernel(), member.theta, state, keep);
}

std::unique_ptr<PosteriorUpdate> make_dual_update(const Member& member, const FeatureState& state, double keep) {
  return std::make_unique<DualUpdate>(member.prior.map(), member, state, keep);
}

}  // namespace alacarte
