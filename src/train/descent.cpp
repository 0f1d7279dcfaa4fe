#include "descent.hpp"

#include <cmath>
#include <utility>

#include "alacarte/core/error.hpp"
#include "wolfe_search.hpp"

namespace alacarte {
namespace {

constexpr double kLongestFirstMove = 1.0;  // log units: a factor of e in a length-scale
constexpr double kLongestMove = 10.0;      // later steps have a memory to trust, but not to the end of the world
constexpr Index kObjectiveWindow = 5;
constexpr Index kMaxRestarts = 10;
constexpr double kProgress = 1e-12;

/// Ends a run, with the reason.
struct Leave {
  std::string reason;
};

/// The new pair has no positive curvature; LBFGSpp would store it all the same and lose descent.
struct ForgetMemory {};

/// The objective as LBFGSpp minimises it: a function of the trained entries only.
class TrainedFunction {
 public:
  TrainedFunction(Objective& objective, bool with_priors, const Vector& start, const DescentLimits& limits,
                  const DescentWatch& watch, std::vector<double> earlier)
      : objective_(objective),
        with_priors_(with_priors),
        limits_(limits),
        watch_(watch),
        entries_(objective.parameters().trainable_entries()),
        theta_(start),
        gradient_(start.size()) {
    result_.trace = std::move(earlier);
  }

  double operator()(const Vector& x, Vector& gradient) {
    if (best_x_.size() == x.size() && x == best_x_) {  // a restart begins here: no need to pay for it again
      gradient = best_gradient_;
      return result_.objective;
    }
    if (result_.evaluations > 0) check_budget();
    const double value = evaluate(x, gradient);
    ++result_.evaluations;
    result_.jitter = std::max(result_.jitter, std::isfinite(value) ? objective_.jitter() : 0.0);
    if (!std::isfinite(value)) ++result_.failed_evaluations;
    if (value < result_.objective && gradient.allFinite()) keep(x, value, gradient);
    if (watch_.evaluated) watch_.evaluated(result_);
    return value;
  }

  /// In place of LBFGSpp's 1/|direction|, which in thousands of dimensions is far too short a first step.
  double first_step(const Vector& direction) {
    const double limit = std::exchange(fresh_, false) ? kLongestFirstMove : kLongestMove;
    return std::min(1.0, limit / direction.cwiseAbs().maxCoeff());
  }

  /// Trials above this are rejected whatever their slope; they come without a gradient.
  void set_ceiling(double value) { ceiling_ = value; }

  void accepted(const Vector& x, double value, const Vector& gradient, const Vector& previous) {
    result_.trace.push_back(result_.objective);
    if (watch_.accepted) watch_.accepted(result_);
    check_convergence(value, gradient.norm());
    const Vector move = x - previous, change = gradient - previous_gradient_;
    previous_gradient_ = gradient;
    if (!(move.dot(change) > 1e-10 * move.norm() * change.norm())) throw ForgetMemory{};
  }

  /// Evaluates the start of a run or restart; false when it cannot be evaluated.
  bool begin(Vector& x) {
    fresh_ = true;
    ceiling_ = std::numeric_limits<double>::infinity();
    x = result_.theta.size() > 0 ? best_x_ : trained(theta_);
    const double value = (*this)(x, previous_gradient_);
    if (!std::isfinite(value)) return false;
    if (entries_.empty() || previous_gradient_.norm() == 0) throw Leave{"gradient"};
    if (static_cast<Index>(result_.trace.size()) >= limits_.iterations) throw Leave{"iterations"};
    if (previous_gradient_.norm() <= gradient_goal(value)) throw Leave{"gradient"};
    return true;
  }

  DescentResult& result() { return result_; }

 private:
  Vector trained(const Vector& theta) const {
    Vector x(static_cast<Index>(entries_.size()));
    for (Index i = 0; i < x.size(); ++i) x[i] = theta[entries_[static_cast<std::size_t>(i)]];
    return x;
  }

  double evaluate(const Vector& x, Vector& gradient) {
    constexpr double kFailed = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < x.size(); ++i) theta_[entries_[static_cast<std::size_t>(i)]] = x[i];
    gradient.setZero(x.size());
    if (!theta_.allFinite()) return kFailed;
    double value = kFailed;
    try {
      gradient_.setZero();
      const double penalty = objective_.parameters().penalty(theta_, with_priors_, gradient_);
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
    best_gradient_ = gradient;
    result_.theta = theta_;
    result_.objective = value;
    result_.gradient_norm = gradient.norm();
  }

  void check_budget() const {
    if (watch_.must_stop) {
      std::string reason = watch_.must_stop();
      if (!reason.empty()) throw Leave{std::move(reason)};
    }
    if (limits_.evaluations > 0 && result_.evaluations >= limits_.evaluations) throw Leave{"evaluations"};
  }

  double gradient_goal(double value) const { return limits_.gradient_tolerance * std::max(1.0, std::abs(value)); }

  void check_convergence(double value, double gradient_norm) const {
    const auto done = static_cast<Index>(result_.trace.size());
    if (gradient_norm <= gradient_goal(value)) throw Leave{"gradient"};
    if (limits_.objective_tolerance > 0 && done > kObjectiveWindow) {
      const double before = result_.trace[static_cast<std::size_t>(done - 1 - kObjectiveWindow)];
      const double change = std::abs(before - result_.objective);
      if (change <= limits_.objective_tolerance * std::max(1.0, std::abs(result_.objective))) throw Leave{"objective"};
    }
    if (done >= limits_.iterations) throw Leave{"iterations"};
  }

  Objective& objective_;
  bool with_priors_;
  const DescentLimits& limits_;
  const DescentWatch& watch_;
  std::vector<Index> entries_;
  Vector theta_, gradient_, prior_gradient_;
  double ceiling_ = std::numeric_limits<double>::infinity();
  bool fresh_ = true;
  Vector best_x_, best_gradient_, previous_gradient_;
  DescentResult result_;
};

/// One L-BFGS run until its memory is discarded. Ends by Leave, SearchFailed or ForgetMemory, or returns when the
/// gradient vanishes.
void run_memory(TrainedFunction& function, Vector& x, Index history) {
  LBFGSpp::LBFGSParam<double> settings;  // the solver keeps a reference to it
  settings.m = static_cast<int>(std::min<Index>(history, std::max<Index>(1, x.size())));
  settings.epsilon = settings.epsilon_rel = 0;
  settings.past = 0;
  settings.max_iterations = 0;
  settings.max_linesearch = 20;
  settings.ftol = 1e-4;
  settings.wolfe = 0.9;
  LBFGSpp::LBFGSSolver<double, WolfeSearch> solver(settings);
  double value = 0;
  solver.minimize(function, x, value);
}

}  // namespace

DescentResult descend(Objective& objective, bool with_priors, const Vector& start, const DescentLimits& limits,
                      const DescentWatch& watch, std::vector<double> earlier) {
  TrainedFunction function(objective, with_priors, start, limits, watch, std::move(earlier));
  DescentResult& result = function.result();
  try {
    Vector x;
    while (function.begin(x)) {
      const double before = result.objective;
      try {
        run_memory(function, x, limits.history);
        throw Leave{"gradient"};
      } catch (const SearchFailed&) {
      } catch (const ForgetMemory&) {
      }
      const bool progress = before - result.objective > kProgress * std::max(1.0, std::abs(before));
      if (!progress || result.restarts >= kMaxRestarts) throw Leave{"stalled"};
      ++result.restarts;
    }
    result.stop = "stalled";
  } catch (const Leave& leave) {
    result.stop = leave.reason;
  }
  return result;
}

}  // namespace alacarte
