#pragma once
// What is left of the clock, after passes over minibatches, for posteriors by Laplace's approximation: those of the
// search for the amplitude, and the last one, which the model keeps.
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

class PosteriorBudget {
 public:
  /// All are kept by reference.
  PosteriorBudget(const FitJob& job, const TrainingRows& rows, int threads, const FitContext& context)
      : job_(job), rows_(rows), threads_(threads), context_(context) {}

  /// Times posteriors of some of this rank's rows at theta, the fit's parameters, and predictions of classes by them.
  /// Returns the seconds that all of them take, or the share of the time left that they must do with.
  double measure(const Vector& theta);

  /// The rows of the search: as many as there is time for, or as in the training that is repeated. An amplitude of
  /// fewer rows is better than one of fewer trials.
  Index amplitude_rows() const;
  /// Whether the search, which began at `began`, takes another trial: while there is time for it and for what follows,
  /// or as often as in the training that is repeated. All ranks ask together.
  bool tries_amplitude(Index trials, double began) const;
  /// The rows of the last posterior, as many as there is time for; 0 = all.
  Index posterior_rows(bool interrupted) const;

 private:
  double seconds_of(const Vector& theta, Index count) const;
  void measure_scores(const Vector& theta, Index count);
  TrainingRows first_rows(Index count) const;
  double held_out() const { return static_cast<double>(rows_.held_out->rows()); }
  Index rows_in_time(const std::string& stage, double seconds, Index least, Index most) const;

  const FitJob& job_;
  const TrainingRows& rows_;
  const int threads_;
  const FitContext& context_;
  bool is_measured_ = false;
  double least_ = 0, each_ = 0;      // seconds of a posterior of few rows, and of each row more
  double value_ = 0, left_out_ = 0;  // seconds of the classes' probabilities of a row, and of leaving it out before
  double after_amplitude_ = 0;       // seconds kept for what follows the search
};

}  // namespace alacarte
