#pragma once
// Charts, one function each; a chart without a title says that there is no data for it.
#include "alacarte/experiment/charts.hpp"

namespace alacarte::experiment_detail {

/// A Vega-Lite document with title, description and data; the width is that of the page.
nlohmann::json chart_frame(const Chart& chart, nlohmann::json values, int height);
/// Colour by the field "m", the same for a method in every chart.
nlohmann::json method_color(const Summary& summary);
/// A choice below the chart: transforms may use its name as a variable.
nlohmann::json choice(const std::string& name, const std::string& label, const std::vector<std::string>& options);
/// Six significant digits: charts need no more, and pages stay small.
double rounded(double value);

/// RMSE of a reference over that of the method, against the same of `cost`: geometric means over data sets.
Chart accuracy_chart(const Summary& summary, Measure cost);
Chart rank_chart(const Ranking& ranking);
Chart calibration_chart(const ResultSet& results, const Summary& summary);
Chart prediction_chart(const ResultSet& results, const Summary& summary);
Chart trace_chart(const ResultSet& results, const Summary& summary);
Chart relevance_chart(const ResultSet& results, const Summary& summary);

}  // namespace alacarte::experiment_detail
