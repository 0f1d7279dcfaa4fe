#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/model/explanation.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "documents.hpp"

namespace alacarte {
namespace {

using ExplanationJson = nlohmann::json;

ExplanationJson numbers(const std::vector<Estimate>& estimates, double Estimate::*part) {
  ExplanationJson list = ExplanationJson::array();
  for (const Estimate& estimate : estimates) list.push_back(estimate.*part);
  return list;
}

ExplanationJson values_of(const std::vector<InputValue>& values, const ExplainedInput& input) {
  ExplanationJson list = ExplanationJson::array();
  for (const InputValue& value : values)
    list.push_back(input.categories.empty() ? ExplanationJson(value.number) : ExplanationJson(value.label));
  return list;
}

ExplanationJson rows_of(const Matrix& matrix) {
  ExplanationJson list = ExplanationJson::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    const Eigen::RowVectorXd row = matrix.row(i);
    list.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return list;
}

ExplanationJson shapley_json(const Explanation& explanation) {
  const ShapleyValues& own = *explanation.shapley;
  ExplanationJson inputs = ExplanationJson::array();
  for (std::size_t j = 0; j < own.inputs.size(); ++j) {
    const ExplanationJson error =
        own.sampling_error ? ExplanationJson((*own.sampling_error)[static_cast<Index>(j)]) : ExplanationJson();
    inputs.push_back({{"input", own.inputs[j].name},
                      {"value", values_of({own.values[j]}, own.inputs[j]).front()},
                      {"shapley", own.shapley[j].mean},
                      {"sd", explanation.variances ? ExplanationJson(own.shapley[j].sd) : ExplanationJson()},
                      {"sampling_error", error}});
  }
  return {{"row", explanation.row},
          {"prediction", own.prediction},
          {"average", own.average},
          {"orders", own.orders},
          {"inputs", std::move(inputs)}};
}

ExplanationJson importance_json(const Explanation& explanation) {
  const PermutationImportance& own = *explanation.importance;
  ExplanationJson inputs = ExplanationJson::array();
  for (std::size_t j = 0; j < own.inputs.size(); ++j)
    inputs.push_back({{"input", own.inputs[j].name},
                      {"increase", own.increase[static_cast<Index>(j)]},
                      {"standard_error", own.standard_error[static_cast<Index>(j)]}});
  return {{"rows", explanation.importance_rows},
          {"rmse", own.rmse},
          {"repeats", explanation.repeats},
          {"inputs", std::move(inputs)}};
}

using DescriptionJson = nlohmann::json;

DescriptionJson numbers(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

void add_numbers(DescriptionJson& document, const char* key, const Vector& values) {
  if (values.size() > 0) document[key] = numbers(values);
}

template <class Value>
void add_value(DescriptionJson& document, const char* key, const std::optional<Value>& value) {
  if (value) document[key] = *value;
}

DescriptionJson radial_json(const RadialDescription& radial) {
  DescriptionJson document = DescriptionJson::object();
  add_value(document, "nu", radial.nu);
  add_value(document, "alpha", radial.alpha);
  add_numbers(document, "knots", radial.knots);
  add_numbers(document, "density", radial.density);
  return document;
}

DescriptionJson component_json(const SpectralComponent& component) {
  DescriptionJson document = {{"amplitude", component.amplitude}};
  add_numbers(document, "lengthscales", component.lengthscales);
  add_numbers(document, "mean_frequency", component.mean_frequency);
  document.update(radial_json(component.law));
  if (component.radial) document["radial"] = radial_json(*component.radial);
  return document;
}

DescriptionJson relevance_json(const Vector& relevance) {
  DescriptionJson list = DescriptionJson::array();
  for (const double value : relevance) list.push_back(value == 0 ? DescriptionJson(0) : DescriptionJson(value));
  return list;
}

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

nlohmann::json to_json(const Explanation& explanation) {
  ExplanationJson dependence = ExplanationJson::array(), interactions = ExplanationJson::array();
  for (const PartialDependence& own : explanation.partial_dependence)
    dependence.push_back({{"input", own.input.name},
                          {"values", values_of(own.values, own.input)},
                          {"mean", numbers(own.f, &Estimate::mean)},
                          {"sd", explanation.variances ? numbers(own.f, &Estimate::sd) : ExplanationJson()},
                          {"spread", own.spread}});
  for (const Interaction& own : explanation.interactions)
    interactions.push_back(
        {{"inputs", {own.first.name, own.second.name}},
         {"values", {values_of(own.first_values, own.first), values_of(own.second_values, own.second)}},
         {"mean", rows_of(own.mean)},
         {"sd", explanation.variances ? rows_of(own.sd) : ExplanationJson()},
         {"strength", own.strength}});
  return {{"target", explanation.target},
          {"rows", explanation.rows},
          {"background_rows", explanation.background},
          {"partial_dependence", std::move(dependence)},
          {"interactions", std::move(interactions)},
          {"importance", explanation.importance ? importance_json(explanation) : ExplanationJson()},
          {"shapley", explanation.shapley ? shapley_json(explanation) : ExplanationJson()}};
}

nlohmann::json to_json(const LinearCoefficients& coefficients) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const auto& input : coefficients.inputs)
    inputs.push_back({{"name", input.name},
                      {"value", input.value},
                      {"sd", input.sd ? nlohmann::json(*input.sd) : nlohmann::json()}});
  return {{"intercept", coefficients.intercept}, {"inputs", std::move(inputs)}};
}

nlohmann::json to_json(const KernelDescription& description) {
  DescriptionJson document = {{"amplitude", description.amplitude}};
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
