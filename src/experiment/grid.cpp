// From an experiment to its runs, and how much work each is.
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
#include "alacarte/train/auto_recipe.hpp"
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

/// The runs of one data set and method.
std::vector<Run> runs_of(const Experiment& experiment, const DatasetEntry& entry, const Method& method,
                         const Source& source, const ExperimentSources& sources) {
  Run run;
  run.experiment = experiment.name;
  run.dataset = entry.name;
  run.label = method.label;
  run.recipe_name = method.recipe;
  run.baseline = method.baseline;
  run.threads = experiment.threads;
  run.data = source.data;
  run.mask = source.mask;
  run.data_sha256 = source.data_sha256;
  run.mask_sha256 = source.mask_sha256;
  run.folds = entry.split.kind == "folds" ? entry.split.folds : 0;
  run.train_rows = experiment.train_rows;
  run.flops = kBaselineFlops;
  bool classifies = false;
  if (method.baseline.empty()) {
    const Recipe recipe = sources.recipe(method.recipe, overrides_for(method, entry.group));
    run.recipe = to_json(recipe, model_infos());
    classifies = target_kind(recipe) == TargetKind::classes;
    const Index rows = run.train_rows > 0 ? std::min(run.train_rows, entry.rows) : entry.rows;
    run.flops = estimated_flops(recipe, rows, entry.inputs);
  }
  if (entry.task != "regression" && !classifies && !experiment.class_numbers)
    throw ConfigError("/datasets",
                      fmt::format("{} is no regression problem, and {} no classifier (\"class_numbers\": true "
                                  "makes it one, of the class's number)",
                                  entry.name, method.label));
  std::vector<Run> runs;
  for (const Index fold : folds_of(experiment, entry))
    for (const std::uint64_t seed : experiment.seeds) {
      run.fold = fold;
      run.seed = seed;
      run.id = fmt::format("{}.{}.f{}.s{}", as_file_name(entry.name), as_file_name(method.label), fold, seed);
      runs.push_back(run);
    }
  return runs;
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
                      {"noise", {{"prior_rows", defaults.noise.prior_rows}}},
                      {"training", {{"start", defaults.training.start}}},
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

double estimated_flops(const Recipe& given, Index rows, Index inputs) {
  const Recipe recipe = auto_recipe(given, {rows, inputs, 0}, 1);
  const auto n = static_cast<double>(rows), d = static_cast<double>(inputs);
  double flops = 0;
  if (recipe.model != "mixture") flops = static_cast<double>(recipe.copies) * fit_flops(recipe, n, d);
  for (const Recipe& member : recipe.members) flops += static_cast<double>(member.copies) * fit_flops(member, n, d);
  return recipe.flops > 0 ? std::min(flops, recipe.flops) : flops;
}

std::string Run::hash() const {
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

Json to_json(const Run& run) {
  return {{"id", run.id},
          {"experiment", run.experiment},
          {"dataset", run.dataset},
          {"label", run.label},
          {"recipe_name", run.recipe_name},
          {"baseline", run.baseline},
          {"fold", run.fold},
          {"folds", run.folds},
          {"seed", run.seed},
          {"train_rows", run.train_rows},
          {"threads", run.threads},
          {"data", run.data},
          {"mask", run.mask},
          {"data_sha256", run.data_sha256},
          {"mask_sha256", run.mask_sha256},
          {"recipe", run.recipe},
          {"flops", run.flops}};
}

Run run_from_json(const Json& json) {
  try {
    Run run;
    for (const auto& [key, at] : {std::pair{"id", &run.id},
                                  {"experiment", &run.experiment},
                                  {"dataset", &run.dataset},
                                  {"label", &run.label},
                                  {"recipe_name", &run.recipe_name},
                                  {"baseline", &run.baseline},
                                  {"data", &run.data},
                                  {"mask", &run.mask},
                                  {"data_sha256", &run.data_sha256},
                                  {"mask_sha256", &run.mask_sha256}})
      *at = json.at(key).get<std::string>();
    json.at("fold").get_to(run.fold);
    json.at("folds").get_to(run.folds);
    json.at("seed").get_to(run.seed);
    json.at("train_rows").get_to(run.train_rows);
    json.at("threads").get_to(run.threads);
    json.at("flops").get_to(run.flops);
    run.recipe = json.at("recipe");
    return run;
  } catch (const Json::exception& error) {
    throw ConfigError("unit", short_message(error));
  }
}

std::vector<Run> expand(const Experiment& experiment, const Catalogue& catalogue, const ExperimentSources& sources,
                        const RunFilter& filter, std::vector<std::string>& remarks) {
  std::vector<Run> runs;
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
      for (Run& run : runs_of(experiment, entry, method, source, sources)) {
        if (filter.fold >= 0 && filter.fold != run.fold) continue;
        if (!ids.insert(run.id).second) throw ConfigError("/recipes", "two labels make the same file name " + run.id);
        runs.push_back(std::move(run));
      }
    }
  }
  if (!any || (runs.empty() && remarks.empty())) throw ConfigError("--only", "nothing of this experiment fits it");
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.flops < b.flops; });
  return runs;
}

}  // namespace alacarte
