#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/model/fitted_model.hpp"
#include "documents.hpp"

namespace alacarte {
namespace {

nlohmann::json json_of(const Metrics& metrics, const FittedModel& model) {
  nlohmann::json json = to_json(metrics, model.standardizer.target_scale());
  if (model.has_variance()) return json;
  for (const char* key : {"nlpd", "nlpd_median", "crps", "coverage"}) json[key] = nullptr;
  for (const char* key : {"nlpd", "crps"}) json["standardised"][key] = nullptr;
  return json;
}
nlohmann::json json_of(const ClassMetrics& metrics, const FittedModel& model) {
  return to_json(metrics, model.schema.classes());
}
nlohmann::json json_of(const CountMetrics& metrics, const FittedModel&) { return to_json(metrics); }

/// Adds each number of a record, divided by `count`, to the same place of `mean`; one that is null makes it null.
void add_share(const nlohmann::json& record, double count, nlohmann::json& mean) {
  if (record.is_object()) {
    for (const auto& [key, value] : record.items()) add_share(value, count, mean[key]);
  } else if (mean.is_string() || !record.is_number()) {
    mean = "unknown";
  } else {
    mean = (mean.is_number() ? mean.get<double>() : 0.0) + record.get<double>() / count;
  }
}

void words_to_null(nlohmann::json& record) {
  if (record.is_string()) record = nullptr;
  if (record.is_object())
    for (auto& [key, value] : record.items()) words_to_null(value);
}

}  // namespace

nlohmann::json to_json(const Scores& scores, const FittedModel& model) {
  nlohmann::json json = std::visit([&](const auto& metrics) { return json_of(metrics, model); }, scores.metrics);
  json["seconds"] = scores.seconds;
  for (const Scores::Intervals& own : scores.conformal)
    json["conformal"][fmt::format("{:g}", 100 * own.probability)] = {{"coverage", own.coverage},
                                                                     {"mean_width", own.mean_width}};
  return json;
}

nlohmann::json to_json(const std::vector<Scores>& scores, const std::vector<FittedModel>& models) {
  nlohmann::json targets = nlohmann::json::object(), mean = nlohmann::json::object();
  for (std::size_t t = 0; t < models.size(); ++t) {
    const nlohmann::json own = to_json(scores[t], models[t]);
    for (const char* key : {"r2", "smse", "coverage", "standardised"})
      if (own.contains(key)) add_share(own[key], static_cast<double>(models.size()), mean[key]);
    targets[models[t].schema.target_name()] = own;
  }
  words_to_null(mean);
  return {{"targets", std::move(targets)}, {"mean", std::move(mean)}};
}

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
