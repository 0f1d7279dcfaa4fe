// From an experiment to its units, and how much work each is.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/data/fingerprint.hpp"
#include "alacarte/experiment/experiment.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/trainer.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr int kResultFormat = 1;
constexpr double kBaselineFlops = 1e3;  // before everything that trains

std::string as_file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '+' && c != '-') c = '-';
  return text;
}

/// A data set as it lies on this machine.
struct Source {
  std::string data, mask, data_sha256, mask_sha256;
};

Source locate(const DatasetEntry& entry, const ExperimentSources& sources) {
  Source source;
  source.data = sources.data(entry);
  source.data_sha256 = file_sha256(source.data);
  if (entry.split.kind == "folds") return source;
  source.mask = sources.mask(entry);
  source.mask_sha256 = file_sha256(source.mask);
  return source;
}

std::vector<std::string> overrides_for(const Method& method, const std::string& group) {
  std::vector<std::string> result;
  for (const std::string& key : {std::string("all"), group})
    if (const auto found = method.overrides.find(key); found != method.overrides.end())
      result.insert(result.end(), found->second.begin(), found->second.end());
  return result;
}

std::vector<Index> folds_of(const Experiment& experiment, const DatasetEntry& entry) {
  std::vector<Index> folds = experiment.folds;
  if (folds.empty())
    for (Index k = 0; k < entry.split.folds; ++k) folds.push_back(k);
  for (const Index fold : folds)
    if (fold >= entry.split.folds)
      throw ConfigError("/folds", fmt::format("{} has {} folds, counted from 0; there is no fold {}", entry.name,
                                              entry.split.folds, fold));
  return folds;
}

/// The units of one data set and method.
std::vector<Unit> units_of(const Experiment& experiment, const DatasetEntry& entry, const Method& method,
                           const Source& source, const ExperimentSources& sources) {
  Unit unit;
  unit.experiment = experiment.name;
  unit.dataset = entry.name;
  unit.label = method.label;
  unit.recipe_name = method.recipe;
  unit.baseline = method.baseline;
  unit.threads = experiment.threads;
  unit.data = source.data;
  unit.mask = source.mask;
  unit.data_sha256 = source.data_sha256;
  unit.mask_sha256 = source.mask_sha256;
  unit.folds = entry.split.kind == "folds" ? entry.split.folds : 0;
  unit.train_rows = experiment.train_rows;
  unit.flops = kBaselineFlops;
  bool classifies = false;
  if (method.baseline.empty()) {
    const Recipe recipe = sources.recipe(method.recipe, overrides_for(method, entry.group));
    unit.recipe = to_json(recipe, model_cards());
    classifies = learns_classes(recipe);
    const Index rows = unit.train_rows > 0 ? std::min(unit.train_rows, entry.rows) : entry.rows;
    unit.flops = estimated_flops(recipe, rows, entry.inputs);
  }
  if (entry.task != "regression" && !classifies && !experiment.class_numbers)
    throw ConfigError("/datasets",
                      fmt::format("{} is no regression problem, and {} no classifier (\"class_numbers\": true "
                                  "makes it one, of the class's number)",
                                  entry.name, method.label));
  std::vector<Unit> units;
  for (const Index fold : folds_of(experiment, entry))
    for (const std::uint64_t seed : experiment.seeds) {
      unit.fold = fold;
      unit.seed = seed;
      unit.id = fmt::format("{}.{}.f{}.s{}", as_file_name(entry.name), as_file_name(method.label), fold, seed);
      units.push_back(unit);
    }
  return units;
}

double fit_flops(const Recipe& recipe, double n, double d) {
  const auto evaluations = static_cast<double>(planned_evaluations(recipe.training));
  if (recipe.model.rfind("exact-", 0) == 0) return evaluations * (n * n * n + 6 * n * n * d);
  const auto frequencies = static_cast<double>(recipe.features.frequencies);
  const auto components = static_cast<double>(recipe.features.components);
  double features = 2 * frequencies;  // a cosine and a sine each
  if (recipe.features.phase == "offset") features = frequencies;
  if (recipe.model == "linear") features = d;
  if (recipe.model == "tensor-sketch") features = static_cast<double>(recipe.features.sketch);
  if (recipe.model == "gcws")
    features = static_cast<double>(recipe.features.samples) * std::exp2(static_cast<double>(recipe.features.bits));
  if (recipe.model == "pwl") features *= components;
  if (recipe.model == "gm") features *= 2 * components;  // the mean frequency and its negative
  const double small = std::min(n, features);
  return evaluations * (3 * n * features * small + small * small * small + 60 * n * features);
}

