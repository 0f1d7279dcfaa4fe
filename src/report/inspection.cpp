#include "alacarte/report/inspection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte {
namespace {

using nlohmann::json;

/// Inputs by falling relevance; the length-scale leaves the scaled unit for the input's own, where it has one.
std::vector<InputRelevance> ranked_inputs(const FittedModel& model, const std::vector<double>& relevance) {
  const auto& names = model.schema.input_names();
  std::vector<std::size_t> order(std::min(relevance.size(), names.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return relevance[a] > relevance[b]; });
  std::vector<InputRelevance> inputs;
  for (const std::size_t j : order) {
    inputs.push_back({names[j], relevance[j], {}});
    const double lengthscale = model.standardizer.input_scale()[static_cast<Index>(j)] / relevance[j];
    if (std::isfinite(lengthscale) && model.standardizer.rows() == RowScaling{})
      inputs.back().lengthscale = lengthscale;
  }
  return inputs;
}

NamedValues parameters_of(const Member& member) {
  NamedValues parameters;
  for (const ParameterSlot& slot : member.parameters().slots()) {
    const Vector values = member.theta.segment(slot.offset, slot.size);
    parameters[slot.name] = {values.data(), values.data() + values.size()};
  }
  return parameters;
}

std::vector<double> relevance_of(const json& description) {
  std::vector<double> relevance;
  for (const json& value : description.value("relevance", json::array()))
    relevance.push_back(value.is_number() ? value.get<double>() : 0);
  return relevance;
}

/// An input that had one value in all training rows has taught its spectrum nothing: what stands there is the prior.
void drop_constant_inputs(const FittedModel& model, json& description) {
  const auto relevance = description.find("relevance");
  if (relevance == description.end() || model.standardizer.is_sparse()) return;
  const Vector range = model.standardizer.standardised_range();
  for (Index j = 0; j < std::min<Index>(range.size(), static_cast<Index>(relevance->size())); ++j)
    if (range[j] == 0) (*relevance)[static_cast<std::size_t>(j)] = 0;
}

FitInspection inspect_fit(const FittedModel& model, const Member& member) {
  const Vector theta = member.theta.head(member.parameters().size());
  FitInspection fit;
  fit.model = member.recipe.model;
  fit.name = member.summary.is_object() ? member.summary.value("name", fit.model) : fit.model;
  if (member.map) fit.features = member.map->feature_count();
  fit.description = member.map ? member.map->describe(theta) : member.kernel->describe(theta);
  drop_constant_inputs(model, fit.description);
  fit.inputs = ranked_inputs(model, relevance_of(fit.description));
  fit.parameters = parameters_of(member);
  fit.summary = member.summary;
  fit.noise_sd_standardised = std::sqrt(member.posterior->noise_variance());
  if (fit.noise_sd_standardised != 0) fit.noise_sd = fit.noise_sd_standardised * model.standardizer.target_scale();
  return fit;
}

/// Relevances of a mixture: root mean square over its fits, as for the mixture of their spectra.
std::vector<InputRelevance> mean_relevance(const FittedModel& model, const std::vector<FitInspection>& fits) {
  std::vector<double> sums;
  for (const FitInspection& fit : fits) {
    const std::vector<double> relevance = relevance_of(fit.description);
    sums.resize(std::max(sums.size(), relevance.size()), 0.0);
    for (std::size_t j = 0; j < relevance.size(); ++j) sums[j] += relevance[j] * relevance[j];
  }
  for (double& sum : sums) sum = std::sqrt(sum / static_cast<double>(fits.size()));
  return ranked_inputs(model, sums);
}

json to_json(const std::vector<InputRelevance>& inputs) {
  json list = json::array();
  for (const InputRelevance& input : inputs)
    list.push_back({{"name", input.name},
                    {"relevance", input.relevance},
                    {"lengthscale", input.lengthscale ? json(*input.lengthscale) : json()}});
  return list;
}

json to_json(const FitInspection& fit) {
  json document = {{"model", fit.model},
                   {"features", fit.features ? json(*fit.features) : json()},
                   {"inputs", to_json(fit.inputs)},
                   {"parameters", fit.parameters},
                   {"description", fit.description},
                   {"summary", fit.summary}};
  if (!fit.noise_sd) return document;
  document["noise_sd"] = *fit.noise_sd;
  document["noise_sd_standardised"] = fit.noise_sd_standardised;
  return document;
}

}  // namespace

Inspection inspect(const FittedModel& model) {
  Inspection inspection;
  inspection.model = model.recipe.model;
  inspection.target = model.schema.target_name();
  inspection.seed = model.seed;
  inspection.target_scale = model.standardizer.target_scale();
  inspection.target_shift = model.standardizer.target_shift();
  inspection.input_names = model.schema.input_names();
  if (model.has_classes()) inspection.classes = model.schema.classes();
  inspection.error_bars = model.has_variance();
  for (const Member& member : model.members) inspection.fits.push_back(inspect_fit(model, member));
  inspection.inputs = mean_relevance(model, inspection.fits);
  inspection.training = model.training.is_object() ? model.training : json::object();
  inspection.recipe = to_json(model.recipe, model_infos());
  return inspection;
}

json to_json(const Inspection& inspection) {
  json document = {{"model", inspection.model},
                   {"seed", inspection.seed},
                   {"target", inspection.target},
                   {"target_scale", inspection.target_scale},
                   {"target_shift", inspection.target_shift},
                   {"input_names", inspection.input_names},
                   {"error_bars", inspection.error_bars},
                   {"training", inspection.training},
                   {"recipe", inspection.recipe},
                   {"inputs", to_json(inspection.inputs)},
                   {"fits", json::array()}};
  if (inspection.classes) document["classes"] = *inspection.classes;
  for (const FitInspection& fit : inspection.fits) document["fits"].push_back(to_json(fit));
  return document;
}

}  // namespace alacarte
