#pragma once
// The library's plain results as JSON documents. The rooms below io know no JSON.
#include <alacarte/core/kernel_description.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/eval/count_metrics.hpp>
#include <alacarte/eval/metrics.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// {"relevance": [d numbers], "amplitude": .., "components": [...], ...}: the members that are not empty. A relevance
/// of exactly 0 is written without a decimal point.
nlohmann::json to_json(const KernelDescription& description);

/// Names as in the program's output: n, rmse, mae, r2, smse, nlpd, nlpd_median, crps, coverage: {"50": .., "90": ..,
/// "95": ..}.
nlohmann::json to_json(const Metrics& metrics);
/// The metrics with "standardised": {rmse, mae, nlpd, crps} added. scale > 0: one standardised unit in units of the
/// target; errors are divided by it, log densities shifted by its logarithm.
nlohmann::json to_json(const Metrics& metrics, double scale);
/// {n, accuracy, log_loss, brier, ece, ece_bins, classes, confusion}; null for metrics that do not exist. names: K.
nlohmann::json to_json(const ClassMetrics& metrics, const std::vector<std::string>& names);
nlohmann::json to_json(const CountMetrics& metrics);  ///< {n, rmse, mae, nlpd}

nlohmann::json to_json(const Schema& schema);  ///< as model files and rows files have it
/// Throws IoError for a malformed document.
Schema schema_from_json(const nlohmann::json& document);
nlohmann::json to_json(const Standardizer& standardizer);  ///< as the model file has it
/// Throws IoError for a malformed document.
Standardizer standardizer_from_json(const nlohmann::json& document);

}  // namespace alacarte
