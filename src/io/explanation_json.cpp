#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/model/explanation.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "documents.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

Json numbers(const std::vector<Estimate>& estimates, double Estimate::*part) {
  Json list = Json::array();
  for (const Estimate& estimate : estimates) list.push_back(estimate.*part);
  return list;
}

Json values_of(const std::vector<InputValue>& values, const ExplainedInput& input) {
  Json list = Json::array();
  for (const InputValue& value : values)
    list.push_back(input.categories.empty() ? Json(value.number) : Json(value.label));
  return list;
}

Json rows_of(const Matrix& matrix) {
  Json list = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) list.push_back(number_list(matrix.row(i)));
  return list;
}

Json shapley_json(const Explanation& explanation) {
  const ShapleyValues& own = *explanation.shapley;
  Json inputs = Json::array();
  for (std::size_t j = 0; j < own.inputs.size(); ++j) {
    const Json error = own.sampling_error ? Json((*own.sampling_error)[static_cast<Index>(j)]) : Json();
    inputs.push_back({{"input", own.inputs[j].name},
                      {"value", values_of({own.values[j]}, own.inputs[j]).front()},
                      {"shapley", own.shapley[j].mean},
                      {"sd", explanation.variances ? Json(own.shapley[j].sd) : Json()},
                      {"sampling_error", error}});
  }
  return {{"row", explanation.row},
          {"prediction", own.prediction},
          {"average", own.average},
          {"orders", own.orders},
          {"inputs", std::move(inputs)}};
}

Json importance_json(const Explanation& explanation) {
  const PermutationImportance& own = *explanation.importance;
  Json inputs = Json::array();
  for (std::size_t j = 0; j < own.inputs.size(); ++j)
    inputs.push_back({{"input", own.inputs[j].name},
                      {"increase", own.increase[static_cast<Index>(j)]},
                      {"standard_error", own.standard_error[static_cast<Index>(j)]}});
  return {{"rows", explanation.importance_rows},
          {"rmse", own.rmse},
          {"repeats", explanation.repeats},
          {"inputs", std::move(inputs)}};
}

void add_numbers(Json& document, const char* key, const Vector& values) {
  if (values.size() > 0) document[key] = number_list(values);
}

template <class Value>
void add_value(Json& document, const char* key, const std::optional<Value>& value) {
  if (value) document[key] = *value;
}

Json radial_json(const RadialDescription& radial) {
  Json document = Json::object();
  add_value(document, "nu", radial.nu);
  add_value(document, "alpha", radial.alpha);
  add_numbers(document, "knots", radial.knots);
  add_numbers(document, "density", radial.density);
  return document;
}

Json component_json(const SpectralComponent& component) {
  Json document = {{"amplitude", component.amplitude}};
  add_numbers(document, "lengthscales", component.lengthscales);
  add_numbers(document, "mean_frequency", component.mean_frequency);
  document.update(radial_json(component.law));
  if (component.radial) document["radial"] = radial_json(*component.radial);
  return document;
}

Json relevance_json(const Vector& relevance) {
  Json list = Json::array();
  for (const double value : relevance) list.push_back(value == 0 ? Json(0) : Json(value));
  return list;
}

Json json_of(const Metrics& metrics, const FittedModel& model) {
  Json json = to_json(metrics, model.standardizer.target_spread());
  if (model.has_variance()) return json;
  for (const char* key : {"nlpd", "nlpd_median", "crps", "coverage"}) json[key] = nullptr;
  for (const char* key : {"nlpd", "crps"}) json["standardised"][key] = nullptr;
  return json;
}
Json json_of(const ClassMetrics& metrics, const FittedModel& model) { return to_json(metrics, model.schema.classes()); }
Json json_of(const CountMetrics& metrics, const FittedModel&) { return to_json(metrics); }

/// Adds each number of a record, divided by `count`, to the same place of `mean`; one that is null makes it null.
void add_share(const Json& record, double count, Json& mean) {
  if (record.is_object()) {
    for (const auto& [key, value] : record.items()) add_share(value, count, mean[key]);
  } else if (mean.is_string() || !record.is_number()) {
    mean = "unknown";
  } else {
    mean = (mean.is_number() ? mean.get<double>() : 0.0) + record.get<double>() / count;
  }
}

void words_to_null(Json& record) {
  if (record.is_string()) record = nullptr;
  if (record.is_object())
    for (auto& [key, value] : record.items()) words_to_null(value);
}

}  // namespace

