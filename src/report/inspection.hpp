#pragma once
// Learned quantities of a model, in user units: as numbers, as text, and as a page with the charts of an experiment in
// which the model's fits take the place of methods.
#include <alacarte/eval/metrics.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
#include "app/coefficients.hpp"
#include "report.hpp"
#include "spectrum/density.hpp"

namespace alacarte {

struct InputRelevance {
  std::string name;
  double relevance = 0;               ///< radians per scaled input unit
  std::optional<double> lengthscale;  ///< in input units; empty if the input has no unit of its own
  std::vector<double> periods = {};   ///< periods of one fit, in input units (learned_periods())
};

struct FitInspection {
  const Member& member;
  double weight = 1;                        ///< weight of the fit, its samples together; the mean over fits is 1
  std::string name = {};                    ///< from the training summary, else the model's
  std::optional<Index> features = {};       ///< empty for exact kernels
  std::vector<InputRelevance> inputs = {};  ///< in order of decreasing relevance
  NamedValues parameters = {};              ///< per slot, on the optimiser's scale
  std::optional<double> noise_sd = {};      ///< in target units; empty without noise
  double noise_sd_standardised = 0;
  KernelDescription description = {};      ///< describe() of the map or kernel
  std::vector<RandomEffect> effects = {};  ///< in the order of Schema::level_counts()
  nlohmann::json summary = {};             ///< training summary: an object
};

/// Keeps a reference to the model, which must outlive it.
struct Inspection {
  const FittedModel& model;
  nlohmann::json training;                  ///< an object
  std::vector<InputRelevance> inputs = {};  ///< in order of decreasing root mean square relevance over the fits
  std::vector<FitInspection> fits = {};
};

Inspection inspect(const FittedModel& model);

/// Returns {"model", "seed", "target", "target_scale", "target_shift", "input_names", "error_bars", "training",
/// "recipe", "inputs": [{"name", "relevance", "lengthscale"}], "classes", "fits": [{"model", "features", "inputs" (with
/// "periods" where it has learned some), "scale" (the curve that it sees the inputs through, if any), "parameters":
/// {slot: values}, "description", "summary", "noise_sd", "noise_sd_standardised"}]}, and "coefficients" for a linear
/// model (app/coefficients.hpp).
nlohmann::json to_json(const Inspection& inspection);

/// Formats for a terminal: the training, the ranked inputs (at most `max_inputs`), and each fit.
std::string inspection_text(const Inspection& inspection, Index max_inputs);

/// Rows with known targets, and their predictions, noise included.
struct PredictedRows {
  PredictiveDistribution predicted;
  std::vector<double> target;
};

/// Predictions for the user's rows; if empty, the page has no scores.
struct PageData {
  std::optional<PredictedRows> rows;    ///< for regression and counts
  std::optional<ClassMetrics> classes;  ///< for classification
};

/// Returns the page. `name`: the model's name on it. `max_inputs`: lines in the table of inputs.
Report model_page(const FittedModel& model, const std::string& name, const PageData& data, Index max_inputs);

}  // namespace alacarte
