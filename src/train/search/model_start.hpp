#pragma once
// The starting point of a training that continues from another model (FitOptions::start_from).
#include <string>
#include <utility>
#include <vector>

#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// The hyperparameters of another model, as starting points of the fits of one training. Slots with the same name and
/// size are taken over; a fit that matches none gets the model's length-scales (inverse relevances) and noise. Values
/// are converted from the scales of that model's training rows to those of these rows.
class ModelStart {
 public:
  /// Matches the model to the fits. recipe, schema, standardizer: of the new training. `model` and `jobs` must outlive
  /// the object. Throws ConfigError, named `name`, for a model with other inputs, or with learner svm or logistic.
  ModelStart(const FittedModel& model, std::string name, const Recipe& recipe, const Schema& schema,
             const Standardizer& standardizer, const std::vector<FitJob>& jobs);

  /// Returns a point of the objective's whole theta for fit k. rows.statistics: as in training.
  Vector point(std::size_t k, const TrainingRows& rows, const ParameterLayout& layout) const;

  /// Returns {"model", "sha256" of its hyperparameters, "fits": {name: the values taken over}}.
  StartRecord record() const;
  std::string text() const;  ///< record() in one line of prose

 private:
  using Slots = std::vector<std::pair<ParameterSlot, Vector>>;  // slots of the new theta, and their values
  struct Source {
    const FitJob* job;
    Slots slots;
    double noise_sd;  // in units of these rows; 0: none
    std::string taken;
  };
  void check_inputs(const Recipe& recipe, const Schema& schema, Index inputs) const;
  void find_lengthscales();
  Slots matching_slots(const FitJob& job, const Member& member) const;
  Source find_source(const FitJob& job, std::size_t copy) const;
  std::string describe(const Source& source) const;
  double noise_sd(const Member& member) const;
  Vector converted(const ParameterSlot& slot, Vector values) const;

  const FittedModel& model_;
  std::string name_;
  Index levels_ = 0;          // inputs behind the others that are codes of levels
  Vector input_shift_;        // (d) log of the unit of that model's inputs in units of these rows'
  double target_shift_ = 0;   // log ratio of the target's units
  bool same_target_ = false;  // same kind of target; otherwise amplitudes and noise do not carry over
  Vector lengthscale_;        // (d) in units of these rows; empty: that model has none
  std::vector<Source> sources_;
};

}  // namespace alacarte
