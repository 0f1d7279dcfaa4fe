#pragma once
// A model as a page: tables and the charts of experiment/charts.hpp, with its fits where an experiment has methods.
#include <alacarte/experiment/charts.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

#include "labelled_rows.hpp"

namespace alacarte::cli {

struct ModelPage {
  Report report;
  std::vector<Chart> charts;
};

/// `name`: what the page calls the model. `rows` may be null: then no predictions and no calibration.
/// `most_inputs`: lines in the table of inputs.
ModelPage model_page(const FittedModel& model, const std::string& name, const LabelledRows* rows, Index most_inputs);

}  // namespace alacarte::cli
