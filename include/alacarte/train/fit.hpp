#pragma once
// Training: from a recipe and rows to a fitted model.
#include <alacarte/core/error.hpp>
#include <alacarte/core/observer.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/inference/objective.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <algorithm>
#include <atomic>
#include <functional>

namespace alacarte {

/// The plan of a training: one plan for each fit, and the totals.
struct TrainingPlan {
  /// One fit of the training.
  struct Fit {
    /// A stage on a part of the rows.
    struct Subsample {
      Index rows = 0, evaluations = 0;
    };
    std::string name;               ///< "gm 2/3"
    EvaluationPlan evaluation;      ///< plan of one evaluation of its objective
    Index planned_evaluations = 0;  ///< evaluations of all its probes and the final stage
    Index minibatches = 0;          ///< share of these that minibatches count as
    Index beside = 0;               ///< share of these that steps on drawn rows and samples of hyperparameters count as
    std::vector<Subsample> subsamples = {};  ///< stages before these, in no total of operations
  };
  /// One stage of the training, or of its fits.
  struct Stage {
    std::string name;     ///< "noise prior"
    std::string purpose;  ///< one line
  };
  std::vector<Stage> stages;                ///< in the order in which they run
  std::vector<Fit> fits;                    ///< in the order of the training
  Fit noise_prior;                          ///< the ARD fit that finds its centre, on one thread; no evaluations: none
  double total_flops = 0, model_bytes = 0;  ///< floating-point operations of the training; bytes of the model file
  double memory_bytes = 0;                  ///< predicted peak of the whole program, including rows in memory
  double row_bytes = 0;                     ///< part of it that the rows take
  double target_scale = 1;                  ///< one standardised unit, in units of the target
  double seconds = 0;                       ///< time limit, which may end the training before its evaluations; 0: none
  int concurrent_fits = 1;                  ///< fits that run side by side
  std::vector<std::string> notes;           ///< reductions to meet Recipe::flops, one line each
};

/// Receives left-out predictions, and their rows (empty: all).
using LeftOutReceiver = std::function<void(const Prediction& prediction, const std::vector<Index>& rows)>;

/// Options of fit() that are not part of the recipe.
struct FitOptions {
  std::uint64_t seed = 0;                        ///< seed of the draws, starts and subsamples
  int threads = 1;                               ///< processor threads to use
  TrainingObserver* observer = nullptr;          ///< may be null; must outlive the call
  const std::atomic<bool>* interrupt = nullptr;  ///< may be null; set from outside: the best model so far is returned
  /// Path of the checkpoint; "" = none. It is written atomically after improvements, at most once a second, and at the
  /// ends of fits. It stays when training ends: the caller removes it once the model is safe. A failure to write it is
  /// a message, not an error. An existing one is an IoError unless `resume`.
  std::string checkpoint_path;
  /// Continues from checkpoint_path if it exists; a checkpoint of another recipe, seed or data, or a damaged one, is an
  /// IoError. With the same number of threads the result is the same bits as that of one run.
  bool resume = false;
  /// Memory limit in bytes of the whole program during training; determines chunks, workers and concurrency. 0 = no
  /// limit.
  double memory_bytes = 0;
  /// Seconds of training.seconds that reading the rows has taken.
  double seconds_before = 0;
  /// FittedModel::training of a model whose training is repeated, with its recipe and seed; nullptr = train anew. Clock
  /// and training.seconds are ignored: every stage takes the recorded evaluations. Rows with another SHA-256 sum are a
  /// DataError; a training under a clock, or one cut short, whose work is unknown (a classifier's that was cut, one
  /// that was resumed) is a ConfigError.
  const TrainingRecord* repeat = nullptr;
  /// A trained model at whose hyperparameters every fit begins, instead of its starts; nullptr = none. Fits of its
  /// models take over all with the same name and size, others its length-scales and noise, in the units of the data;
  /// seed and recipe are this training's. Outlives the call. Other inputs, learners svm and logistic: ConfigError.
  const FittedModel* start_from = nullptr;
  std::string start_name = "model";  ///< name of start_from in messages and FittedModel::training ("started_from")
  /// Receives the leave-one-out predictions whose scores the model keeps, and their rows (empty: all), if there are
  /// any.
  LeftOutReceiver on_left_out;
  /// Groups or times of the training rows, by which fit() splits them: calibration, held-out rows, folds, and left-out
  /// predictions, which are then of whole groups or of the last rows by those before. Empty: each row by itself.
  SplitColumns columns = {};
};

/// Returns the seconds of training.seconds that each of `fits`, one after the other, has once `before` are spent (as
/// FitOptions::seconds_before, which is then 0 for each): positive, or 0 if no time is given.
inline double seconds_of_each(double seconds, double before, double fits) {
  return seconds > 0 ? std::max(1e-3, (seconds - before) / fits) : 0;
}

/// Throws the IoError of fit() if a checkpoint exists and would be overwritten.
void require_no_checkpoint(const std::string& path);

/// Memory of a training besides rows and fits, in bytes: code, the buffers of the BLAS and of reading. Measured at the
/// start of the first evaluation.
inline constexpr double kProgramBytes = 24e6;

/// Signals that FitOptions::memory_bytes is too small; what() names the smallest that works.
class MemoryLimitError : public ConfigError {
 public:
  MemoryLimitError(double limit, double smallest);  ///< in bytes: the limit, and the smallest that works
};

/// Plans fit(). If the planned cost exceeds Recipe::flops (> 0), iterations shrink by one common factor, down to 20 (or
/// the recipe's number, if less); if that is not enough, starts shrink, down to 1; then copies, down to 1 of each
/// member. training: as for fit(); all of its rows are planned for. Throws ConfigError("/max_model_mb") if the model
/// file would be too large, naming both sizes, MemoryLimitError, and DataError for no rows, no inputs or values that
/// are not finite. Where fit() lets members of "auto" race, a note says so, and the plan is of those without a race.
/// Cost: draws the maps; O(nd).
TrainingPlan plan_training(const Recipe& recipe, std::shared_ptr<RowSource> training, const FitOptions& options);

/// Trains every fit of the recipe and combines those that succeeded in a mixture (Recipe::weights).
///
/// Draws come from RandomStreams(seed): "training_view.pairs" for the training statistics, scope "member[k]" for the
/// k-th fit's map and starts ("start[j]"), scope "noise_prior" for the ARD fit that centres the prior on the noise
/// (once a training, on at most noise.prior_rows rows). The result is the same bits for the same recipe, rows, seed and
/// number of threads (any number if evaluations are small, since these run on one thread), unless cut short by the
/// clock or an interrupt; then it consists of the best points so far, without fits that had not begun, and
/// training.work records the work for FitOptions::repeat.
///
/// Under training.seconds a recipe by name trains two copies of each member before a third, and begins on subsamples if
/// time is short for all evaluations of one (training.short_of_time). If time allows less than a dozen on all rows, it
/// is trained on rows that the seed draws ("rows_in_time"); training.rows_drawn and rows_given count them.
/// Leave-one-out scores are of all rows, or of 100,000 drawn by the seed ("leave_one_out.rows") if there are more.
///
/// training: encoded rows in raw units. A Dataset converts; moved in, its rows are in memory once: fit() standardises
/// rows in memory in place, so they must not be used afterwards. Other sources are read again in every pass: memory
/// does not grow with their rows (for feature maps with no more features than rows). Sparse rows stay sparse, for
/// recipes that takes_sparse_rows(); ConfigError otherwise. Throws as plan_training, IoError for a checkpoint that does
/// not belong, NumericalError if no fit succeeded.
FittedModel fit(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                const FitOptions& options);

/// Trains several targets of the same rows together: one kernel (one map and one theta for each fit) maximises the sum
/// of their evidences, with a noise and a posterior for each. training: rows in memory; more_targets() has the targets
/// beside the first. schemas: one for each target, otherwise alike. Returns an independent model for each;
/// leave-one-out scores and the weights of a mixture are each target's own. Throws as fit(), and ConfigError for
/// features that several targets cannot share: another likelihood or learner, minibatches, options.start_from or
/// options.repeat. Costs as much as one target, plus a D^3 (for exact and dual fits an n^3) for each.
std::vector<FittedModel> fit_targets(const Recipe& recipe, const std::vector<Schema>& schemas,
                                     std::shared_ptr<RowSource> training, const FitOptions& options);

/// Returns true if a recipe can read rows by their nonzeros alone, from the file to the prediction, whatever its
/// learner or likelihood: inputs that are not scaled column by column, no options of the data except labels, and maps
/// that read sparse rows (FeatureMap::sparse_support) and take no length-scale from distances.
bool takes_sparse_rows(const Recipe& recipe);

}  // namespace alacarte
