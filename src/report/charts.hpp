#pragma once
// Charts of reports and of models.
#include <functional>

#include "alacarte/eval/metrics.hpp"
#include "chart.hpp"
#include "summary.hpp"

namespace alacarte {

/// Makes charts of accuracy against training time and memory, average ranks with the critical difference, RMSE against
/// the numbers of components and frequencies, calibration with a binomial band, predictions against true values,
/// evidence traces, relevances of inputs, learned spectra. Charts without data are omitted. `of_model`: charts of one
/// model, with its amplitudes; `results` then has a result for each fit, all of one data set, and one of them has the
/// predictions.
std::vector<Chart> make_charts(const ResultSet& results, const Summary& summary, bool of_model = false);

/// Draws a reliability diagram: accuracy against predicted class probabilities. Has no panels without probabilities.
Chart make_reliability_chart(const ClassMetrics& metrics);

namespace report_detail {

using Names = std::vector<std::string>;

/// Data of charts: an experiment, or one model whose fits take the place of methods.
struct ChartView {
  const ResultSet& results;
  const Summary& summary;
  bool model = false;
  const char* series_title() const { return model ? "Fit" : "Method"; }
  /// Completes the text "Densities ..., of <which>."
  const char* which() const { return model ? "each fit" : "the first fit of each method on its first fold"; }
};

/// Adds to a chart of `words` a menu of data sets and a series per method, of the same colour everywhere.
Chart chart_by_method(const ChartView& view, Chart words);

/// Returns finished results of a data set and method by fold, and the first of them that has the data (null: none).
std::vector<const RunResult*> results_of(const ChartView& view, const std::string& dataset, const std::string& method);
using HasData = std::function<bool(const RunResult&)>;
const RunResult* first_with(const HasData& has_data, const ChartView& view, const std::string& dataset,
                            const std::string& method);

/// Adds a point and its error bar.
void add_point(double x, double y, double low, double high, Series& points, Series& bars);
/// Returns `count` of `size` indices, evenly spaced with the first and the last; all if there are fewer.
std::vector<std::size_t> spread(std::size_t size, std::size_t count);

// Draws calibration; without data, the chart has no panels.
Chart calibration_chart(const ChartView& view);
Chart prediction_chart(const ChartView& view);
Chart trace_chart(const ChartView& view);
Chart relevance_chart(const ChartView& view);
Chart amplitude_chart(const ChartView& view);
/// Draws the densities of frequency lengths by method, and of frequencies along the inputs by input.
Chart radial_chart(const ChartView& view);
Chart input_spectrum_chart(const ChartView& view);

}  // namespace report_detail
}  // namespace alacarte
