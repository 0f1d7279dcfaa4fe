#pragma once
// The library's results as JSON documents; the rooms below io use no JSON.
#include <alacarte/core/model_info.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/training_record.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace alacarte {

class FittedModel;
struct Explanation;
struct LinearCoefficients;

nlohmann::json number_list(const Vector& values);

/// Writes {"relevance": [d numbers], "amplitude": .., "components": [...], ...}: the members that are not empty. A
/// relevance of exactly 0 is written without a decimal point.
nlohmann::json to_json(const KernelDescription& description);

/// Writes n, rmse, mae, r2, smse, nlpd, nlpd_median, crps, coverage: {"50": .., "90": .., "95": ..}.
nlohmann::json to_json(const Metrics& metrics);
/// Writes the metrics and "standardised": {rmse, mae, nlpd, crps}. scale > 0: one standardised unit in units of the
/// target, which divides errors and whose logarithm shifts log densities.
nlohmann::json to_json(const Metrics& metrics, double scale);
/// Writes {n, accuracy, log_loss, brier, ece, ece_bins, classes, confusion}; null without probabilities. names: K.
nlohmann::json to_json(const ClassMetrics& metrics, const std::vector<std::string>& names);
nlohmann::json to_json(const CountMetrics& metrics);  ///< {n, rmse, mae, nlpd}

nlohmann::json to_json(const Schema& schema);  ///< contents of model files and rows files
/// Reads a schema. Throws IoError for a malformed document.
Schema schema_from_json(const nlohmann::json& document);
nlohmann::json to_json(const Standardizer& standardizer);  ///< contents of the model file
/// Reads a standardiser. Throws IoError for a malformed document.
Standardizer standardizer_from_json(const nlohmann::json& document);

/// Writes the records of a training, in the form of the model file; null for one without any value.
nlohmann::json to_json(const TrainingRecord& training);
nlohmann::json to_json(const FitSummary& summary);             ///< see above
nlohmann::json to_json(const LeftOutScores& scores);           ///< entry "leave_one_out" of a TrainingRecord
nlohmann::json to_json(const UpdateRecord& update);            ///< one of its "updates"
nlohmann::json to_json(const CalibrationRecord& calibration);  ///< its "calibrated"
nlohmann::json to_json(const MinibatchRecord& minibatches);    ///< entry "minibatches" of a FitSummary
/// Read these records. Throw IoError, naming `place`, for an entry of another kind; further keys are free.
TrainingRecord training_from_json(const nlohmann::json& document, const std::string& place);
FitSummary fit_summary_from_json(const nlohmann::json& document, const std::string& place);
MinibatchRecord minibatches_from_json(const nlohmann::json& document);
nlohmann::json to_json(const TrainingSummary& summary);
nlohmann::json to_json(const FitState& state);             ///< entry of a checkpoint
FitState fit_state_from_json(const nlohmann::json& json);  ///< throws IoError for a malformed document

/// Writes or reads the text of a checkpoint's document. `path`: for messages. Throws IoError for a malformed one.
std::string checkpoint_text(const Checkpoint& checkpoint);
Checkpoint parse_checkpoint(const std::string& text, const std::string& path);
/// Returns the JSON text of a recipe, in one line.
std::string recipe_text(const Recipe& recipe);
/// Returns the hyperparameters of a model in one line of JSON; StartRecord::sha256 is its sum.
std::string hyperparameters_text(const FittedModel& model);

/// Writes the scores as one object, in the form that `alacarte evaluate` prints; null for missing scores.
nlohmann::json to_json(const Scores& scores, const FittedModel& model);
/// Returns the scores of several targets: {"targets": {NAME: scores}, "mean": mean of the scores without a unit}.
nlohmann::json to_json(const std::vector<Scores>& scores, const std::vector<FittedModel>& models);

/// Writes {"target", "rows", "background_rows", "partial_dependence": [{"input", "values", "mean", "sd", "spread"}],
/// "interactions": [{"inputs", "values", "mean", "sd", "strength"}], "importance": {"rows", "rmse", "repeats",
/// "inputs": [{"input", "increase", "standard_error"}]}, "shapley": {"row", "prediction", "average", "orders",
/// "inputs": [{"input", "value", "shapley", "sd", "sampling_error"}]}}. Missing numbers are null.
nlohmann::json to_json(const Explanation& explanation);
/// Writes {"intercept", "inputs": [{"name", "value", "sd"}]}.
nlohmann::json to_json(const LinearCoefficients& coefficients);

/// Returns a JSON schema (draft 7) from the table of fields that parses recipes: each key with type, range, default and
/// meaning, and the meaningful keys of each model. It accepts every recipe that parse_recipe() accepts; the parser
/// refuses a little more, such as keys that an omitted "model" would not use.
nlohmann::json recipe_schema(const std::vector<ModelInfo>& models);

}  // namespace alacarte
