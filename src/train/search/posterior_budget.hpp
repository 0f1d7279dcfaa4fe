#pragma once
// The time that remains, after passes over minibatches, for posteriors by Laplace's approximation: those of the search
// for the amplitude, and the last one, which the model keeps.
#include "optimise/fit_context.hpp"
#include "train/plan/fit_jobs.hpp"

namespace alacarte {

class PosteriorBudget {
 public:
  /// Keeps references to all arguments.
  PosteriorBudget(const FitJob& job, const TrainingRows& rows, int threads, const FitContext& context)
      : job_(job), rows_(rows), threads_(threads), context_(context) {}

  /// Times posteriors of some of this rank's rows at theta, the fit's parameters, and their class predictions. Returns
  /// the seconds that all of them take, at most their share of the time left.
  double measure(const Vector& theta);

  /// Returns the number of rows in the search: as many as time allows, or as in a repeated training. Fewer rows give a
  /// better amplitude than fewer trials.
  Index amplitude_rows() const;
  /// Returns true if the search, which began at `began`, makes another trial: if time allows it and the later
  /// posteriors, or as in a repeated training. All ranks call it together.
  bool tries_amplitude(Index trials, double began) const;
  /// Returns the number of rows in the last posterior that time allows; 0 = all.
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
  double least_ = 0, each_ = 0;      // seconds of a posterior of few rows, and of each further row
  double value_ = 0, left_out_ = 0;  // seconds for a row's class probabilities, and for leaving it out
  double after_amplitude_ = 0;       // seconds reserved for the stages after the search
};

}  // namespace alacarte
