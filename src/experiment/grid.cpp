// Expands an experiment into its runs and estimates their work.
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "data/fingerprint.hpp"
#include "experiment.hpp"
#include "experiment/results.hpp"
#include "optimise/hyperparameter_samples.hpp"
#include "optimise/trainer.hpp"
#include "train/plan/open_relevance.hpp"
#include "train/version.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr int kResultFormat = 1;
constexpr const char* kFirstTrainer = "1";  // its results do not name a trainer
constexpr double kBaselineFlops = 1e3;      // sorts before everything that trains

std::string as_file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '+' && c != '-') c = '-';
  return text;
}

/// Locates the files of a data set on this machine and computes their sums.
Run locate(const DatasetEntry& entry, const ExperimentSources& sources) {
  Run run;
  run.data = sources.data(entry);
  run.data_sha256 = table_sha256(run.data);
  if (entry.split.kind == "folds") return run;
  run.mask = sources.mask(entry);
  run.mask_sha256 = file_sha256(run.mask);
  return run;
}

Run locate(const OwnTable& table, const ExperimentSources& sources) {
  Run run;
  run.data = sources.file(table.file);
  run.data_sha256 = table_sha256(run.data);
  run.data_section = table.data_section;
  if (table.mask.empty()) return run;
  run.mask = sources.file(table.mask);
  run.mask_sha256 = file_sha256(run.mask);
  return run;
}

const OwnTable* find_table(const Experiment& experiment, const std::string& name) {
  for (const OwnTable& table : experiment.tables)
    if (table.name == name) return &table;
  return nullptr;
}

/// Finds a data set and its files. Throws IoError if they are missing.
std::pair<DatasetEntry, Run> find_dataset(const Experiment& experiment, const Catalogue& catalogue,
                                          const ExperimentSources& sources, const std::string& name) {
  const OwnTable* table = find_table(experiment, name);
  if (table == nullptr) {
    const DatasetEntry& entry = catalogue.find(name, "/datasets");
    return {entry, locate(entry, sources)};
  }
  const Run run = locate(*table, sources);
  return {catalogue_entry(*table, run.data, run.mask), run};
}

/// Returns the values for a data set, the most general first.
template <class Value>
std::vector<Value> holding(const ByDatasets<Value>& values, const DatasetEntry& entry) {
  std::vector<Value> result;
  std::set<std::string> seen;  // a table may have the name of its group
  for (const std::string& key : {std::string("all"), entry.group, entry.name})
    if (const auto found = values.find(key); found != values.end() && seen.insert(key).second)
      result.push_back(found->second);
  return result;
}

Overrides overrides_for(const Experiment& experiment, const Method& method, const DatasetEntry& entry,
                        const Json& data_section) {
  Overrides result;
  for (const auto* overrides : {&experiment.overrides, &method.overrides})
    for (const Overrides& some : holding(*overrides, entry)) result.insert(result.end(), some.begin(), some.end());
  for (const std::string& one : data_overrides(data_section)) result.push_back(one);
  return result;
}

std::vector<Index> folds_of(const Experiment& experiment, const DatasetEntry& entry) {
  const std::vector<std::vector<Index>> given = holding(experiment.folds, entry);
  std::vector<Index> folds = given.empty() ? std::vector<Index>{} : given.back();
  if (folds.empty())
    for (Index k = 0; k < entry.split.folds; ++k) folds.push_back(k);
  for (const Index fold : folds)
    if (fold >= entry.split.folds)
      throw ConfigError("/folds", fmt::format("{} has {} folds, counted from 0; there is no fold {}", entry.name,
                                              entry.split.folds, fold));
  return folds;
}

/// Returns the runs of one data set and method.
std::vector<Run> runs_of(const Experiment& experiment, const DatasetEntry& entry, const Method& method,
                         const Run& located, const ExperimentSources& sources) {
  Run run = located;
  run.experiment = experiment.name;
  run.dataset = entry.name;
  run.label = method.label;
  run.recipe_name = method.recipe;
  run.baseline = method.baseline;
  run.threads = experiment.threads;
  run.folds = entry.split.kind == "folds" ? entry.split.folds : 0;
  run.train_rows = experiment.train_rows;
  run.other_trainers = experiment.trainers;
  run.flops = kBaselineFlops;
  bool classifies = false;
  if (method.baseline.empty()) {
    Recipe recipe = sources.recipe(method.recipe, overrides_for(experiment, method, entry, run.data_section));
    // Tables of the catalogue are tidy, and published results are those of all their columns.
    recipe.data.strict = recipe.data.strict || run.data_section.is_null();
    resolve_strictness(recipe.data);
    run.data_section = nullptr;  // now part of the recipe
    run.recipe = to_json(recipe, model_infos());
    classifies = target_kind(recipe) == TargetKind::classes;
    const Index rows = run.train_rows > 0 ? std::min(run.train_rows, entry.rows) : entry.rows;
    run.flops = estimated_flops(recipe, rows, entry.inputs);
  }
  if (entry.task == "classification" && !classifies && !experiment.class_numbers)
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
  const auto inputs = static_cast<Index>(d);
  const Index sampling =
      sampling_evaluations(inputs + 2, recipe.training.samples, chain_start(recipe, static_cast<Index>(n), inputs));
  const auto evaluations = static_cast<double>(planned_evaluations(recipe.training) + sampling);
  if (recipe.model.rfind("exact-", 0) == 0) return evaluations * (n * n * n + 6 * n * n * d);
  const auto frequencies = static_cast<double>(recipe.features.frequencies);
  const auto components = static_cast<double>(recipe.features.components);
  double features = 2 * frequencies;  // a cosine and a sine each
  if (recipe.features.phase == PhaseFeatures::offset) features = frequencies;
  if (recipe.model == "linear") features = d;
  if (recipe.model == "tensor-sketch") features = static_cast<double>(recipe.features.sketch);
  if (recipe.model == "gcws")
    features = static_cast<double>(recipe.features.samples) * std::exp2(static_cast<double>(recipe.features.bits));
  if (recipe.model == "pwl") features *= components;
  if (recipe.model == "gm") features *= 2 * components;  // the mean frequency and its negative
  const double small = std::min(n, features);
  return evaluations * (3 * n * features * small + small * small * small + 60 * n * features);
}

}  // namespace

