#include "inference/laplace.hpp"

#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"

namespace alacarte {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();
constexpr int kMaxNewtonSteps = 100, kMaxHalvings = 60;

}  // namespace

double Laplace::noise_sd(ConstVec theta) const {
  const auto own = rows_.likelihood_at(theta);
  return own ? std::sqrt(own->noise_variance()) : 0;
}

double Laplace::value(ConstVec theta) {
  return add_log_determinant(find_mode(theta), std::numeric_limits<double>::infinity());
}

double Laplace::evaluate_below(double ceiling, ConstVec theta, VecRef gradient) {
  require(gradient.size() == parameters().size(), "gradient does not fit the objective");
  const double value = add_log_determinant(find_mode(theta), ceiling);
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
  begin_search();
  const Matrix fresh = rows_.start(rows_.constant_sd(theta));
  const bool warm = weights_.size() > 0;
  double value = ascend(warm ? weights_ : fresh);
  if (!std::isfinite(value) && warm) value = ascend(fresh);
  if (std::isfinite(value)) return value;
  weights_.resize(0, 0);
  throw NumericalError("Laplace's approximation", "the mode was not found", value);
}

double Laplace::ascend(Matrix weights) {
  const double goal = tolerance_.decrement_per_row * (1 + as_double(rows_.source().rows()));
  double best = kFailed, last_decrement = kFailed;
  Matrix step;
  for (int steps = 0, halvings = 0; steps < kMaxNewtonSteps && halvings < kMaxHalvings;) {
    const double value = value_at(weights);
    if (!(value <= best + 1e-11 * (1 + std::abs(best)))) {
      if (!std::isfinite(best)) return kFailed;
      ++halvings;
      step *= 0.5;
      weights = weights_ + step;
      continue;
    }
    best = value;
    weights_ = weights;
    const double now = decrement(step);
    const bool stalled = now < tolerance_.stall && now >= 0.25 * last_decrement;
    if (now <= goal || stalled) return best;
    last_decrement = now;
    newton_step(now, step);
    weights = weights_ + step;
    ++steps;
  }
  return last_decrement < tolerance_.stall ? best : kFailed;
}

void Laplace::factor_curvature(MatRef curvature) {
  const BlasThreads many(rows_.threads());
  curvature.diagonal().array() += 1.0;
  if (!curvature.diagonal().allFinite()) throw NumericalError("Laplace's approximation", "the curvature is not finite");
  jitter_ = std::max(jitter_, safe_cholesky(curvature, "Cholesky factor of the curvature"));
}

std::unique_ptr<Inference> make_laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                        const InferenceOptions& options) {
  const Index outputs = options.likelihood.get().outputs(options.classes);
  const Index joint = outputs * (map->feature_count() + (options.mean == MeanKind::constant ? 1 : 0));
  const bool may_bound = outputs > 1 && options.form != EvidenceForm::primal;
  if (may_bound && joint > options.max_joint_features)
    return make_block_laplace(std::move(map), std::move(rows), options);
  auto whole = make_joint_laplace(map, rows, options);
  if (may_bound && options.memory_bytes > 0 && whole->plan().memory_bytes > options.memory_bytes)
    return make_block_laplace(std::move(map), std::move(rows), options);
  return whole;
}

}  // namespace alacarte
