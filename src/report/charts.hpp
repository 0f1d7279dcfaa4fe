#pragma once
// The charts of reports and of models.
#include <functional>

#include "alacarte/eval/class_metrics.hpp"
#include "chart.hpp"
#include "summary.hpp"

namespace alacarte {

/// Accuracy against training time and memory, average ranks with the critical difference, RMSE against the numbers of
/// components and frequencies, calibration with a binomial band, predictions against true values, evidence traces,
/// relevances of inputs, learned spectra. Charts without data are left out. `of_model`: those of one model, and its
/// amplitudes; `results` then has a result for each fit, all of one data set, and one of them has the predictions.
std::vector<Chart> make_charts(const ResultSet& results, const Summary& summary, bool of_model = false);

/// Reliability diagram: accuracy of the predicted classes against their probabilities. No panels without probabilities.
Chart make_reliability_chart(const ClassMetrics& metrics);

namespace report_detail {

using Names = std::vector<std::string>;

/// The data of charts: an experiment, or one model, whose fits take the place of methods.
struct ChartView {
  const ResultSet& results;
  const Summary& summary;
  bool model = false;
  const char* series_title() const { return model ? "Fit" : "Method"; }
  /// "Densities ..., of <which>."
  const char* which() const { return model ? "each fit" : "the first fit of each method on its first fold"; }
};

/// Gives a chart of `words` a menu of data sets and a series, of the same colour everywhere, for each method.
Chart chart_by_method(const ChartView& view, Chart words);

/// Finished results of a data set and method by fold, and the first of them that has the data (null: none).
std::vector<const RunResult*> results_of(const ChartView& view, const std::string& dataset, const std::string& method);
using HasData = std::function<bool(const RunResult&)>;
const RunResult* first_with(const HasData& has_data, const ChartView& view, const std::string& dataset,
                            const std::string& method);

/// A point and its error bar.
void add_point(double x, double y, double low, double high, Series& points, Series& bars);
/// `count` of `size` indices, evenly, the first and the last among them; all if there are fewer.
std::vector<std::size_t> spread(std::size_t size, std::size_t count);

// A chart without panels has no data.
Chart calibration_chart(const ChartView& view);
Chart prediction_chart(const ChartView& view);
Chart trace_chart(const ChartView& view);
Chart relevance_chart(const ChartView& view);
Chart amplitude_chart(const ChartView& view);
/// Densities of the lengths of frequencies, by method; and of the frequencies along the inputs, by input.
Chart radial_chart(const ChartView& view);
Chart input_spectrum_chart(const ChartView& view);

}  // namespace report_detail
}  // namespace alacarte
