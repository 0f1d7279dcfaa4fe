#pragma once
// Where a training begins that goes on from another model (FitOptions::start_from).
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "train/plan/fit_jobs.hpp"

namespace alacarte {

/// The hyperparameters of another model, as starting points of the fits of one training. Slots of one name and size are
/// taken over; a fit that has none of the model's gets its length-scales (inverse relevances) and its noise. Values go
/// from the scales of that model's training rows to those of these rows.
class ModelStart {
 public:
  /// recipe, schema, standardizer: of the training that begins there. `model` and `jobs` must outlive the object.
  /// Throws ConfigError, named `name`, for a model of other inputs, or of learner svm or logistic.
  ModelStart(const FittedModel& model, std::string name, const Recipe& recipe, const Schema& schema,
             const Standardizer& standardizer, const std::vector<FitJob>& jobs);

  /// One point of the objective's whole theta for fit k. rows.statistics as training has them.
  Vector point(std::size_t k, const TrainingRows& rows, const ParameterLayout& layout) const;

  /// {"model", "sha256" of its hyperparameters, "fits": {name: what was taken over}}.
  nlohmann::json record() const;
  std::string text() const;  ///< the same for people, in one line

 private:
  using Slots = std::vector<std::pair<ParameterSlot, Vector>>;  // of the new theta, and its values
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
  Vector input_shift_;        // (d) log of the unit of that model's inputs in units of these rows'
  double target_shift_ = 0;   // of the target's
  bool same_target_ = false;  // kind of target: otherwise amplitudes and noise mean something else
  Vector lengthscale_;        // (d) in units of these rows; empty: that model has none
  std::vector<Source> sources_;
};

}  // namespace alacarte
