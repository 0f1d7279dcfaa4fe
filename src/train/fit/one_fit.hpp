#pragma once
// One fit as a list of stages: from its starting points to a posterior that predicts.
#include <memory>
#include <optional>
#include <vector>

#include "train/search/minibatches.hpp"
#include "training.hpp"

namespace alacarte {

/// One fit while it runs.
struct OneFit {
  OneFit(const Training& training, std::size_t place, int threads, FitContext context);

  const Training& training;
  const std::size_t place;  ///< among the jobs
  const FitJob& job;
  const int threads;
  FitContext context;       ///< context of this fit
  const FitState* resumed;  ///< its state in a checkpoint; null: it begins anew

  double noise_center = 0;
  std::unique_ptr<Inference> inference;  ///< on the rows that parameters are learned from
  std::unique_ptr<Inference> whole;      ///< on all rows, if they differ
  std::unique_ptr<Inference> rest;       ///< on the rows that are not left out together, if `inference` has others
  std::vector<Vector> starts;
  Curvature curvature;
  std::optional<MinibatchResult> minibatches;
  LeftOutRows left_out;  ///< rows that the posterior predicts without seeing them
  FitResult result;
  Solution solution;
  Matrix fold_values;  ///< FitOutcome::fold_values
  FitOutcome outcome;

  const TrainingRows& rows() const { return training.rows.seen_as(view_of(job.recipe)); }  ///< all, as it sees them
  const TrainingRows& seen() const { return training.seen.seen_as(view_of(job.recipe)); }  ///< Training::seen
  Inference& last_inference() { return whole ? *whole : *inference; }  ///< the one that the model keeps
  std::unique_ptr<Inference> make_inference_on(const TrainingRows& rows, int count) const;
  FitOutcome outcome_at(const Vector& theta, Solution&& at) const;  ///< outcome at theta, without a record
  /// Solves for the posterior that the model keeps, and leaves rows out by Training::left_out_by.
  Solution solve(const Vector& theta, const LeftOutRows& rows);
};

/// Cases in which a stage is skipped: a fit that continues from a checkpoint has passed its search before the descent,
/// and so has one that begins at another model's hyperparameters, except for minibatches.
enum class Skipped { never, if_resumed, if_resumed_or_started };

/// One entry of the table of contents of a fit.
struct FitStage {
  StageId id;
  const char* purpose;  ///< one line for people
  Skipped skipped;
  bool (*applies)(const FitJob& job);
  void (*run)(OneFit& fit);
};

/// Returns every stage of a fit, in order.
const std::vector<FitStage>& fit_stages();

/// Runs the stages of a fit. Throws NumericalError if no starting point could be evaluated.
FitOutcome fit_one(const Training& training, std::size_t place, int threads, FitContext context);

/// Fills the left-out predictions of a solution: of whole groups, or of all scored rows together.
void leave_out_by_columns(OneFit& fit, const Vector& theta, Solution& solution);  // left_out_columns.cpp

// ---- stages in files of their own

void start_on_subsamples(OneFit& fit);     // subsamples.cpp
void sample_the_posterior(OneFit& fit);    // samples.cpp
double sampling_share(const OneFit& fit);  ///< share of a fit's time that samples of its hyperparameters take

}  // namespace alacarte
