#include "model/posterior_update.hpp"

#include "core/special_functions.hpp"
#include "data/row_pass.hpp"
#include "linalg/columns.hpp"
#include "linalg/dense.hpp"
#include "linear_gaussian.hpp"
#include "model/behind_inputs.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Sums over the new rows, and the factor of those before.
class PrimalUpdate final : public PosteriorUpdate {
 public:
  PrimalUpdate(std::shared_ptr<const FeatureMap> map, const Vector& theta, const FeatureState& state, double keep)
      : map_(std::move(map)), theta_(theta), state_(state), keep_(keep), prepared_(map_->prepare(theta_)) {
    const Index count = map_->feature_count(), rows = cached_chunk_rows(count);
    psi_.resize(rows, count);
    residual_.resize(rows);
    sums_.reset(count);
  }

  void add(const InputView& x, ConstVec y, const Vector& weights) override {
    for (Index first = 0; first < x.rows(); first += psi_.rows()) {
      const Index rows = std::min(psi_.rows(), x.rows() - first);
      MatRef psi = psi_.topRows(rows);
      VecRef residual = residual_.head(rows);
      prepared_->forward(x.middle_rows(first, rows), psi);
      residual = y.segment(first, rows).array() - state_.scalars.offset;
      subtract_product(psi, state_.weights, residual);
      if (weights.size() == 0)
        sums_.add(psi, residual);
      else
        sums_.add(psi, residual, Vector(weights.segment(first, rows).cwiseSqrt()));
    }
  }

  double model_bytes() const override { return bytes_of_factor(map_->feature_count()); }

  UpdatedPosterior finish() override {
    const PosteriorScalars& before = state_.scalars;
    const bool constant = before.constant_variance > 0;
    const double precision = 1 / before.noise_variance, more = sums_.weight;
    const double learned = constant ? keep_ * before.noise_variance / before.constant_variance : 0;
    FeatureState state;
    state.scalars = before;
    state.centre = state_.centre;
    Vector slope = sums_.target;
    double squares = sums_.target_square;
    if (constant) {
      const Vector mean = sums_.features / more, step = mean - state_.centre;
      const double residual = sums_.target_sum / more, between = learned * more / (learned + more);
      auto gram = sums_.gram.selfadjointView<Eigen::Lower>();
      gram.rankUpdate(mean, -more);
      gram.rankUpdate(step, between);
      slope += between * residual * step - residual * sums_.features;
      squares += (between - more) * residual * residual;
      state.centre += more / (learned + more) * step;
      state.scalars.offset += more / (learned + more) * residual;
      state.scalars.constant_variance = before.noise_variance / (learned + more);
    }
    state.factor.swap(sums_.gram);
    state.factor.triangularView<Eigen::Lower>() *= precision;
    const Matrix lower = state_.factor.triangularView<Eigen::Lower>();
    syrk_lower(keep_, lower, Op::none, 1.0, state.factor);
    state.factor.diagonal().array() += 1 - keep_;
    const double jitter = safe_cholesky(state.factor, "Cholesky factor of the updated features");
    state.factor.triangularView<Eigen::StrictlyUpper>().setZero();
    slope = precision * slope - (1 - keep_) * state_.weights;
    Vector step = slope;
    solve_lower(state.factor, Op::none, step);
    const double gained = step.squaredNorm();
    solve_lower(state.factor, Op::transpose, step);
    state.weights = state_.weights + step;
    state.scalars.offset -= state.centre.dot(step);

    double log_density = kUnknown;
    if (keep_ == 1) {
      const double rows = static_cast<double>(sums_.rows);
      const double determinants =
          log_determinant(state.factor) - log_determinant(state_.factor) + (constant ? std::log1p(more / learned) : 0);
      log_density = -0.5 * (rows * (kLogTwoPi + std::log(before.noise_variance)) - sums_.log_weight + determinants +
                            precision * squares - gained);
    }
    return {make_posterior(map_, theta_, std::move(state)), log_density, jitter};
  }

 private:
  std::shared_ptr<const FeatureMap> map_;
  const Vector& theta_;
  const FeatureState& state_;
  double keep_;
  std::unique_ptr<PreparedMap> prepared_;
  Matrix psi_;
  Vector residual_;
  PrimalSums sums_;
};

/// The update of a posterior behind what its fit saw of the inputs.
class UpdateBehind final : public PosteriorUpdate {
 public:
  UpdateBehind(std::shared_ptr<const FitInputs> inputs, std::unique_ptr<PosteriorUpdate> inner)
      : inputs_(std::move(inputs)), inner_(std::move(inner)) {}
  void add(const InputView& x, ConstVec y, const Vector& weights) override {
    const Matrix z = inputs_->of(x.dense());
    inner_->add(InputView(z), y, weights);
  }
  double model_bytes() const override { return inner_->model_bytes(); }
  UpdatedPosterior finish() override {
    UpdatedPosterior updated = inner_->finish();
    updated.posterior = behind_inputs(inputs_, std::move(updated.posterior));
    return updated;
  }

 private:
  std::shared_ptr<const FitInputs> inputs_;
  std::unique_ptr<PosteriorUpdate> inner_;
};

std::unique_ptr<PosteriorUpdate> update_of(const Member& member, const FunctionPosterior* posterior, double keep) {
  if (member.recipe.learner.kind != LearnerKind::gp || !likelihood_of(member.recipe).is_conjugate() || !posterior ||
      !posterior->has_variance())
    return nullptr;
  if (const ExactState* exact = posterior->exact_state()) return make_exact_update(member, *exact, keep);
  const FeatureState* state = posterior->feature_state();
  if (state == nullptr || !member.prior.map() || member.prior.map()->has_residual()) return nullptr;
  if (state->weights.size() != member.prior.map()->feature_count()) return nullptr;  // its levels are eliminated
  if (state->is_dual()) return make_dual_update(member, *state, keep);
  return std::make_unique<PrimalUpdate>(member.prior.map(), member.theta, *state, keep);
}

}  // namespace

std::unique_ptr<PosteriorUpdate> make_posterior_update(const Member& member, double keep) {
  require(keep > 0 && keep <= 1, "update: a weight above 0 and at most 1");
  const auto [inputs, inner] = member.posterior->behind();
  if (!inputs) return update_of(member, member.posterior->as_function(), keep);
  auto update = update_of(member, inner->as_function(), keep);
  return update ? std::make_unique<UpdateBehind>(inputs, std::move(update)) : nullptr;
}

}  // namespace alacarte
