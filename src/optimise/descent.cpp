#include "descent.hpp"

#include <LBFGSpp/BFGSMat.h>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "fit_context.hpp"
#include "inference/wolfe_search.hpp"

namespace alacarte {
namespace {

constexpr double kLongestFirstMove = 1.0;  // log units: a factor of e in a length-scale
constexpr double kLongestMove = 10.0;      // log units; later steps can rely on the memory, within limits
constexpr Index kObjectiveWindow = 5;
constexpr Index kMaxRestarts = 10;
constexpr double kProgress = 1e-12;

/// Returns true if a pair has positive curvature; otherwise directions would not descend.
bool has_positive_curvature(const Vector& move, const Vector& change) {
  return move.dot(change) > 1e-10 * move.norm() * change.norm();
}

/// Signals that the new pair has no positive curvature.
struct ForgetMemory {};

/// The objective as a function of the trained entries only, and the state of its minimisation.
class TrainedFunction {
 public:
  TrainedFunction(Objective& objective, bool with_priors, const Vector& start, const DescentLimits& limits,
                  const DescentWatch& watch, const DescentState* resume, Curvature carried)
      : objective_(objective),
        with_priors_(with_priors),
        limits_(limits),
        watch_(watch),
        carried_(std::move(carried)),
        entries_(objective.parameters().trainable_entries()),
        theta_(resume != nullptr ? resume->best.theta : start),
        gradient_(start.size()),
        fresh_(resume == nullptr) {
    if (resume != nullptr) {
      state_ = *resume;
      best_x_ = trained(state_.best.theta);
    }
    objective.set_warm_start(state_.warm_start);
  }

  double operator()(const Vector& x, Vector& gradient) {
    if (state_.best.theta.size() > 0 && x == best_x_) {  // a restart begins here; its value is known
      gradient = state_.best_gradient;
      return state_.best.objective;
    }
    DescentResult& best = state_.best;
    if (best.evaluations > 0) check_budget();
    const double value = evaluate(x, gradient);
    ++best.evaluations;
    best.jitter = std::max(best.jitter, std::isfinite(value) ? objective_.jitter() : 0.0);
    if (!std::isfinite(value)) ++best.failed_evaluations;
    if (value < best.objective && gradient.allFinite()) keep(x, value, gradient);
    if (watch_.evaluated) watch_.evaluated(best);
    return value;
  }

  /// Returns the length of the first step: in thousands of dimensions 1/|direction| would be far too short.
  double first_step(const Vector& direction) {
    const double limit = std::exchange(fresh_, false) ? kLongestFirstMove : kLongestMove;
    return std::min(1.0, limit / direction.cwiseAbs().maxCoeff());
  }

  /// Sets the value above which trials are rejected whatever their slope; they come without a gradient.
  void set_ceiling(double value) { ceiling_ = value; }

  void accepted(const Vector& x, double value, const Vector& gradient) {
    state_.best.trace.push_back(state_.best.objective);
    add_point(x, value, gradient);
    if (watch_.accepted) {
      state_.warm_start = objective_.warm_start();
      watch_.accepted(state_);
    }
    judge_iteration();
  }

  /// Ends the run if it has converged, or its memory if the last pair has no positive curvature.
  void judge_iteration() const {
    const std::vector<Vector>&points = state_.points, &gradients = state_.gradients;
    check_convergence(state_.value, gradients.back().norm());
    const Vector move = points.back() - points[points.size() - 2];
    const Vector change = gradients.back() - gradients[gradients.size() - 2];
    if (!has_positive_curvature(move, change)) throw ForgetMemory{};
  }

