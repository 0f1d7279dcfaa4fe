#pragma once
// How a model was trained: what its file keeps beside the model itself. Members without a value are not in the file.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/eval/metrics.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alacarte {

/// Reason for the end of a search; none: it goes on. The clock or an interrupt cut it short.
enum class Stop { none, gradient, objective, iterations, evaluations, stalled, epochs, converged, clock, interrupted };
constexpr Words<10> words_of(Stop) {
  return {"",        "gradient", "objective", "iterations", "evaluations",
          "stalled", "epochs",   "converged", "seconds",    "interrupted"};
}
constexpr bool is_cut_short(Stop stop) { return stop >= Stop::clock; }

/// One candidate of the search of a classifier.
struct TriedCost {
  double scale = 1;  ///< length-scale, of the median distance
  double cost = 1;   ///< C
  double error = 0;  ///< share of the rows that cross-validation predicts wrong
};

/// Shares of one term of a sum in the variance of f over the training rows.
struct TermShare {
  std::string model;
  double prior_share = 0, posterior_share = 0;
};

/// The centre of the prior of the noise, in standard deviations of the target.
struct NoisePriorRecord {
  double center = 0;
  std::string from;  ///< ard | fixed
};

/// How the samples of the hyperparameters of one fit were drawn.
struct SamplesRecord {
  Index count = 0;
  double acceptance = 0;  ///< share of the proposals
  Index evaluations = 0;
  double seconds = 0;
};

/// Scores of the rows that the features did not see, in standard deviations of the target.
struct HeldOutScores {
  Index rows = 0;
  double rmse = 0;         ///< root mean squared error of numbers
  double log_density = 0;  ///< or log probability, mean over the rows
};

/// How a fit went that was trained on minibatches.
struct MinibatchRecord {
  double passes = 0;    ///< over the rows, the last one perhaps in part
  Index best_step = 0;  ///< steps after which the held-out error was smallest: the parameters are those
  HeldOutScores held_out = {};
  Stop stop = Stop::none;
  /// Rows of the posterior that there is time for, for classes and counts, besides held-out ones; 0 = all.
  Index posterior_rows = 0;
};

/// How one fit went. Those of classifiers by cross-validation have the members after `terms`, and of the first ones the
/// name, stop and seconds.
struct FitSummary {
  std::optional<std::string> name = {};      ///< name of the fit, in texts
  std::optional<Stop> stop = {};             ///< why it ended
  std::optional<double> objective = {};      ///< at the best point, priors included
  std::optional<double> log_evidence = {};   ///< at the best point, priors left out
  std::optional<double> gradient_norm = {};  ///< there, Euclidean, over trained entries
  std::optional<Index> iterations = {}, evaluations = {}, failed_evaluations = {}, restarts = {};
  std::optional<double> jitter = {};                         ///< largest used
  std::optional<std::vector<double>> start_objectives = {};  ///< after the probes, one for each start
  std::optional<Index> best_start = {};                      ///< index of the start that was continued
  std::optional<std::vector<std::string>> at_bound = {};     ///< names of the parameters that ended at a bound
  std::optional<std::vector<double>> trace = {};             ///< best objective after each iteration
  std::optional<double> seconds = {};                        ///< wall clock of this fit
  bool is_sample = false;                                    ///< a further sample of the fit before it
  std::optional<SamplesRecord> samples = {};                 ///< record of the first sample
  std::optional<MinibatchRecord> minibatches = {};
  std::optional<NoisePriorRecord> noise_prior = {};
  std::vector<TermShare> terms = {};

  std::optional<std::string> learner = {}, solver = {}, class_weights = {};
  std::optional<double> cost = {}, scale = {};  ///< chosen
  std::optional<Index> search_rows = {};        ///< rows of the subsample that narrows the search
  std::vector<TriedCost> search = {};           ///< on that subsample
  std::optional<Index> folds = {};
  std::optional<double> cross_validation_error = {};  ///< error of the chosen candidate
  std::vector<TriedCost> cross_validation = {};
  std::optional<double> feature_seconds = {}, solver_seconds = {}, training_error = {};

  std::string other_keys = {};  ///< further keys of the file, from another version: a JSON object, kept unchanged
};

/// Scores of the training rows, each predicted without itself: of numbers, classes or counts.
using LeftOutScores = std::variant<Metrics, ClassMetrics, CountMetrics>;

