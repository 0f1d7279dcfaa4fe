#include <cmath>
#include <nlohmann/json.hpp>

#include "documents.hpp"

namespace alacarte {

nlohmann::json to_json(const Metrics& metrics) {
  return {{"n", metrics.n},
          {"rmse", metrics.rmse},
          {"mae", metrics.mae},
          {"r2", metrics.r2},
          {"smse", metrics.smse},
          {"nlpd", metrics.nlpd},
          {"nlpd_median", metrics.nlpd_median},
          {"crps", metrics.crps},
          {"coverage", {{"50", metrics.coverage50}, {"90", metrics.coverage90}, {"95", metrics.coverage95}}}};
}

nlohmann::json to_json(const Metrics& metrics, double scale) {
  nlohmann::json json = to_json(metrics);
  json["standardised"] = {{"rmse", metrics.rmse / scale},
                          {"mae", metrics.mae / scale},
                          {"nlpd", metrics.nlpd - std::log(scale)},
                          {"crps", metrics.crps / scale}};
  return json;
}

nlohmann::json to_json(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  const auto known = [&](double value) { return metrics.probabilities ? nlohmann::json(value) : nlohmann::json(); };
  return {{"n", metrics.n},
          {"accuracy", metrics.accuracy},
          {"log_loss", known(metrics.log_loss)},
          {"brier", known(metrics.brier)},
          {"ece", known(metrics.ece)},
          {"ece_bins", kCalibrationBins},
          {"classes", names},
          {"confusion", metrics.confusion}};
}

nlohmann::json to_json(const CountMetrics& metrics) {
  return {{"n", metrics.n}, {"rmse", metrics.rmse}, {"mae", metrics.mae}, {"nlpd", metrics.nlpd}};
}

}  // namespace alacarte
