#pragma once
// Teaches a trained model further rows without training: hyperparameters, scaling and the weights of a mixture stay.
//
// With the gaussian likelihood this is exact: the posterior is that of all rows at those hyperparameters and that
// scaling (model/posterior_update.hpp in the sources; docs/updating.md).
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

class PosteriorUpdate;

/// Settings of an update.
struct UpdateOptions {
  double forget = 0;           ///< share in [0, 1) of their weights that the rows learned so far lose
  std::string name = "model";  ///< name of the model in messages
  std::string data;            ///< source of the rows, for the record; may be empty
  int threads = 1;             ///< processor threads to use; the result has the same bits with any number
};

/// One update of one model: constructed, fed with rows, finished.
class ModelUpdate {
 public:
  /// Prepares the update of a model, which must outlive it. Throws ConfigError, named options.name, for a model without
  /// an exact update: for classification or counts, with learner svm or logistic, saved without its variances, or
  /// calibrated. Noise that varies stays the same function.
  ModelUpdate(const FittedModel& model, const UpdateOptions& options);
  ~ModelUpdate();
  ModelUpdate(const ModelUpdate&) = delete;
  ModelUpdate& operator=(const ModelUpdate&) = delete;

  /// Scores the rows, raw units with targets, by the model as it was, and adds them to the posteriors. Each fit takes
  /// one thread; sums are added in the order of rows and calls. Throws ConfigError("/max_model_mb") when the model file
  /// would be too large. Cost rows D^2 for each fit over features, whose memory does not grow with the rows.
  void add(const Dataset& rows);
  /// Returns the model of all rows; may be called once. Its training record counts them, has no leave-one-out scores
  /// (they would be those of the earlier rows), and gets one more entry in "updates": rows, data, forget,
  /// "before_learning" (scores of the new rows by the old model: drift) and "leave_one_out_nlpd" to compare them with.
  /// Throws DataError without rows, NumericalError. Cost: 2 D^3 a fit, or an evaluation on all rows (exact, dual).
  FittedModel finish();

 private:
  void score(const Dataset& rows);
  Vector weights_of(const Dataset& rows) const;
  UpdateRecord record() const;

  const FittedModel& model_;
  UpdateOptions options_;
  std::vector<std::unique_ptr<PosteriorUpdate>> updates_;  // one for each member
  Standardizer standardizer_;                              // with the ranges of the new rows
  ScoreSums sums_;
  Index rows_ = 0;
  double weight_ = 0, squared_z_ = 0, outside_ = 0, log_ = 0, squared_log_ = 0;
};

/// Returns finish()'s record of the last update in FittedModel::training, in one line; empty without updates.
std::string update_text(const TrainingRecord& training);

}  // namespace alacarte
