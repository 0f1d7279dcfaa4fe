#pragma once
// An explanation of a model (app/explain_file.hpp) as text and as a page with charts.
#include <alacarte/app/explain_file.hpp>
#include <string>
#include "report.hpp"

namespace alacarte {

/// For a terminal: importances, partial dependences in a line each, interactions, and the Shapley values of the row.
std::string explanation_text(const Explanation& explanation);

/// Tables and charts of the same. `name`: what the page calls the model.
Report explanation_page(const Explanation& explanation, const std::string& name);

}  // namespace alacarte
