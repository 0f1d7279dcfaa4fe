#pragma once
// A training as a list of stages: the state that each leaves to later ones, and the list itself.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "optimise/fit_context.hpp"
#include "progress_relay.hpp"
#include "train/fit_checkpoint.hpp"
#include "train/plan/resolved_recipe.hpp"
#include "train/plan/rows_in_time.hpp"
#include "train/search/fit_outcome.hpp"
#include "train/search/model_start.hpp"
#include "train/weigh/fit_result.hpp"

namespace alacarte {

/// The stages of a training, then those of each of its fits, in their order.
enum class StageId {
  draw_rows,
  hold_out,
  rounds,
  prepare,
  noise_prior,
  lengthscales,
  fits,
  folds,
  weights,
  noise,
  shape,
  calibration,
  costs,
  start,
  labels,
  subsamples,
  drawn_rows,
  minibatches,
  descent,
  posterior,
  scale,
  outcome,
  samples
};
std::string name_of(StageId id);  ///< "noise prior"

/// Targets beside the first: raw values of the scored rows, and a standardiser for each.
struct MoreTargets {
  std::vector<Vector> raw;  ///< (scored rows) each
  std::vector<Standardizer> standardizers;
};

/// Ways in which scored rows get predictions that did not see them: each row by all others; each group by all others;
/// or all of them together by the others, as future rows by past ones.
enum class LeftOutBy { rows, groups, together };

/// Limits of fits that are made to be judged or to predict others, and not to be kept.
struct BriefFits {
  double tree_flops = 0;           ///< operations for boosted trees; 0: a share of the recipe's
  Index most_posterior_rows = 0;   ///< see FitContext; 0: all
  bool shallow_trees = false;      ///< boosted trees of a target that is nearly all noise
  SplitColumns tree_columns = {};  ///< groups or times by which the trees' folds are made; empty: those of the options
};

/// One training while it runs. Each stage reads what earlier ones left here.
struct Training {
  /// Begins a training. is_part: a fit of a training in rounds, which draws rows and holds out those for calibration.
  Training(const Recipe& recipe, const std::vector<Schema>& schemas, std::shared_ptr<RowSource> rows,
           const FitOptions& options, bool is_part = false);

  // ---- given
  const std::vector<Schema>& schemas;  ///< one for each target
  const Schema& schema;                ///< schema of the first
  FitOptions options;
  const RowSource* score_weights = nullptr;  ///< rows whose weights count in scores, if not those of `source`; or null
  BriefFits limits = {};                     ///< limits of fits that are not kept
  const bool is_part, draws_rows, is_calibrated, has_rounds;

  // ---- draw_rows, hold_out
  Recipe recipe;                      ///< given recipe, reduced to the time; later stages read `resolved`
  std::shared_ptr<RowSource> source;  ///< raw rows, until prepare standardises them
  const Index given_rows;             ///< size of `source` at the beginning
  RowsInTime in_time;
  std::string drawn_note;                              ///< describes drawn rows; empty: all rows are trained on
  std::string target_note;                             ///< says why the scale of the target was chosen; often empty
  CalibrationConfig calibration;                       ///< asked for; `recipe` has none while it is trained
  std::shared_ptr<const MemoryRows> calibration_rows;  ///< null: none

  // ---- prepare
  RowStructure structure;  ///< structure of the raw rows
  ResolvedRecipe resolved;
  std::string sha256;                               ///< sum of the raw rows
  std::vector<Index> scored;                        ///< rows with leave-one-out scores, increasing; empty: all
  LeftOutBy left_out_by = LeftOutBy::rows;          ///< how they are left out
  std::vector<std::vector<Index>> left_out_groups;  ///< scored rows of each group, for LeftOutBy::groups
  ScoredRows scored_rows;                           ///< scored rows with the first target
  MoreTargets more;                                 ///< targets beside the first
  std::shared_ptr<const MemoryRows> noise_rows;     ///< scored rows in raw units, for noise that varies; null: none
  FoldRows fold_rows;                               ///< all rows, for weights "folds"
  bool has_shape = false;                           ///< the noise's distribution is learned
  Standardizer standardizer;
  TreeColumns tree_columns;  ///< until the views have them
  TrainingRows rows, seen;   ///< all rows, and those that parameters are learned from
  PlannedJobs planned;
  std::optional<ModelStart> start;
  std::unique_ptr<ProgressRelay> relay;
  std::unique_ptr<FitCheckpoint> checkpoint;
  std::unique_ptr<WorkRecord> work;
  FitContext context;  ///< context of the whole training