/// Results of before a field was added stay those of the same recipe, which has it at its default.
void forget_defaults(Json& recipe) {
  if (recipe.value("precision", "") == "double") recipe.erase("precision");
  const Recipe defaults;
  if (recipe.value("likelihood", "") == defaults.likelihood) recipe.erase("likelihood");
  const Json later = {{"features",
                       {{"phase", defaults.features.phase},
                        {"normalized", defaults.features.normalized},
                        {"landmarks", defaults.features.landmarks},
                        {"sketch", defaults.features.sketch},
                        {"buckets", defaults.features.buckets},
                        {"samples", defaults.features.samples},
                        {"bits", defaults.features.bits},
                        {"code", defaults.features.code}}},
                      {"scale", {{"roots", defaults.scale_rows.roots}, {"unit_rows", defaults.scale_rows.unit}}},
                      {"learner",
                       {{"kind", defaults.learner.kind},
                        {"costs", defaults.learner.costs},
                        {"scales", defaults.learner.scales},
                        {"folds", defaults.learner.folds},
                        {"class_weights", defaults.learner.class_weights}}},
                      {"kernel",
                       {{"isotropic", defaults.kernel.isotropic},
                        {"alpha", defaults.kernel.alpha},
                        {"learn_shape", defaults.kernel.learn_shape},
                        {"degree", defaults.kernel.degree},
                        {"offset", defaults.kernel.offset},
                        {"balls", defaults.kernel.balls},
                        {"quantiles", defaults.kernel.quantiles},
                        {"coefficients", defaults.kernel.coefficients},
                        {"learn_coefficients", defaults.kernel.learn_coefficients}}}};
  for (const auto& [section, keys] : later.items()) {
    if (!recipe.contains(section)) continue;
    for (const auto& [key, value] : keys.items())
      if (recipe[section].contains(key) && recipe[section][key] == value) recipe[section].erase(key);
    if (recipe[section].empty()) recipe.erase(section);
  }
  if (recipe.contains("members"))
    for (Json& member : recipe["members"]) forget_defaults(member);
  if (!recipe.contains("training") || recipe["training"].value("subsample", 0) != 0) return;
  recipe["training"].erase("subsample");
  recipe["training"].erase("subsample_iterations");
}

}  // namespace

double estimated_flops(const Recipe& recipe, Index rows, Index inputs) {
  const auto n = static_cast<double>(rows), d = static_cast<double>(inputs);
  double flops = 0;
  if (recipe.model != "mixture") flops = static_cast<double>(recipe.copies) * fit_flops(recipe, n, d);
  for (const Recipe& member : recipe.members) flops += static_cast<double>(member.copies) * fit_flops(member, n, d);
  return recipe.flops > 0 ? std::min(flops, recipe.flops) : flops;
}

std::string Unit::hash() const {
  Json decides = {{"format", kResultFormat}, {"data", data_sha256}, {"mask", mask_sha256}, {"fold", fold},
                  {"folds", folds},          {"seed", seed},        {"threads", threads},  {"baseline", baseline},
                  {"recipe", recipe}};
  if (decides["recipe"].is_object()) {
    decides["recipe"].erase("description");
    forget_defaults(decides["recipe"]);
  }
  if (train_rows > 0) decides["train_rows"] = train_rows;
  return text_sha256(decides.dump());
}

Json to_json(const Unit& unit) {
  return {{"id", unit.id},
          {"experiment", unit.experiment},
          {"dataset", unit.dataset},
          {"label", unit.label},
          {"recipe_name", unit.recipe_name},
          {"baseline", unit.baseline},
          {"fold", unit.fold},
          {"folds", unit.folds},
          {"seed", unit.seed},
          {"train_rows", unit.train_rows},
          {"threads", unit.threads},
          {"data", unit.data},
          {"mask", unit.mask},
          {"data_sha256", unit.data_sha256},
          {"mask_sha256", unit.mask_sha256},
          {"recipe", unit.recipe},
          {"flops", unit.flops}};
}

Unit unit_from_json(const Json& json) {
  try {
    Unit unit;
    for (const auto& [key, at] : {std::pair{"id", &unit.id},
                                  {"experiment", &unit.experiment},
                                  {"dataset", &unit.dataset},
                                  {"label", &unit.label},
                                  {"recipe_name", &unit.recipe_name},
                                  {"baseline", &unit.baseline},
                                  {"data", &unit.data},
                                  {"mask", &unit.mask},
                                  {"data_sha256", &unit.data_sha256},
                                  {"mask_sha256", &unit.mask_sha256}})
      *at = json.at(key).get<std::string>();
    json.at("fold").get_to(unit.fold);
    json.at("folds").get_to(unit.folds);
    json.at("seed").get_to(unit.seed);
    json.at("train_rows").get_to(unit.train_rows);
    json.at("threads").get_to(unit.threads);
    json.at("flops").get_to(unit.flops);
    unit.recipe = json.at("recipe");
    return unit;
  } catch (const Json::exception& error) {
    throw ConfigError("unit", plain_words(error));
  }
}

std::vector<Unit> expand(const Experiment& experiment, const Catalogue& catalogue, const ExperimentSources& sources,
                         const UnitFilter& filter, std::vector<std::string>& remarks) {
  std::vector<Unit> units;
  std::set<std::string> ids;
  bool any = false;
  for (const std::string& name : experiment.datasets) {
    const DatasetEntry& entry = catalogue.find(name, "/datasets");
    if (!filter.dataset.empty() && filter.dataset != name) continue;
    Source source;
    any = true;
    try {
      source = locate(entry, sources);
    } catch (const IoError& error) {
      remarks.push_back(name + " is left out: " + error.what());
      continue;
    }
    if (entry.sha256.value_or(source.data_sha256) != source.data_sha256 ||
        entry.mask_sha256.value_or(source.mask_sha256) != source.mask_sha256)
      remarks.push_back(name + ": the files differ from those the catalogue knows (alacarte datasets verify)");
    for (const Method& method : experiment.methods) {
      if (!filter.label.empty() && filter.label != method.label) continue;
      for (Unit& unit : units_of(experiment, entry, method, source, sources)) {
        if (filter.fold >= 0 && filter.fold != unit.fold) continue;
        if (!ids.insert(unit.id).second) throw ConfigError("/recipes", "two labels make the same file name " + unit.id);
        units.push_back(std::move(unit));
      }
    }
  }
  if (!any || (units.empty() && remarks.empty())) throw ConfigError("--only", "nothing of this experiment fits it");
  std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.flops < b.flops; });
  return units;
}

}  // namespace alacarte
