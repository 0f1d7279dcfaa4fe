#pragma once
// Learned quantities of a model, in the units of the user: as numbers, as text, and as a page with the charts of an
// experiment, the fits of the model in place of methods.
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/report/report.hpp>
#include <alacarte/spectrum/density.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

struct InputRelevance {
  std::string name;
  double relevance = 0;               ///< radians per unit of the scaled input
  std::optional<double> lengthscale;  ///< in the unit of the input; none where the input has none of its own
};

struct FitInspection {
  const Member& member;
  double weight = 1;                        ///< of the fit, its samples together; the mean over fits is 1
  std::string name = {};                    ///< of the training summary, else the model's
  std::optional<Index> features = {};       ///< none for exact kernels
  std::vector<InputRelevance> inputs = {};  ///< by falling relevance
  NamedValues parameters = {};              ///< by slot, as the optimiser has them
  std::optional<double> noise_sd = {};      ///< in the unit of the target; none where there is no noise
  double noise_sd_standardised = 0;
  KernelDescription description = {};  ///< of the map or kernel: describe()
  nlohmann::json summary = {};         ///< of the training: an object
};

/// Refers to the model, which must outlive it.
struct Inspection {
  const FittedModel& model;
  nlohmann::json training;                  ///< an object
  std::vector<InputRelevance> inputs = {};  ///< by falling root mean square relevance over the fits
  std::vector<FitInspection> fits = {};
};

Inspection inspect(const FittedModel& model);

/// {"model", "seed", "target", "target_scale", "target_shift", "input_names", "error_bars", "training", "recipe",
/// "inputs": [{"name", "relevance", "lengthscale"}], "classes", "fits": [{"model", "features", "inputs", "parameters":
/// {slot: values}, "description", "summary", "noise_sd", "noise_sd_standardised"}]}, and "coefficients" of a linear
/// model (app/coefficients.hpp).
nlohmann::json to_json(const Inspection& inspection);

/// For a terminal: the training, the ranked inputs, of which at most `max_inputs`, and each fit.
std::string inspection_text(const Inspection& inspection, Index max_inputs);

/// Rows whose target is known, and what the model predicts of them, noise included.
struct PredictedRows {
  PredictiveDistribution predicted;
  std::vector<double> target;
};

/// Predictions for rows given by the user; if empty, the page has no scores.
struct PageData {
  std::optional<PredictedRows> rows;    ///< for models of numbers
  std::optional<ClassMetrics> classes;  ///< for models of classes
};

/// `name`: what the page calls the model. `max_inputs`: lines in the table of inputs.
Report model_page(const FittedModel& model, const std::string& name, const PageData& data, Index max_inputs);

}  // namespace alacarte
