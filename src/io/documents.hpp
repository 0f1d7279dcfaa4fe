#pragma once
// The library's results as JSON documents; the rooms below io use no JSON.
#include <alacarte/core/model_info.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/eval/metrics.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Writes the members that are not empty: {"relevance": [d numbers], "amplitude": .., "components": [...], ...}. A
/// relevance of exactly 0 has no decimal point.
nlohmann::json to_json(const KernelDescription& description);

/// Writes n, rmse, mae, r2, smse, nlpd, nlpd_median, crps, coverage: {"50": .., "90": .., "95": ..}.
nlohmann::json to_json(const Metrics& metrics);
/// Writes the metrics and "standardised": {rmse, mae, nlpd, crps}. scale > 0: one standardised unit in units of the
/// target, which divides errors and whose logarithm shifts log densities.
nlohmann::json to_json(const Metrics& metrics, double scale);
/// Writes {n, accuracy, log_loss, brier, ece, ece_bins, classes, confusion}; null without probabilities. names: K.
nlohmann::json to_json(const ClassMetrics& metrics, const std::vector<std::string>& names);
nlohmann::json to_json(const CountMetrics& metrics);  ///< {n, rmse, mae, nlpd}

nlohmann::json to_json(const Schema& schema);  ///< contents of model files and rows files
/// Reads a schema. Throws IoError for a malformed document.
Schema schema_from_json(const nlohmann::json& document);
nlohmann::json to_json(const Standardizer& standardizer);  ///< contents of the model file
/// Reads a standardizer. Throws IoError for a malformed document.
Standardizer standardizer_from_json(const nlohmann::json& document);

}  // namespace alacarte
