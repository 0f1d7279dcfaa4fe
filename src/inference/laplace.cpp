#include "inference/laplace.hpp"

#include <cmath>

#include "linalg/dense.hpp"

namespace alacarte {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();
constexpr int kMaxNewtonSteps = 200, kMaxHalvings = 60;  // steps of a search, halvings of each step
constexpr double kRounding = 1e-11;                      // relative rounding of the value

}  // namespace

double Laplace::noise_sd(ConstVec theta) const {
  const auto own = rows_.likelihood_at(theta);
  return own ? std::sqrt(own->noise_variance()) : 0;
}

double Laplace::value(ConstVec theta) {
  return of_first(add_log_determinant(find_mode(theta), std::numeric_limits<double>::infinity()));
}

double Laplace::evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
  require(gradient.size() == parameters().size(), "gradient does not fit the objective");
  const double value = of_first(add_log_determinant(find_mode(theta), ceiling));
  if (value > ceiling) {
    gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
    return value;
  }
  pull_back_mode(pull_back_at_mode());
  rows_.finish(gradient);
  finish_gradient(parameters(), value, gradient);
  return value;
}

Solution Laplace::solve(ConstVec theta, const LeftOutRows& left_out) {
  add_log_determinant(find_mode(theta), kFailed);
  auto laplace = posterior_around(theta, weights_);
  std::unique_ptr<Posterior> stepped;
  if (rows_.uses_variational_step()) {
    const Matrix step = variational_step(*laplace);
    stepped = posterior_around(theta, weights_ + 0.5 * step);
  }
  Solution solution;
  if (left_out.any)
    solution.leave_one_out = rows_.leave_one_out(*laplace, stepped ? *stepped : *laplace, left_out.rows);
  solution.posterior = std::move(stepped ? stepped : laplace);
  return solution;
}

void Laplace::set_warm_start(ConstVec weights) {
  if (weights.size() != 0 && weights.size() != width() * outputs())
    throw IoError("checkpoint", "the weights of the mode do not fit the model");
  weights_ = weights.reshaped(weights.size() == 0 ? 0 : width(), weights.size() == 0 ? 0 : outputs());
}

double Laplace::find_mode(ConstVec theta) {
  rows_.prepare(theta);
  const Matrix fresh = rows_.start(rows_.constant_sd(theta));
  const bool warm = weights_.size() > 0;
  if (warm) shrink_weights();
  begin_search();
  double value = ascend(warm ? weights_ : fresh);
  if (!std::isfinite(value) && warm) value = ascend(fresh);
  if (std::isfinite(value)) return value;
  weights_.resize(0, 0);
  throw NumericalError("Laplace's approximation", "the mode was not found", value);
}

/// Shrinks weights that a larger amplitude made too large: at one e^10 times the last, Newton's method would come back
/// in hundreds of short steps.
void Laplace::shrink_weights() {
  double value = value_only(weights_);
  for (int halvings = 0; halvings < kMaxHalvings; ++halvings) {
    const double half = value_only(0.5 * weights_);
    if (!(half < value)) return;
    weights_ *= 0.5;
    value = half;
  }
}

double Laplace::ascend(Matrix weights) {
  const double goal = tolerance_.decrement_per_row * (1 + as_double(rows_.source().rows()));
  double best = value_at(weights), last_decrement = kFailed, length = 1;
  if (!std::isfinite(best)) return kFailed;
  weights_ = std::move(weights);
  Matrix step;
  for (int steps = 0; steps < kMaxNewtonSteps; ++steps) {
    const double now = decrement(step);
    const bool stalled = now < tolerance_.stall && now >= 0.25 * last_decrement;
    if (now <= goal || stalled) return best;
    last_decrement = now;
    newton_step(now, step);
    const double value = shorten(step, length, best);
    if (!std::isfinite(value)) break;
    best = value;
  }
  return last_decrement < tolerance_.stall ? best : kFailed;
}

/// Goes from weights_ by a share of the step at which the value does not rise, and calls value_at() there. `length` is
/// the share of the previous step, and becomes that of this one. Where the likelihood is flat, whole steps are many
/// times too long, one after the other.
double Laplace::shorten(const Matrix& step, double& length, double best) {
  const double ceiling = best + kRounding * (1 + std::abs(best));
  const bool is_short = length < 1;
  length = std::min(1.0, 2 * length);
  for (int halvings = 0; halvings < kMaxHalvings; ++halvings, length *= 0.5) {
    const Matrix weights = weights_ + length * step;
    // A pass for the value alone is cheap compared with one that sums the curvature.
    if ((is_short || halvings > 0) && !(value_only(weights) <= ceiling)) continue;
    const double value = value_at(weights);
    if (!(value <= ceiling)) continue;
    weights_ = weights;
    return value;
  }
  return kFailed;
}

double Laplace::value_only(const Matrix& weights) {
  rows_.pass([&](LaplaceState& state, const RowBlock& block, MatRef psi) {
    state.value += rows_.value(state, block, psi, weights);
  });
  return -rows_.value() + 0.5 * weights.squaredNorm();
}

double Laplace::factor_in_place(MatRef curvature) {
  curvature.diagonal().array() += 1.0;
  if (!curvature.diagonal().allFinite()) throw NumericalError("Laplace's approximation", "the curvature is not finite");
  return safe_cholesky(curvature, "Cholesky factor of the curvature");
}

void Laplace::factor_curvature(MatRef curvature) {
  const BlasThreads many(factor_threads(curvature.rows()));
  jitter_ = std::max(jitter_, factor_in_place(curvature));
}

std::unique_ptr<Inference> make_laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                        const InferenceOptions& options) {
  const Index outputs = options.likelihood.get().outputs(options.classes);
  const Index joint = outputs * (map->feature_count() + (options.mean == MeanKind::constant ? 1 : 0));
  const bool may_bound = outputs > 1 && options.form != EvidenceForm::primal;
  if (may_bound && (joint > options.max_joint_features || options.form == EvidenceForm::bound))
    return make_block_laplace(std::move(map), std::move(rows), options);
  auto whole = make_joint_laplace(map, rows, options);
  if (may_bound && options.memory_bytes > 0 && whole->plan().memory_bytes > options.memory_bytes)
    return make_block_laplace(std::move(map), std::move(rows), options);
  return whole;
}

}  // namespace alacarte