  // ---- noise_prior, fits, weights, noise, shape
  NoiseCenter center;
  std::map<FitView, NoiseCenter> view_centers;  ///< those of other views of the rows
  FitOutcomes outcomes;
  std::vector<FittedModel> models;        ///< one for each target
  std::optional<Prediction> left_out;     ///< predictions of the first target for the scored rows
  std::optional<Prediction> of_one_size;  ///< those with noise of one size, if it varies
  Vector noise_factors;                   ///< (scored rows) factors of the noise variance where noise varies

  int threads() const { return std::max(1, options.threads); }
  const NoiseCenter& center_of(const FitJob& job) const;  ///< centre found in the rows as the fit sees them
  double seconds() const { return context.now(); }
};

/// One entry of the table of contents.
struct TrainingStage {
  StageId id;
  const char* purpose;                        ///< one line for people
  bool (*applies)(const Training& training);  ///< false: the stage has nothing to do
  void (*run)(Training& training);
};

/// Returns every stage of a training, in order.
const std::vector<TrainingStage>& training_stages();

/// Returns the stages that have something to do, for the plan.
std::vector<TrainingPlan::Stage> stages_of(const Training& training);

/// Runs the stages of a training and returns its models. All ranks call it together.
std::vector<FittedModel> run_stages(Training& training);

/// Fits a recipe as a part of a training: all rows, without calibration.
FittedModel fit_part(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> rows,
                     const FitOptions& options, const RowSource* score_weights);
FittedModel fit_briefly(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> rows,
                        const FitOptions& options, const BriefFits& limits);

/// Tells whether weights "folds" take a fit's predictions of folds, in place of leave-one-out predictions: a network's,
/// those of a fit that learns more than a number for every ten rows, and all where rows have groups.
bool is_predicted_in_folds(const Training& training, const FitJob& job);
bool has_folds(const Training& training);  ///< true if there is such a fit

/// Returns a receiver of left-out predictions for rows at these places among all rows; `receiver` may be empty.
LeftOutReceiver with_places(LeftOutReceiver receiver, std::vector<Index> places);

/// Replaces scale.target "auto" of `recipe` by the scale that model "auto" takes.
void resolve_target_scale(Training& training);  // prepare.cpp

/// Sends the observer a line for each season.
void tell_seasons(const std::vector<SeasonRecord>& seasons, TrainingObserver& observer);  // prepare.cpp

/// Chooses the rows with left-out predictions and how they are left out, by Training::options.columns, before the rows
/// are standardised.
void choose_scored_rows(Training& training);  // scored_rows.cpp
/// Tells whether parameters are learned without the scored rows: if the recipe holds rows out, or if they are left out
/// together and there are enough rows for it.
bool holds_scored_out(const Training& training);  // scored_rows.cpp
/// Describes what is left out, if rows have groups or times; otherwise "".
std::string left_out_note(const Training& training);  // scored_rows.cpp

// ---- the stages, each in the file named

void draw_rows_in_time(Training& training);         // prepare.cpp
void hold_out_for_calibration(Training& training);  // calibrate.cpp
void prepare(Training& training);                   // prepare.cpp
void find_noise_prior(Training& training);          // learn_noise.cpp
void find_lengthscales(Training& training);         // find_lengthscales.cpp
void fit_in_rounds(Training& training);             // learn_noise.cpp
void run_fits(Training& training);                  // fit_pool.cpp
void predict_folds(Training& training);             // predict_folds.cpp
void weigh_fits(Training& training);                // weigh_fits.cpp
void learn_noise(Training& training);               // learn_noise.cpp
void learn_shape(Training& training);               // learn_noise.cpp
void calibrate(Training& training);                 // calibrate.cpp

}  // namespace alacarte