double estimated_flops(const Recipe& given, Index rows, Index inputs) {
  const Recipe recipe = with_open_relevance(auto_recipe(given, {rows, inputs, 0}, 1), {rows, inputs, 0});
  const auto n = static_cast<double>(rows), d = static_cast<double>(inputs);
  double flops = 0;
  if (recipe.model != "mixture") flops = static_cast<double>(recipe.copies) * fit_flops(recipe, n, d);
  for (const Recipe& member : recipe.members) flops += static_cast<double>(member.copies) * fit_flops(member, n, d);
  return recipe.flops > 0 ? std::min(flops, recipe.flops) : flops;
}

std::string Run::trainer() const {
  return recipe.is_object() ? trainer_version(recipe.value("model", "")) : kFirstTrainer;
}

bool Run::accepts(const std::string& result_hash) const {
  return result_hash == hash() || std::any_of(other_trainers.begin(), other_trainers.end(),
                                              [&](const std::string& other) { return result_hash == hash(other); });
}

std::string Run::hash(const std::string& by_trainer) const {
  Json decides = {{"format", kResultFormat}, {"data", data_sha256}, {"mask", mask_sha256}, {"fold", fold},
                  {"folds", folds},          {"seed", seed},        {"threads", threads},  {"baseline", baseline},
                  {"recipe", recipe}};
  if (decides["recipe"].is_object()) {
    decides["recipe"].erase("description");
    forget_defaults(decides["recipe"]);
  }
  if (train_rows > 0) decides["train_rows"] = train_rows;
  if (!data_section.is_null()) decides["data_section"] = data_section;
  if (by_trainer != kFirstTrainer) decides["trainer"] = by_trainer;
  return text_sha256(decides.dump());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Run, id, experiment, dataset, label, recipe_name, baseline, data, mask, data_sha256,
                                   mask_sha256, fold, folds, seed, train_rows, threads, flops, recipe, data_section,
                                   predictions)

Json to_json(const Run& run) { return Json(run); }

Run run_from_json(const Json& json) {
  try {
    Json whole = {{"data_section", nullptr}, {"predictions", ""}};  // absent in older unit files
    whole.update(json);
    return whole.get<Run>();
  } catch (const Json::exception& error) {
    throw ConfigError("unit", short_message(error));
  }
}

std::vector<Run> expand(const Experiment& experiment, const Catalogue& catalogue, const ExperimentSources& sources,
                        const RunFilter& filter, ExpandRemarks& remarks) {
  std::vector<Run> runs;
  std::set<std::string> ids;
  bool any = false;
  for (const std::string& name : experiment.datasets) {
    const bool own = find_table(experiment, name) != nullptr;
    if (!own) catalogue.find(name, "/datasets");
    if (!filter.dataset.empty() && filter.dataset != name) continue;
    std::pair<DatasetEntry, Run> found;
    any = true;
    try {
      found = find_dataset(experiment, catalogue, sources, name);
    } catch (const IoError& error) {
      if (own) throw;
      remarks.lines.push_back(name + " is left out: " + error.what());
      remarks.absent.push_back(name);
      continue;
    }
    const auto& [entry, source] = found;
    if (entry.sha256.value_or(source.data_sha256) != source.data_sha256 ||
        entry.mask_sha256.value_or(source.mask_sha256) != source.mask_sha256)
      remarks.lines.push_back(name + ": the files differ from those the catalogue knows (alacarte datasets verify)");
    for (const Method& method : experiment.methods) {
      if (!filter.label.empty() && filter.label != method.label) continue;
      for (Run& run : runs_of(experiment, entry, method, source, sources)) {
        if (filter.fold >= 0 && filter.fold != run.fold) continue;
        if (!ids.insert(run.id).second) throw ConfigError("/recipes", "two labels make the same file name " + run.id);
        runs.push_back(std::move(run));
      }
    }
  }
  if (!any || (runs.empty() && remarks.absent.empty()))
    throw ConfigError("--only", "nothing of this experiment fits it");
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.flops < b.flops; });
  return runs;
}

}  // namespace alacarte
