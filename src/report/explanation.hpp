#pragma once
// Formats an explanation of a model (app/explain_file.hpp) as text and as a page with charts.
#include <alacarte/app/explain_file.hpp>
#include <string>
#include "report.hpp"

namespace alacarte {

/// Formats for a terminal: importances, partial dependences in a line each, interactions, and the row's Shapley values.
std::string explanation_text(const Explanation& explanation);

/// Returns a page of tables and charts. `name`: the model's name on the page.
Report explanation_page(const Explanation& explanation, const std::string& name);

}  // namespace alacarte
