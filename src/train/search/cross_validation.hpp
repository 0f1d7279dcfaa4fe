#pragma once
// Stratified cross-validation of classifiers (learner svm or logistic): the errors of each scale and cost.
#include <mutex>
#include <string>
#include <vector>

#include "data/column_splits.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/classifier_plan.hpp"

namespace alacarte {

/// A scale and a cost, and the rows of all folds that they misclassify.
struct Candidate {
  double scale = 1, cost = 1;
  Index wrong = 0;
};

/// Returns the candidate with the fewest errors; then stronger regularisation, then smoother functions. `tried` is not
/// empty.
Candidate best_of(const std::vector<Candidate>& tried);

/// The candidates on one set of rows. Results do not depend on the number of threads. Folds are of whole groups, or
/// windows of time after the rows that they train on, where TrainingRows::columns can be split.
class CrossValidation {
 public:
  /// Prepares the folds. rows: labelled. statistics: those that length-scales are multiples of; they may come from more
  /// rows. rows_text: describes the rows in progress messages. All but rows_text must outlive this.
  CrossValidation(const FitJob& job, const TrainingRows& rows, const TrainingStatistics& statistics,
                  std::string rows_text, int threads, const FitContext& context);

  /// Makes the features at a scale; those of the last scale are kept.
  void prepare(double scale);
  /// Tries scales, then costs (ascending, warm-started); after an interrupt, or where the clock leaves no time for
  /// another fold and a fit to all rows, only candidates for which every fold was evaluated are kept.
  void run(const std::vector<double>& scales, const std::vector<double>& costs, std::uint64_t seed);

  /// Sets the expected time of a fold before any was tried, in seconds.
  void expect(double fold_seconds) { fold_seconds_ = fold_seconds; }
  double fold_seconds() const { return fold_seconds_; }  ///< longest fold so far, all costs together
  bool is_late() const;                                  ///< true: no time for another fold and a fit to all rows

  Classifier& classifier() { return *classifier_; }
  Index folds() const { return folds_; }
  Index solutions() const { return solutions_; }
  double feature_seconds() const { return feature_seconds_; }  ///< duration of the last prepare() that made features
  const Vector& theta() const { return theta_; }               ///< set by the last prepare()
  const std::vector<Candidate>& tried() const { return tried_; }

 private:
  /// Counts the errors at each cost, fold by fold. Folds run on one thread each where there are several abreast;
  /// otherwise threads share out the decision functions of one fold at a time.
  std::vector<std::vector<Index>> errors_of_folds(const std::vector<SplitSides>& sides, double scale,
                                                  const std::vector<double>& costs);
  /// Makes the folds that the seed draws.
  std::vector<SplitSides> sides_of_folds(std::uint64_t seed) const;
  bool has_all_classes(const std::vector<Index>& rows) const;
  void report(double scale, std::size_t costs);

  const FitJob& job_;
  const TrainingRows& rows_;
  const TrainingStatistics& statistics_;
  const std::string rows_text_;
  const int threads_;
  const FitContext& context_;
  const Index folds_;
  const std::unique_ptr<Classifier> classifier_;
  Vector theta_;
  double prepared_scale_ = 0, feature_seconds_ = 0;
  mutable std::mutex mutex_;  // guards the members below while folds run
  double fold_seconds_ = 0;
  Index reported_ = 0, solutions_ = 0;
  std::vector<Candidate> tried_;
};

}  // namespace alacarte
