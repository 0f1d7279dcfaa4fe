#include "inspection.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "app/coefficients.hpp"
#include "io/documents.hpp"
#include "model/fit_inputs.hpp"
#include "model/learned_periods.hpp"
#include "report/columns.hpp"
#include "report/summary.hpp"

namespace alacarte {
namespace {

using nlohmann::json;

/// Returns inputs by decreasing relevance, with length-scales in the input's own unit, if it has one. periods: of a fit
/// (learned_periods()).
std::vector<InputRelevance> ranked_inputs(const FittedModel& model, const std::vector<double>& relevance,
                                          const std::vector<std::vector<double>>& periods = {}) {
  const auto& names = model.schema.input_names();
  std::vector<InputRelevance> inputs;
  for (const std::size_t j : order_of(relevance, true)) {
    if (j >= names.size() || static_cast<Index>(j) >= model.standardizer.smooth_count()) continue;
    inputs.push_back({names[j], relevance[j], {}, j < periods.size() ? periods[j] : std::vector<double>()});
    const double lengthscale = model.standardizer.input_scale()[static_cast<Index>(j)] / relevance[j];
    if (std::isfinite(lengthscale) && model.standardizer.rows() == RowScaling{})
      inputs.back().lengthscale = lengthscale;
  }
  return inputs;
}

NamedValues parameters_of(const Member& member) {
  NamedValues parameters;
  for (const ParameterSlot& slot : member.prior.parameters().slots()) {
    const Vector values = member.theta.segment(slot.offset, slot.size);
    parameters[slot.name] = {values.data(), values.data() + values.size()};
  }
  if (member.likelihood_theta.size() == 0) return parameters;
  const ParameterLayout layout = likelihood_of(member.recipe).parameters(member.recipe.noise);
  for (const ParameterSlot& slot : layout.slots()) parameters[slot.name] = {member.likelihood_theta[slot.offset]};
  return parameters;
}

std::vector<double> relevance_of(const KernelDescription& description) {
  return {description.relevance.begin(), description.relevance.end()};
}

json object_or_empty(const json& value) { return value.is_object() ? value : json::object(); }

/// Along a curve a length-scale has no unit of the input.
void drop_lengthscales(std::vector<InputRelevance>& inputs) {
  for (InputRelevance& input : inputs) input.lengthscale.reset();
}

FitInspection inspect_fit(const FittedModel& model, const Member& member) {
  FitInspection fit{member, member.weight};
  fit.summary = object_or_empty(to_json(member.summary));
  fit.name = fit.summary.value("name", member.recipe.model);
  if (member.prior.map()) fit.features = member.prior.map()->feature_count();
  fit.description = describe(model, member);
  const bool bends = !view_of(member.recipe).is_plain();
  const auto periods =
      bends ? std::vector<std::vector<double>>() : learned_periods(model.standardizer, fit.description);
  fit.inputs = ranked_inputs(model, relevance_of(fit.description), periods);
  if (bends) drop_lengthscales(fit.inputs);
  fit.effects = random_effects(model, fit.description);
  fit.parameters = parameters_of(member);
  fit.noise_sd_standardised = std::sqrt(member.posterior->noise_variance());
  if (fit.noise_sd_standardised != 0) fit.noise_sd = fit.noise_sd_standardised * model.standardizer.target_scale();
  return fit;
}

/// Returns the relevances of a mixture: weighted root mean square over its fits, as for the mixture of their spectra.
std::vector<InputRelevance> mean_relevance(const FittedModel& model, const std::vector<FitInspection>& fits) {
  std::vector<double> sums;
  for (const FitInspection& fit : fits) {
    const std::vector<double> relevance = relevance_of(fit.description);
    sums.resize(std::max(sums.size(), relevance.size()), 0.0);
    for (std::size_t j = 0; j < relevance.size(); ++j) sums[j] += fit.member.weight * relevance[j] * relevance[j];
  }
  for (double& sum : sums) sum = std::sqrt(sum / static_cast<double>(fits.size()));
  std::vector<InputRelevance> inputs = ranked_inputs(model, sums);
  if (std::any_of(fits.begin(), fits.end(),
                  [](const FitInspection& fit) { return !view_of(fit.member.recipe).is_plain(); }))
    drop_lengthscales(inputs);
  return inputs;
}

json to_json(const std::vector<InputRelevance>& inputs) {
  json list = json::array();
  for (const InputRelevance& input : inputs) {
    list.push_back({{"name", input.name},
                    {"relevance", input.relevance},
                    {"lengthscale", input.lengthscale ? json(*input.lengthscale) : json()}});
    if (!input.periods.empty()) list.back()["periods"] = input.periods;
  }
  return list;
}

json to_json(const FitInspection& fit) {
  json document = {{"model", fit.member.recipe.model},
                   {"features", fit.features ? json(*fit.features) : json()},
                   {"inputs", to_json(fit.inputs)},
                   {"parameters", fit.parameters},
                   {"description", to_json(fit.description)},
                   {"summary", to_json(fit.member.summary)},
                   {"weight", fit.member.weight}};
  if (fit.noise_sd)
    document.update({{"noise_sd", *fit.noise_sd}, {"noise_sd_standardised", fit.noise_sd_standardised}});
  if (const Scaling scale = fit.member.recipe.scale_inputs; is_curve(scale)) document["scale"] = word(scale);
  if (view_of(fit.member.recipe).trees != TreeInputs::none)
    document["trees"] = fit.member.recipe.trees == TreeInputs::alone ? "alone" : "beside";
  for (const RandomEffect& effect : fit.effects)
    document["effects"].push_back({{"name", effect.name}, {"levels", effect.levels}, {"sd", effect.sd}});
  return document;
}

}  // namespace

Inspection inspect(const FittedModel& model) {
  Inspection inspection{model, object_or_empty(to_json(model.training))};
  std::size_t first = 0;  // sample of the fit at hand
  double fits = 0;
  for (const Member& member : model.members) {
    if (!is_further_sample(member)) {
      first = inspection.fits.size();
      ++fits;
    }
    inspection.fits.push_back(inspect_fit(model, member));
    if (is_further_sample(member)) inspection.fits[first].weight += member.weight;
  }
  for (FitInspection& fit : inspection.fits) fit.weight *= fits / static_cast<double>(inspection.fits.size());
  inspection.inputs = mean_relevance(model, inspection.fits);
  return inspection;
}

json to_json(const Inspection& inspection) {
  const FittedModel& model = inspection.model;
  json document = {{"model", model.recipe.model},
                   {"seed", model.seed},
                   {"target", model.schema.target_name()},
                   {"target_scale", model.standardizer.target_scale()},
                   {"target_shift", model.standardizer.target_shift()},
                   {"input_names", model.schema.input_names()},
                   {"columns", columns_json(model.schema)},
                   {"error_bars", model.has_variance()},
                   {"training", inspection.training},
                   {"recipe", to_json(model.recipe, model_infos())},
                   {"inputs", to_json(inspection.inputs)},
                   {"fits", json::array()}};
  if (const TargetTransform& transform = model.standardizer.transform(); !transform.is_identity())
    document["target_transform"] = transform.text();
  for (Index k = 0; k < model.noise_shape.shares.size(); ++k)
    document["noise_shape"].push_back(
        {{"share", model.noise_shape.shares[k]}, {"factor", model.noise_shape.factors[k]}});
  if (model.target() == TargetKind::classes) document["classes"] = model.schema.classes();
  if (const auto coefficients = linear_coefficients(model)) document["coefficients"] = to_json(*coefficients);
  for (const FitInspection& fit : inspection.fits) document["fits"].push_back(to_json(fit));
  return document;
}

}  // namespace alacarte
