#pragma once
// Builders of charts, one function each; a chart without panels has no data.
#include <functional>

#include "alacarte/report/charts.hpp"

namespace alacarte::report_detail {

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

/// A chart with a menu of data sets and a series, of the same colour everywhere, for each method.
Chart chart_by_method(const ChartView& view, const char* name, const char* title);

/// Finished results of a data set and method by fold, and the first of them that has the data (null: none).
std::vector<const RunResult*> results_of(const ChartView& view, const std::string& dataset, const std::string& method);
using HasData = bool (*)(const RunResult&);
const RunResult* first_with(HasData has_data, const ChartView& view, const std::string& dataset,
                            const std::string& method);

/// A panel for each data set: `add` puts in what the first result with data of each method shows. Panels without any
/// series are left out.
std::vector<Panel> panels_by_dataset(
    const ChartView& view, HasData has_data,
    const std::function<void(const std::string& method, const RunResult& result, Panel& panel)>& add);

/// `count` of `size` indices, evenly, the first and the last among them; all if there are fewer.
std::vector<std::size_t> spread(std::size_t size, std::size_t count);
std::string input_name(const RunResult& result, std::size_t input);

/// Accuracy relative to a reference against the relative cost.
Chart accuracy_chart(const ChartView& view, Measure cost);
Chart rank_chart(const Ranking& ranking);
/// RMSE against the frequencies m, a line for each number of components Q.
Chart count_chart(const ChartView& view);
Chart calibration_chart(const ChartView& view);
Chart prediction_chart(const ChartView& view);
Chart trace_chart(const ChartView& view);
Chart relevance_chart(const ChartView& view);
Chart amplitude_chart(const ChartView& view);
/// Densities of the lengths of frequencies, by method; and of the frequencies along the inputs, by input.
Chart radial_chart(const ChartView& view);
Chart input_spectrum_chart(const ChartView& view);

}  // namespace alacarte::report_detail