/// The model at whose hyperparameters a training began.
struct StartRecord {
  std::string model;                        ///< its name
  std::string sha256;                       ///< SHA-256 sum of its hyperparameters
  std::map<std::string, std::string> fits;  ///< description of the parameters that each fit took over
};

/// Result of learning noise that varies.
struct NoiseRecord {
  Index rows = 0;  ///< rows that it was learned from
  bool varies = false;
  std::optional<std::string> reason = {};  ///< why it does not vary
  std::optional<double> exponent = {}, log_scale = {};
  std::optional<double> log_density = {};              ///< mean over rows left out
  std::optional<double> log_density_of_one_size = {};  ///< log density of the same rows, with noise of one size
};

/// How the model was calibrated by rows that its training did not see.
struct CalibrationRecord {
  std::string kind;  ///< conformal | temperature
  Index rows = 0;
  std::optional<double> temperature = {};
};

/// Scores of new rows by the model as it was before it learned them.
struct BeforeLearning {
  Metrics metrics = {};
  double nlpd_error = 0;     ///< standard error of the mean; NaN of too few rows
  double squared_z = 0;      ///< mean square of residuals in their standard deviations
  double share_outside = 0;  ///< share of inputs beyond the range of the training rows
};

/// One update by further rows.
struct UpdateRecord {
  Index rows = 0;
  double forget = 0;  ///< share of their weights that the rows before lost
  std::optional<std::string> data = {};
  BeforeLearning before_learning = {};
  double leave_one_out_nlpd = 0;  ///< score of the training rows, for comparison; NaN if unknown
};

/// How the rows were chosen that a training did not see; from it the same rows are found again.
struct SplitRecord {
  std::string kind;                       ///< holdout | folds | mask
  double share = 0;                       ///< held-out share
  Index folds = 0;                        ///< number of folds
  Index fold = 0;                         ///< held-out fold, with folds and masks
  std::string mask = {};                  ///< path of a mask
  std::uint64_t seed = 0;                 ///< seed of share and folds
  Index rows = 0;                         ///< data rows of the file
  std::optional<std::string> group = {};  ///< column whose whole groups were held out
  std::optional<std::string> time = {};   ///< column whose last values were held out
};

/// A sinusoid that the training rows hold along one input, as it was found before any fit.
struct SeasonRecord {
  std::string input;  ///< its name
  double period = 0;  ///< in the input's own unit
  double share = 0;   ///< share of the target's variance that it explains
};

/// How a model was trained.
struct TrainingRecord {
  std::optional<Index> rows = {}, inputs = {};
  std::optional<std::string> target = {};  ///< its name
  std::optional<double> seconds = {};
  std::optional<Index> threads = {}, ranks = {};
  std::optional<Index> evaluations = {};  ///< evaluations of all fits
  std::optional<Index> planned_fits = {}, fits = {};
  std::optional<bool> cut_short = {};                  ///< ended by the clock or an interrupt
  std::optional<std::vector<std::string>> notes = {};  ///< one line each, for people
  std::optional<std::string> program_version = {};
  std::optional<std::map<std::string, Index>> classes = {};  ///< rows of each
  std::optional<LeftOutScores> leave_one_out = {};
  std::optional<std::string> data = {}, data_sha256 = {};  ///< path of the rows; their fingerprint
  std::optional<SplitRecord> held_out = {};
  std::optional<StartRecord> started_from = {};
  std::optional<std::map<std::string, Index>> work = {};  ///< evaluations of each stage, to repeat what was cut short
  std::optional<NoiseRecord> noise = {};
  std::optional<CalibrationRecord> calibrated = {};
  bool short_of_time = false;                             ///< fits began on subsamples, as the time asked for
  bool bound_for_time = false;                            ///< an evidence gave way to its bound, as the time asked for
  std::optional<Index> rows_drawn = {}, rows_given = {};  ///< where there was no time for all
  std::vector<SeasonRecord> seasons = {};                 ///< the strongest first; of the first target of several
  std::vector<UpdateRecord> updates = {};

  std::string other_keys = {};  ///< further keys of the file, from another version: a JSON object, kept unchanged
};

// How fits stand while they are trained: what a checkpoint holds.

