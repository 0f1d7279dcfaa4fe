#pragma once
// Training on minibatches, for maps whose parameters are too many for the evidence of all rows: the features learn to
// predict nine tenths of the rows, with a linear read-out; the rows that they never saw then say how large noise and
// amplitude are, so that error bars hold although the features were bent to the others.
#include <optional>

#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// Whether a fit of this recipe is trained so.
bool uses_minibatches(const Recipe& recipe);
/// Whether its likelihood allows it: gaussian, or one without parameters of its own, with noise of one size.
bool takes_minibatches(const Recipe& recipe);

/// Leaves one start and one evaluation of the evidence to such a fit. Of fewer than 100 rows it becomes one by
/// evidence, and a note says so. Throws ConfigError for rows with weights or several targets, for a likelihood with
/// parameters of its own, and for parameters that are held by hand.
void plan_minibatches(const TrainingRows& rows, FitJob& job, std::vector<std::string>& notes);

/// What the passes over the rows cost, in evaluations of this plan.
Index minibatch_evaluations(const FitJob& job, const EvaluationPlan& plan);

/// Scores of the rows that the features did not see, in standard deviations of the target.
struct HeldOutScores {
  Index rows = 0;
  double rmse = 0;         ///< of numbers
  double log_density = 0;  ///< or log probability, mean over the rows
};

struct MinibatchResult {
  Vector theta;         ///< of the objective: the map's parameters and the noise
  double passes = 0;    ///< over the rows, the last one perhaps in part
  Index best_step = 0;  ///< steps after which the held-out error was smallest: the parameters are those
  HeldOutScores held_out;
  std::string stop;  ///< epochs | seconds | interrupted
  /// Of classes and counts: rows that there is time for in the posterior, held-out ones aside; 0 = all.
  Index posterior_rows = 0;
};
nlohmann::json to_json(const MinibatchResult& result);              ///< without theta
MinibatchResult minibatches_from_json(const nlohmann::json& json);  ///< without theta

/// rows: rows.source to learn from, and rows.held_out. From `start` (layout.size(), as the result's theta), with
/// network.epochs passes over the rows, which are kept in memory where they take no more than `max_bytes`, and are read
/// in every pass otherwise. Steps follow half a cosine, over as many passes as the deadline leaves time for; the
/// parameters are those of the round (a pass, or 2^15 rows of it) whose held-out error was smallest. The same bits with
/// any number of threads up to the noise and amplitude, which are sums over threads. Steps and the plan of rounds are
/// recorded, and repeated. Ranks that share the rows make each step together: they send one sum of the gradient. Throws
/// NumericalError where no round left finite parameters, and what reading throws.
MinibatchResult train_on_minibatches(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                     const Vector& start, int threads, double max_bytes, const FitContext& context);

}  // namespace alacarte
