// alacarte cv and compare: one recipe or several on the same folds of one table, run as an experiment.
#include <fmt/format.h>
#include <stdlib.h>
#include <filesystem>
#include <iostream>

#include "alacarte/core/threads.hpp"
#include "alacarte/data/dataset.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "command.hpp"
#include "core/pipes.hpp"
#include "core/text_file.hpp"
#include "data/column_splits.hpp"
#include "data/splits.hpp"
#include "experiment/baselines.hpp"
#include "experiment/fold_predictions.hpp"
#include "experiment/runner.hpp"
#include "report/comparison.hpp"

namespace alacarte::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr Index kUsualFolds = 10;

struct CrossValidationArguments {
  std::vector<std::string> recipes;
  RecipeSource shared;  // options for all recipes; its path is that of cv
  std::string data, mask, out, predictions;
  std::optional<Index> folds;
  int jobs = 0, threads = 1;
  bool json = false, retry = false;
};

/// Folder of the results: a named one, or a temporary one.
class ResultFolder {
 public:
  explicit ResultFolder(const std::string& named) : path_(named), is_kept_(!named.empty()) {
    if (is_kept_) return;
    path_ = (fs::temp_directory_path() / "alacarte-cv-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw IoError(path_, "cannot be made");
  }
  ~ResultFolder() {
    std::error_code error;
    if (!is_kept_) fs::remove_all(path_, error);
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_kept_;
};

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_baseline(const std::string& name) {
  const auto& names = baseline_names();
  return std::find(names.begin(), names.end(), name) != names.end();  // a file of that name is ./mean
}

/// Returns the keys of a data section that options give.
Json data_section(const RecipeSource& source) {
  Json section = Json::object();
  const auto put = [&](const char* key, const auto& given) {
    if (!given.empty()) section[key] = given;
  };
  put("target", source.target);
  put("categorical", source.data.categorical);
  put("ignore", source.data.ignore);
  put("missing_words", source.data.missing_words);
  put("dates", source.data.dates);
  if (source.data.strict) section["strict"] = true;
  put("missing", source.data.missing);
  put("unseen", source.data.unseen);
  put("decimal", source.data.decimal);
  put("weights", source.data.weights);
  put("noise_sd", source.data.noise_sd);
  put("exposure", source.data.exposure);
  put("group", source.data.group);
  put("time", source.data.time);
  return section;
}

/// Returns --set as in an experiment file; read_recipe_source() has validated the texts.
Json overrides_of(const std::vector<std::string>& overrides) {
  Json changes = Json::object();
  for (const std::string& text : overrides) {
    const auto split = text.find('=');
    const Json value = Json::parse(text.substr(split + 1), nullptr, false);
    changes[text.substr(0, split)] = value.is_discarded() ? Json(text.substr(split + 1)) : value;
  }
  return changes;
}

/// Returns the name of a recipe's file without folder, unless another one has the same name.
std::string label_of_recipe(const std::string& name, const std::vector<std::string>& all) {
  const auto stem = [](const std::string& path) { return is_file(path) ? fs::path(path).stem().string() : path; };
  const auto alike =
      std::count_if(all.begin(), all.end(), [&](const auto& other) { return stem(other) == stem(name); });
  return alike > 1 ? name : stem(name);
}

Json method_of(const std::string& name, const CrossValidationArguments& a) {
  if (is_baseline(name)) return {{"label", name}, {"baseline", name}};
  Json method = {{"label", label_of_recipe(name, a.recipes)},
                 {"recipe", is_file(name) ? fs::absolute(name).string() : name}};
  if (!a.shared.overrides.empty()) method["overrides"] = {{"all", overrides_of(a.shared.overrides)}};
  return method;
}

/// Returns the experiment that the options describe.
ExperimentFile experiment_of(const CrossValidationArguments& a, const std::string& data_path, std::uint64_t seed) {
  Json table = {{"file", fs::absolute(data_path).string()}};
  if (a.mask.empty())
    table["folds"] = a.folds.value_or(kUsualFolds);
  else
    table["mask"] = fs::absolute(find_file(a.mask)).string();
  if (has_data_options(a.shared)) table["data"] = data_section(a.shared);
  Json methods = Json::array();
  for (const std::string& name : a.recipes) methods.push_back(method_of(name, a));
  // A folder keeps the results of one partition.
  const std::string parts = a.mask.empty() ? fmt::format("{} folds, seed {}", a.folds.value_or(kUsualFolds), seed)
                                           : fs::path(a.mask).filename().string();
  const Json document = {{"name", fmt::format("{}, {}", fs::path(data_path).filename().string(), parts)},
                         {"datasets", {table}},
                         {"recipes", methods},
                         {"seeds", {seed}},
                         {"threads", a.threads}};
  return {"", document.dump(1) + '\n', parse_experiment(document)};
}

/// Throws unless the target is one column; a column name may contain commas.
void check_one_target(const std::string& data_path, const std::string& target) {
  const auto reader = open_table(data_path, DataConfig{});
  const auto& names = reader->columns();
  if (std::find(names.begin(), names.end(), target) == names.end())
    throw ConfigError("--target",
                      "'" + target + "' is no column of " + data_path + "; one target is cross-validated at a time");
}

/// Throws ConfigError if groups or times are too few for the folds.
void check_column_folds(const CrossValidationArguments& a, const SplitColumns& columns) {
  Split split;
  split.fold = 0;
  split.folds = a.folds.value_or(kUsualFolds);
  if (a.mask.empty() && !columns.empty()) held_out_rows(split, columns.rows(), {}, columns);
}

/// Reports faults of a recipe or of cells once, before every fold fails with them.
void check_recipes_and_rows(const CrossValidationArguments& a, const std::string& data_path) {
  if (a.shared.target.find(',') != std::string::npos) check_one_target(data_path, a.shared.target);
  std::vector<DataConfig> checked;
  for (const std::string& name : a.recipes) {
    RecipeSource source = a.shared;
    source.path = name;
    DataConfig config;
    if (is_baseline(name))
      apply_data_options(source, config);
    else
      config = read_recipe_source(source).data;
    if (std::find(checked.begin(), checked.end(), config) != checked.end()) continue;
    const auto reader = open_table(data_path, config);
    Schema::prepare(*reader, config);
    const TableChunk table = read_all(*reader, [](Index) { stop_if_interrupted(); });
    if (a.folds && *a.folds > table.rows())
      throw ConfigError("--folds", fmt::format("{} folds of {} rows", *a.folds, table.rows()));
    if (checked.empty() && !a.mask.empty()) read_mask(find_file(a.mask), 0, table.rows());
    check_column_folds(a, read_split_columns(data_path, config));
    Schema::learn(*reader, table, config, {});
    checked.push_back(config);
  }
}

ResultSet results_of(const std::vector<Run>& runs, const Experiment& experiment, const std::string& folder) {
  ResultSet results;
  results.datasets = experiment.datasets;
  for (const Method& method : experiment.methods) results.labels.push_back(method.label);
  for (const Run& run : runs) {
    const std::string path = result_path(folder, run);
    results.runs.push_back(parse_result(parse_json(read_text_file(path), path)));
  }
  return results;
}

/// Logs one line per reason, for any number of folds.
void log_failures(const ResultSet& results) {
  std::map<std::string, int> reasons;
  for (const RunResult& run : results.runs)
    if (!run.done) ++reasons[fmt::format("{}: {}", run.label, one_line(run.reason))];
  const bool all =
      std::none_of(results.runs.begin(), results.runs.end(), [](const RunResult& run) { return run.done; });
  for (const auto& [reason, count] : reasons)
    (all ? log_error : log_warning)(fmt::format("{} of {} folds failed: {}", count, results.runs.size(), reason));
}

void write_predictions(const std::vector<Run>& runs, const std::string& folder, const std::string& out) {
  std::vector<std::string> paths;
  for (const Run& run : runs)
    if (result_status(folder, run) == "done") paths.push_back(run.predictions);
  join_fold_predictions(paths, out);
  log_info(fmt::format("wrote {}", one_line(out)));
}

int cross_validate(const CrossValidationArguments& a, const CommonOptions& common) {
  if (a.folds && !a.mask.empty()) throw UsageError("--mask excludes --folds: its columns are the folds");
  const std::string data_path = find_one_table(a.data);
  if (is_stream(data_path)) throw UsageError("--data needs a file: every fold reads it");
  if (is_rows_file(data_path)) throw DataError(data_path, "is a rows file; every fold reads a table");
  std::vector<std::string> read = a.recipes;
  read.insert(read.end(), {data_path, a.mask.empty() ? "" : find_file(a.mask)});
  require_writable({a.predictions}, read);
  const ExperimentFile file = experiment_of(a, data_path, common.seed());
  check_recipes_and_rows(a, data_path);
  const ResultFolder folder(a.out);
  ExpandRemarks remarks;
  std::vector<Run> runs = expand(file, {}, remarks);
  keep_experiment(file, folder.path());
  if (!a.predictions.empty()) {
    // The hash in the name distinguishes fits with other settings or rows.
    const fs::path predictions = fs::path(folder.path()) / "predictions";
    fs::create_directories(predictions);
    for (Run& run : runs) run.predictions = (predictions / fmt::format("{}.{:.12}.csv", run.id, run.hash())).string();
  }
  RunnerOptions options = runner_options(folder.path(), a.jobs, a.threads);
  options.retry = a.retry;
  const RunnerSummary summary = execute_runs(runs, options);
  clear_live_line();
  if (summary.interrupted) {
    log_warning(a.out.empty() ? "interrupted; nothing was kept (--out keeps the folds that are done)"
                              : fmt::format("interrupted; {} folds are done in {}", summary.done, one_line(a.out)));
    return kInterrupted;
  }
  const ResultSet results = results_of(runs, file.experiment, folder.path());
  log_failures(results);
  if (summary.done == 0) return kNumericalError;
  const auto methods = static_cast<Index>(a.recipes.size());
  const Comparison comparison = compare_methods(results, static_cast<Index>(runs.size()) / methods);
  std::cout << (a.json         ? to_json(comparison).dump(2) + '\n'
                : methods == 1 ? scores_text(comparison)
                               : comparison_text(comparison));
  if (!a.predictions.empty()) write_predictions(runs, folder.path(), a.predictions);
  return summary.failed > 0 ? kNumericalError : kSuccess;
}

std::vector<Option> shared_options(CrossValidationArguments& a, CommonOptions& common) {
  return {{"--folds", &a.folds, "Seeded random partition into this many folds (default: 10)", "N", 0, {{2, 1000000}}},
          {"--mask", &a.mask, "CSV of 0/1 instead, one row for each data row and one column for each fold", "FILE"},
          {"--out", &a.out,
           "Keep the results here: running again goes on where it stopped, and alacarte report reads it", "DIR"},
          {"--jobs", &a.jobs, "Fits at a time (default: as many as the processors hold)", "", 0, {{1, 4096}}},
          {"--threads", &a.threads, "Processor threads of one fit", "", kShowDefault, {{1, 1024}}},
          {"--retry", &a.retry, "Fit again what failed before"},
          {"--json", &a.json, "The scores of every fold, as JSON"},
          target_option(a.shared),
          override_option(a.shared),
          seed_option(common, "Seed of the folds and the fits")};
}

constexpr const char* kData = "Table with the target column: CSV or CSV.gz, LIBSVM, NPY or IDX";

}  // namespace

Command cv_command(CommonOptions& common) {
  const auto a = std::make_shared<CrossValidationArguments>();
  std::vector<Option> options = {
      {"RECIPE", &a->shared.path, "Recipe: a JSON file, the name of one that ships, or a baseline (mean, knn)", "",
       kRequired},
      {"--data", &a->data, kData, "FILE", kRequired},
      {"--predictions", &a->predictions,
       "Write the prediction of every row by the fit that did not see it: row, fold, target, mean, error bars",
       "FILE.csv", kNoStream}};
  for (Option& option : shared_options(*a, common)) options.push_back(std::move(option));
  return {
      .name = "cv",
      .summary = "Cross-validate a recipe: scores with standard errors",
      .footer =
          R"(The rows are parted into folds; each fold is predicted by a fit to all others. Standard output gets the mean of
each score over the folds, its standard error, and the least and the largest fold. Folds run side by side, each in a
process of its own. Folds of classes are stratified. The standard error takes folds for independent; since they share
training rows it is a little too small.

Example:
  alacarte cv gm --data houses.csv --target price --folds 10 --predictions out-of-fold.csv)",
      .options = with_data_options(std::move(options), a->shared),
      .run = [a, &common] {
        a->recipes = {a->shared.path};
        return cross_validate(*a, common);
      }};
}

Command compare_command(CommonOptions& common) {
  const auto a = std::make_shared<CrossValidationArguments>();
  std::vector<Option> options = {
      {"RECIPE", &a->recipes, "Recipes: JSON files, names of those that ship, or baselines (mean, knn)", "", kRequired},
      {"--data", &a->data, kData, "FILE", kRequired}};
  for (Option& option : shared_options(*a, common)) options.push_back(std::move(option));
  return {
      .name = "compare",
      .summary = "Compare recipes on the same folds of a table",
      .footer =
          R"(Every recipe is fitted to the same folds, as by alacarte cv. The table has the mean of each score and its standard
error; * marks the best, and p is the chance that a difference from it as large as this is none: a paired t test over
the folds, whose variance is corrected for the training rows that folds share (Nadeau and Bengio, 2003). Of many
recipes some differ by chance; p is not corrected for their number. --set and its like hold for all recipes.

Example:
  alacarte compare gm ard linear mean --data houses.csv --target price --folds 10 --out houses-cv)",
      .options = with_data_options(std::move(options), a->shared),
      .run = [a, &common] { return cross_validate(*a, common); }};
}

}  // namespace alacarte::cli
