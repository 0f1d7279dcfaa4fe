#pragma once
// The charts of reports and of models.
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/report/chart.hpp>
#include <alacarte/report/summary.hpp>
#include <vector>

namespace alacarte {

/// Accuracy against training time and memory, average ranks with the critical difference, RMSE against the numbers of
/// components and frequencies, calibration with a binomial band, predictions against true values, evidence traces,
/// relevances of inputs, learned spectra. Charts without data are left out. `of_model`: those of one model, and its
/// amplitudes; `results` then has a result for each fit, all of one data set, and one of them has the predictions.
std::vector<Chart> make_charts(const ResultSet& results, const Summary& summary, bool of_model = false);

/// Reliability diagram: accuracy of the predicted classes against their probabilities. No panels without probabilities.
Chart make_reliability_chart(const ClassMetrics& metrics);

}  // namespace alacarte