/// How a fit went; goes into the model file.
struct TrainingSummary {
  Stop stop = Stop::none;        ///< gradient, objective, iterations, evaluations, stalled, clock or interrupted
  double objective = 0;          ///< at the best point, priors included
  double log_evidence = 0;       ///< at the best point, priors left out
  double gradient_norm = 0;      ///< there, Euclidean, over trained entries; NaN where no gradient was needed
  Index iterations = 0;          ///< iterations of the winning path: its probe and the final stage
  Index evaluations = 0;         ///< totals of all probes and the final stage, like the next two
  Index failed_evaluations = 0;  ///< NaN or failed factor: the step was shrunk
  Index restarts = 0;            ///< line search gave up: L-BFGS begun again from the best point
  double jitter = 0;             ///< largest used
  std::vector<double> start_objectives;  ///< after the probes, one for each start; +inf (null in JSON) where none held
  Index best_start = 0;                  ///< index of the start that was continued
  std::vector<std::string> at_bound;     ///< names of the entries of theta that ended at a bound
  std::vector<double> trace;             ///< best objective after each iteration of the winning path
  double seconds = 0;                    ///< wall clock of this fit
};

/// How a run of L-BFGS stands, or ended.
struct DescentResult {
  Vector theta;                                                 ///< best point, all slots; empty when none was finite
  double objective = std::numeric_limits<double>::infinity();   ///< there, penalty included
  double gradient_norm = 0;                                     ///< there, over trained entries
  Index evaluations = 0, failed_evaluations = 0, restarts = 0;  ///< counts of this descent
  double jitter = 0;                                            ///< largest used
  std::vector<double> trace;  ///< best objective after each iteration; its size is the number of iterations
  Stop stop = Stop::none;     ///< why it ended
};

/// State of an L-BFGS run between two iterations, which continues to the same bits. Points and gradients are of trained
/// entries.
struct DescentState {
  DescentResult best;    ///< so far
  Vector best_gradient;  ///< at best.theta
  /// Points accepted since the memory was last empty, at most TrainingConfig::history + 1 of them, the current one
  /// last; empty before the first iteration.
  std::vector<Vector> points, gradients;  ///< (points) each: theta of trained entries, and the slopes there
  double value = 0;                       ///< at the last point
  double restart_value = 0;               ///< best objective when the memory was last empty
  Vector warm_start;                      ///< warm start of the objective
};

/// State of one fit between iterations: a fit that continues from it gives the bits of one that was not interrupted.
/// Written by the checkpoint hook. Probes that were running side by side begin again.
struct FitState {
  std::vector<Vector> probe_theta;               ///< finished probes, in order
  std::vector<double> probe_objective;           ///< +inf for a start that could not be evaluated
  std::vector<std::vector<double>> probe_trace;  ///< best objective after each iteration
  DescentState descent;                          ///< state of the running stage (probe or final)
  bool in_final = false;                         ///< the probes are done
  bool finished = false;  ///< then summary is complete, best_theta the result, and of `descent` only warm_start counts
  Vector best_theta;      ///< theta of the best start so far
  TrainingSummary summary;  ///< counts of the finished probes

  /// Returns true if there is a state to continue from.
  bool begun() const { return finished || !probe_theta.empty() || !descent.points.empty(); }
};

/// The centre of the prior of the noise, and what else its ARD fit found.
struct NoiseCenter {
  double value = 0;  ///< in standard deviations of the target
  PriorCenter from = PriorCenter::fixed;
  Vector lengthscale;      ///< (d) of the ARD fit; empty if "fixed"
  Vector more = {};        ///< (T - 1) of several targets the values of those beside the first; empty if "fixed"
  bool from_rows = false;  ///< the length-scales come from the structure of the rows, which the fit's own starts missed
};

/// A training that has begun, as its checkpoint keeps it.
struct Checkpoint {
  std::string recipe;                                       ///< its JSON text
  std::uint64_t seed = 0;                                   ///< seed of the training
  std::string data_sha256;                                  ///< SHA-256 sum of the training rows
  std::string started_from;                                 ///< StartRecord::sha256; empty where it began at no model
  std::optional<NoiseCenter> noise_center;                  ///< once it was found
  std::vector<std::optional<FitState>> fits;                ///< none: not begun
  std::vector<std::optional<MinibatchRecord>> minibatches;  ///< records of the minibatches of each fit
};

}  // namespace alacarte
