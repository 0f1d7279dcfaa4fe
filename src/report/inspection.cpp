#include "inspection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"

namespace alacarte::cli {
namespace {

using nlohmann::json;

/// Inputs by falling relevance; the length-scale leaves the scaled unit for the input's own, where it has one.
json ranked_inputs(const FittedModel& model, const std::vector<double>& relevance) {
  const auto& names = model.schema.input_names();
  std::vector<std::size_t> order(std::min(relevance.size(), names.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return relevance[a] > relevance[b]; });
  json inputs = json::array();
  for (const std::size_t j : order) {
    json entry = {{"name", names[j]}, {"relevance", relevance[j]}, {"lengthscale", nullptr}};
    const double lengthscale = model.standardizer.input_scale()[static_cast<Index>(j)] / relevance[j];
    if (std::isfinite(lengthscale) && model.standardizer.rows() == RowScaling{}) entry["lengthscale"] = lengthscale;
    inputs.push_back(std::move(entry));
  }
  return inputs;
}

json parameters_of(const Member& member) {
  json parameters = json::object();
  for (const ParameterSlot& slot : member.parameters().slots()) {
    const Vector values = member.theta.segment(slot.offset, slot.size);
    parameters[slot.name] = std::vector<double>(values.data(), values.data() + values.size());
  }
  return parameters;
}

std::vector<double> relevance_of(const json& description) {
  std::vector<double> relevance;
  for (const json& value : description.value("relevance", json::array())) {
    relevance.push_back(value.is_number() ? value.get<double>() : 0);
  }
  return relevance;
}

json inspect_fit(const FittedModel& model, const Member& member) {
  const ParameterLayout& layout = member.parameters();
  const Vector theta = member.theta.head(layout.size());
  json description = member.map ? member.map->describe(theta) : member.kernel->describe(theta);
  const double noise_sd = std::sqrt(member.posterior->noise_variance());
  json fit = {{"model", member.recipe.model},
              {"features", member.map ? json(member.map->feature_count()) : json(nullptr)},
              {"inputs", ranked_inputs(model, relevance_of(description))},
              {"parameters", parameters_of(member)},
              {"description", std::move(description)},
              {"summary", member.summary}};
  if (noise_sd == 0) return fit;
  fit["noise_sd"] = noise_sd * model.standardizer.target_scale();
  fit["noise_sd_standardised"] = noise_sd;
  return fit;
}

/// Relevances of a mixture: root mean square over its fits, as for the mixture of their spectra.
json mean_relevance(const FittedModel& model, const json& fits) {
  std::vector<double> sums;
  for (const json& fit : fits) {
    const std::vector<double> relevance = relevance_of(fit["description"]);
    sums.resize(std::max(sums.size(), relevance.size()), 0.0);
    for (std::size_t j = 0; j < relevance.size(); ++j) sums[j] += relevance[j] * relevance[j];
  }
  for (double& sum : sums) sum = std::sqrt(sum / static_cast<double>(fits.size()));
  return ranked_inputs(model, sums);
}

}  // namespace

json inspection(const FittedModel& model) {
  json fits = json::array();
  for (const Member& member : model.members) fits.push_back(inspect_fit(model, member));
  json document = {{"model", model.recipe.model},
                   {"seed", model.seed},
                   {"target", model.schema.target_name()},
                   {"target_scale", model.standardizer.target_scale()},
                   {"target_shift", model.standardizer.target_shift()},
                   {"input_names", model.schema.input_names()},
                   {"error_bars", model.has_variance()},
                   {"training", model.training},
                   {"recipe", to_json(model.recipe, model_cards())},
                   {"inputs", mean_relevance(model, fits)}};
  if (model.has_classes()) document["classes"] = model.schema.classes();
  document["fits"] = std::move(fits);
  return document;
}

}  // namespace alacarte::cli
