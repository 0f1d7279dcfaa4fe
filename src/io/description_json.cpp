#include <nlohmann/json.hpp>

#include "documents.hpp"

namespace alacarte {
namespace {

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

}  // namespace

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

}  // namespace alacarte
