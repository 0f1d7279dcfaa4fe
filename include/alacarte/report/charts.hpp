#pragma once
// A report's charts as Vega-Lite specifications, and the page that holds charts and tables.
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/report/report.hpp>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace alacarte {

struct Chart {
  std::string name;                ///< of its files: "accuracy-time"
  std::string title, description;  ///< plain text
  nlohmann::json spec;             ///< Vega-Lite 5, data inside
  std::string svg;                 ///< the same drawn still, for a choice of what it can show
};

/// Accuracy against training time and memory, average ranks with the critical difference, RMSE against the numbers of
/// components and frequencies, calibration with a binomial band, predictions against true values, evidence traces,
/// relevances of inputs, learned spectra. Charts without data are left out.
std::vector<Chart> make_charts(const ResultSet& results, const Summary& summary);

/// The same of one model: the units of `results` are its fits, of one data set, and one of them has the predictions.
/// Also the amplitudes.
std::vector<Chart> make_model_charts(const ResultSet& fits, const Summary& summary);

/// How often the predicted classes are right, against their probabilities. No title without probabilities.
Chart make_reliability_chart(const ClassMetrics& metrics);

/// The texts of vega, vega-lite and vega-embed below a node_modules folder, in the order they must run. Throws IoError
/// naming the file that is missing.
std::vector<std::string> read_vega(const std::string& node_modules);

/// One self-contained page. `scripts`: of read_vega; empty: still charts only, and the page says what is missing.
void write_html(const Report& report, const std::vector<Chart>& charts, const std::vector<std::string>& scripts,
                std::ostream& out);

}  // namespace alacarte
