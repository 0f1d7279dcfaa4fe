#pragma once
// HTML page of one model: tables, and the charts of an experiment with the fits of the model in place of methods.
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/report/charts.hpp>
#include <alacarte/report/report.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

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

struct ModelPage {
  Report report;
  std::vector<Chart> charts;
};

/// `name`: what the page calls the model. `max_inputs`: lines in the table of inputs.
ModelPage model_page(const FittedModel& model, const std::string& name, const PageData& data, Index max_inputs);

}  // namespace alacarte
