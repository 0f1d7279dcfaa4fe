#pragma once
// A model as a page: tables and the charts of experiment/charts.hpp, with its fits where an experiment has methods.
#include <alacarte/app/evaluate_file.hpp>
#include <alacarte/experiment/charts.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte::cli {

struct ModelPage {
  Report report;
  std::vector<Chart> charts;
};

/// `name`: what the page calls the model. `rows`, of a model of numbers, and `classes` may be null: then no scores of
/// rows. `most_inputs`: lines in the table of inputs.
ModelPage model_page(const FittedModel& model, const std::string& name, const LabelledRows* rows,
                     const ClassMetrics* classes, Index most_inputs);

}  // namespace alacarte::cli