  /// Evaluates the start of a run or restart; returns false if that is impossible.
  bool begin() {
    fresh_ = true;
    ceiling_ = std::numeric_limits<double>::infinity();
    const Vector x = state_.best.theta.size() > 0 ? best_x_ : trained(theta_);
    Vector gradient;
    const double value = (*this)(x, gradient);
    if (!std::isfinite(value)) return false;
    if (static_cast<Index>(state_.best.trace.size()) >= limits_.iterations) throw Stop::iterations;
    if (entries_.empty() || gradient.norm() <= gradient_goal(value)) throw Stop::gradient;
    state_.restart_value = state_.best.objective;
    state_.points.clear();
    state_.gradients.clear();
    add_points_behind(x, gradient, std::exchange(carried_, {}));
    add_point(x, value, gradient);
    return true;
  }

  /// Returns the curvature in the memory; the state then has no points.
  Curvature take_curvature() {
    Curvature kept;
    std::vector<Vector>&points = state_.points, &gradients = state_.gradients;
    for (std::size_t i = 1; i < points.size(); ++i) {
      points[i - 1] = points[i] - points[i - 1];
      gradients[i - 1] = gradients[i] - gradients[i - 1];
      if (!has_positive_curvature(points[i - 1], gradients[i - 1])) continue;
      kept.moves.push_back(std::move(points[i - 1]));
      kept.changes.push_back(std::move(gradients[i - 1]));
    }
    points.clear();
    gradients.clear();
    return kept;
  }

  /// Returns the number of pairs that the memory holds.
  Index history() const { return std::min(limits_.history, static_cast<Index>(entries_.size())); }
  const DescentState& state() const { return state_; }
  DescentResult& result() { return state_.best; }

 private:
  Vector trained(const Vector& theta) const {
    Vector x(static_cast<Index>(entries_.size()));
    for (Index i = 0; i < x.size(); ++i) x[i] = theta[entries_[static_cast<std::size_t>(i)]];
    return x;
  }

  /// Evaluates the objective; all ranks take the first one's value, since last digits differ between machines.
  double evaluate(const Vector& x, Vector& gradient) {
    const double value = evaluate_here(x, gradient);
    if (FitContext::is_alone()) return value;
    Vector both(gradient.size() + 1);
    both << value, gradient;
    FitContext::take_from_first(both);
    gradient = both.tail(gradient.size());
    return both[0];
  }

  double evaluate_here(const Vector& x, Vector& gradient) {
    constexpr double kFailed = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < x.size(); ++i) theta_[entries_[static_cast<std::size_t>(i)]] = x[i];
    gradient.setZero(x.size());
    if (!theta_.allFinite()) return kFailed;
    double value = kFailed;
    try {
      gradient_.setZero();
      const double penalty = objective_.parameters().penalty(theta_, with_priors_, gradient_);
      if (limits_.iterations == 0) return objective_.value(theta_) + penalty;
      prior_gradient_ = gradient_;
      value = objective_.evaluate_below(ceiling_ - penalty, theta_, gradient_) + penalty;
      gradient_ += prior_gradient_;
    } catch (const NumericalError&) {
      return kFailed;
    }
    gradient = trained(gradient_);
    return std::isfinite(value) && (gradient.allFinite() || value > ceiling_) ? value : kFailed;
  }

  void keep(const Vector& x, double value, const Vector& gradient) {
    best_x_ = x;
    state_.best_gradient = gradient;
    state_.best.theta = theta_;
    state_.best.objective = value;
    state_.best.gradient_norm = limits_.iterations > 0
                                    ? gradient.norm()
                                    : std::numeric_limits<double>::quiet_NaN();  // no gradient was asked for
  }

  void add_point(const Vector& x, double value, const Vector& gradient) {
    while (static_cast<Index>(state_.points.size()) > history()) {
      state_.points.erase(state_.points.begin());
      state_.gradients.erase(state_.gradients.begin());
    }
    state_.points.push_back(x);
    state_.gradients.push_back(gradient);
    state_.value = value;
  }