Json to_json(const Explanation& explanation) {
  Json dependence = Json::array(), interactions = Json::array();
  for (const PartialDependence& own : explanation.partial_dependence)
    dependence.push_back({{"input", own.input.name},
                          {"values", values_of(own.values, own.input)},
                          {"mean", numbers(own.f, &Estimate::mean)},
                          {"sd", explanation.variances ? numbers(own.f, &Estimate::sd) : Json()},
                          {"spread", own.spread}});
  for (const Interaction& own : explanation.interactions)
    interactions.push_back(
        {{"inputs", {own.first.name, own.second.name}},
         {"values", {values_of(own.first_values, own.first), values_of(own.second_values, own.second)}},
         {"mean", rows_of(own.mean)},
         {"sd", explanation.variances ? rows_of(own.sd) : Json()},
         {"strength", own.strength}});
  Json document = {{"target", explanation.target},
                   {"rows", explanation.rows},
                   {"background_rows", explanation.background},
                   {"partial_dependence", std::move(dependence)},
                   {"interactions", std::move(interactions)},
                   {"importance", explanation.importance ? importance_json(explanation) : Json()},
                   {"shapley", explanation.shapley ? shapley_json(explanation) : Json()}};
  if (!explanation.transform.empty()) document["transform"] = explanation.transform;
  return document;
}

Json to_json(const LinearCoefficients& coefficients) {
  Json inputs = Json::array();
  for (const auto& input : coefficients.inputs)
    inputs.push_back({{"name", input.name}, {"value", input.value}, {"sd", input.sd ? Json(*input.sd) : Json()}});
  return {{"intercept", coefficients.intercept}, {"inputs", std::move(inputs)}};
}

Json to_json(const KernelDescription& description) {
  Json document = {{"amplitude", description.amplitude}};
  if (!description.model.empty()) document["model"] = description.model;
  if (description.relevance.size() > 0) document["relevance"] = relevance_json(description.relevance);
  add_numbers(document, "lengthscale", description.lengthscale);
  add_numbers(document, "period", description.period);
  add_numbers(document, "spread", description.spread);
  add_value(document, "shape", description.shape);
  add_value(document, "offset", description.offset);
  add_value(document, "degree", description.degree);
  add_value(document, "landmarks", description.landmarks);
  for (const auto& [exponent, value] : description.coefficients)
    document["coefficients"][std::to_string(exponent)] = value;
  for (const SpectralComponent& component : description.components)
    document["components"].push_back(component_json(component));
  for (const KernelDescription& term : description.terms) document["components"].push_back(to_json(term));
  return document;
}

Json to_json(const Scores& scores, const FittedModel& model) {
  Json json = std::visit([&](const auto& metrics) { return json_of(metrics, model); }, scores.metrics);
  json["seconds"] = scores.seconds;
  for (const Scores::Intervals& own : scores.conformal)
    json["conformal"][fmt::format("{:g}", 100 * own.probability)] = {{"coverage", own.coverage},
                                                                     {"mean_width", own.mean_width}};
  return json;
}

Json to_json(const std::vector<Scores>& scores, const std::vector<FittedModel>& models) {
  Json targets = Json::object(), mean = Json::object();
  for (std::size_t t = 0; t < models.size(); ++t) {
    const Json own = to_json(scores[t], models[t]);
    for (const char* key : {"r2", "smse", "coverage", "standardised"})
      if (own.contains(key)) add_share(own[key], static_cast<double>(models.size()), mean[key]);
    targets[models[t].schema.target_name()] = own;
  }
  words_to_null(mean);
  return {{"targets", std::move(targets)}, {"mean", std::move(mean)}};
}

Json to_json(const Metrics& metrics) {
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

Json to_json(const Metrics& metrics, double scale) {
  Json json = to_json(metrics);
  json["standardised"] = {{"rmse", metrics.rmse / scale},
                          {"mae", metrics.mae / scale},
                          {"nlpd", metrics.nlpd - std::log(scale)},
                          {"crps", metrics.crps / scale}};
  return json;
}

Json to_json(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  const auto known = [&](double value) { return metrics.probabilities ? Json(value) : Json(); };
  return {{"n", metrics.n},
          {"accuracy", metrics.accuracy},
          {"log_loss", known(metrics.log_loss)},
          {"brier", known(metrics.brier)},
          {"ece", known(metrics.ece)},
          {"ece_bins", kCalibrationBins},
          {"classes", names},
          {"confusion", metrics.confusion}};
}

Json to_json(const CountMetrics& metrics) {
  return {{"n", metrics.n}, {"rmse", metrics.rmse}, {"mae", metrics.mae}, {"nlpd", metrics.nlpd}};
}

}  // namespace alacarte