  /// Adds points that lead to x by the carried moves, which the memory and the checkpoint then hold like a run's own.
  void add_points_behind(const Vector& x, const Vector& gradient, Curvature carried) {
    if (carried.moves.empty() || carried.moves.front().size() != x.size()) return;
    Vector point = x, slope = gradient;
    for (std::size_t i = carried.moves.size(); i-- > 0;) {
      carried.moves[i] = point -= carried.moves[i];
      carried.changes[i] = slope -= carried.changes[i];
    }
    state_.points = std::move(carried.moves);
    state_.gradients = std::move(carried.changes);
  }

  void check_budget() const {
    if (watch_.must_stop)
      if (const Stop reason = watch_.must_stop(); reason != Stop::none) throw reason;
    if (limits_.evaluations > 0 && state_.best.evaluations >= limits_.evaluations) throw Stop::evaluations;
  }

  double gradient_goal(double value) const { return limits_.gradient_tolerance * std::max(1.0, std::abs(value)); }

  void check_convergence(double value, double gradient_norm) const {
    const std::vector<double>& trace = state_.best.trace;
    const auto done = static_cast<Index>(trace.size());
    if (gradient_norm <= gradient_goal(value)) throw Stop::gradient;
    if (limits_.objective_tolerance > 0 && done > kObjectiveWindow) {
      const double best = state_.best.objective;
      const double change = std::abs(trace[static_cast<std::size_t>(done - 1 - kObjectiveWindow)] - best);
      if (change <= limits_.objective_tolerance * std::max(1.0, std::abs(best))) throw Stop::objective;
    }
    if (done >= limits_.iterations) throw Stop::iterations;
  }

  Objective& objective_;
  bool with_priors_;
  const DescentLimits& limits_;
  const DescentWatch& watch_;
  Curvature carried_;  // until the memory takes it
  std::vector<Index> entries_;
  Vector theta_, gradient_, prior_gradient_;
  double ceiling_ = std::numeric_limits<double>::infinity();
  bool fresh_;
  Vector best_x_;
  DescentState state_;
};

/// Makes one L-BFGS run until its memory is discarded; ends by a Stop, SearchFailed or ForgetMemory.
[[noreturn]] void run_memory(TrainedFunction& function) {
  const DescentState& state = function.state();
  Vector x = state.points.back(), gradient = state.gradients.back(), direction;
  double value = state.value;
  LBFGSpp::BFGSMat<double> memory;
  memory.reset(static_cast<int>(x.size()), static_cast<int>(function.history()));
  for (std::size_t i = 1; i < state.points.size(); ++i)
    memory.add_correction(state.points[i] - state.points[i - 1], state.gradients[i] - state.gradients[i - 1]);
  for (;;) {
    memory.apply_Hv(gradient, -1.0, direction);
    const Vector previous = x, previous_gradient = gradient;
    WolfeSearch::search(function, value, x, gradient, direction, previous);
    memory.add_correction(x - previous, gradient - previous_gradient);
  }
}

}  // namespace

DescentResult descend(Objective& objective, bool with_priors, const Vector& start, const DescentLimits& limits,
                      const DescentWatch& watch, const DescentState* resume, Curvature* curvature) {
  const bool begins_with_it = curvature != nullptr && resume == nullptr;
  TrainedFunction function(objective, with_priors, start, limits, watch, resume,
                           begins_with_it ? std::exchange(*curvature, {}) : Curvature{});
  DescentResult& result = function.result();
  bool goes_on = resume != nullptr;
  try {
    while (goes_on || function.begin()) {
      try {
        if (std::exchange(goes_on, false)) function.judge_iteration();
        run_memory(function);
      } catch (const SearchFailed&) {
      } catch (const ForgetMemory&) {
      }
      const double before = function.state().restart_value;
      const bool progress = before - result.objective > kProgress * std::max(1.0, std::abs(before));
      if (!progress || result.restarts >= kMaxRestarts) throw Stop::stalled;
      ++result.restarts;
    }
    result.stop = Stop::stalled;
  } catch (Stop reason) {
    result.stop = reason;
  }
  if (curvature != nullptr) *curvature = function.take_curvature();
  return result;
}

}  // namespace alacarte
