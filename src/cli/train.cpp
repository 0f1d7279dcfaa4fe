// alacarte train: from a recipe and a table to a model file.
#include <fmt/format.h>

#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/data/sparse_dataset.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/train/fit.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "memory_limit.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "recipe_source.hpp"
#include "signals.hpp"
#include "training_rows.hpp"

namespace alacarte::cli {
namespace {

struct TrainOptions {
  RecipeSource recipe;
  SplitOptions split;
  std::string data, model, checkpoint, memory_limit, cache_dir;
  bool resume = false, mean_only = false;
};

void report_rows(Index trained, Index file_rows, const Schema& schema) {
  const Index left_out = file_rows - trained;
  const std::string rest = left_out > 0 ? fmt::format(" of {}, {} held out or dropped", file_rows, left_out) : "";
  log_event("rows", {{"file", file_rows}, {"training", trained}, {"target", schema.target_name()}},
            fmt::format("rows: {}{}; target '{}'", trained, rest, one_line(schema.target_name())));
}

/// Beside the model, where there must be room for it anyway, unless told otherwise.
std::string folder_of_cache(const TrainOptions& options) {
  if (!options.cache_dir.empty()) return options.cache_dir;
  const std::string folder = std::filesystem::path(options.model).parent_path().string();
  return folder.empty() ? "." : folder;
}

struct Trained {
  FittedModel model;
  Index file_rows = 0;
};

/// In memory where that is possible; otherwise the rows are read from disk for every pass.
Trained train_rows(const Recipe& recipe, const TrainOptions& options, const std::string& data_path,
                   const FitOptions& fit_options) {
  // Without a limit the machine's memory is one: better slower than ended by the system.
  const double most = fit_options.memory_bytes;
  if (is_libsvm_file(data_path) && takes_sparse_rows(recipe)) {
    SparseTraining data = load_sparse_rows(data_path, recipe.data, options.split, most);
    stop_if_interrupted();
    report_rows(data.rows.rows(), data.file_rows, data.schema);
    FittedModel model = fit(recipe, data.schema, std::move(data.rows), fit_options);
    return {std::move(model), data.file_rows};
  }
  if (Recipe sparse = recipe; is_libsvm_file(data_path) && recipe.learner.kind != "gp") {
    sparse.scale_inputs = Scaling::none;
    if (takes_sparse_rows(sparse))
      log_info(
          "the rows become dense, since their inputs are scaled; with --set '/scale/inputs=\"none\"' they stay sparse");
  }
  if (auto data = load_training_rows(data_path, recipe.data, options.split, most)) {
    stop_if_interrupted();
    report_rows(data->rows.rows(), data->file_rows, data->schema);
    try {
      FittedModel model = fit(recipe, data->schema, std::move(data->rows), fit_options);
      return {std::move(model), data->file_rows};
    } catch (const MemoryLimitError&) {
      if (data_path == "-") throw;
    }
  }
  const StoredTrainingRows data = store_training_rows(data_path, recipe.data, options.split, folder_of_cache(options));
  report_rows(data.rows->rows(), data.file_rows, data.schema);
  FittedModel model = fit(recipe, data.schema, *data.rows, fit_options);
  return {std::move(model), data.file_rows};
}

int finish(FittedModel& model, const TrainOptions& options) {
  const ModelFile bundle = model.save(options.mean_only);
  write_bundle(options.model, bundle);
  report_fits(model);
  std::error_code error;
  auto bytes = std::filesystem::file_size(options.model, error);
  if (error) bytes = 0;
  const std::string size = bytes ? " (" + format_bytes(static_cast<double>(bytes)) + ")" : "";
  if (interrupt_flag()) {
    log_warning(fmt::format("interrupted; the best model so far is saved in {}{}", options.model, size));
    return kInterrupted;
  }
  // The state of a training that came to its end would only mislead the next one.
  if (!options.checkpoint.empty()) std::filesystem::remove(options.checkpoint, error);
  log_event("saved", {{"model", options.model}, {"bytes", bytes}},
            fmt::format("saved {}{}", one_line(options.model), size));
  return kSuccess;
}

int train_model(TrainOptions options, const CommonOptions& common) {
  if (options.resume && options.checkpoint.empty()) throw UsageError("--resume needs --checkpoint");
  const Recipe recipe = read_recipe_source(options.recipe);
  const std::string data_path = find_data(options.data);
  options.split.seed = common.seed;
  resolve(options.split, data_path);
  std::vector<std::string> others = {data_path, options.recipe.path, options.split.mask};
  require_writable(options.model, others);
  others.push_back(options.model);
  if (!options.checkpoint.empty()) require_writable(options.checkpoint, others);

  ProgressReporter reporter(common.threads);
  FitOptions fit_options;
  fit_options.seed = common.seed;
  fit_options.threads = common.threads;
  fit_options.observer = &reporter;
  fit_options.interrupt = &interrupt_flag();
  fit_options.checkpoint_path = options.checkpoint;
  fit_options.resume = options.resume;
  fit_options.memory_bytes = options.memory_limit.empty() ? available_memory() : parse_size(options.memory_limit);

  Trained trained;
  try {
    trained = train_rows(recipe, options, data_path, fit_options);
  } catch (const NumericalError&) {
    stop_if_interrupted();  // too early for any model
    throw;
  }
  clear_live_line();
  FittedModel& model = trained.model;
  model.training["data"] = options.data;
  if (options.split.given()) model.training["held_out"] = to_json(options.split, trained.file_rows);
  return finish(model, options);
}

std::function<int()> configure_train(CLI::App& app, CommonOptions& common) {
  auto options = std::make_shared<TrainOptions>();
  add_recipe_argument(app, options->recipe)->required();
  app.add_option(
         "--data", options->data,
         "Training table: CSV or CSV.gz (header optional), LIBSVM, NPY or a rows file of alacarte convert; - is "
         "standard input; a folder under ALACARTE_DATA_DIR stands for its data.csv.gz")
      ->required()
      ->type_name("FILE");
  app.add_option("--target", options->recipe.target,
                 "Target column: name, or index from 0 (-1 = last); default: the recipe's, else the last column")
      ->type_name("COL");
  app.add_option("--model", options->model, "Model file to write")->required()->type_name("OUT");
  app.add_flag("--mean-only", options->mean_only, "Small model file that predicts means without error bars");
  app.add_option("--checkpoint", options->checkpoint,
                 "Keep the state of the training in this file, at most a second old, until the model is saved")
      ->type_name("FILE");
  app.add_flag("--resume", options->resume, "Go on from --checkpoint if it is there");
  app.add_option(
         "--memory-limit", options->memory_limit,
         "Memory the training may take, such as 1GiB or 500MB (default: what the machine has left); rows that do "
         "not fit are read from a temporary rows file for every pass")
      ->type_name("SIZE");
  app.add_option("--cache-dir", options->cache_dir, "Folder of that temporary file (default: the model's)")
      ->type_name("DIR");
  add_override_option(app, options->recipe);
  add_split_options(app, options->split, "trains without the rows of");
  add_seed_option(app, common, "Seed of the draws, starts and random splits");
  add_threads_option(app, common);
  add_log_options(app, common);
  app.footer(
      "The plan and the progress go to standard error; the evidence shown includes the priors, noise is in units of "
      "the\n"
      "target. Ctrl-C keeps the best model so far, saves it and exits with 130; a second Ctrl-C stops at once.\n\n"
      "Example:\n"
      "  alacarte train gm --data houses.csv --target price --model price.model --set /training/iterations=50");
  return [options, &common] { return train_model(*options, common); };
}

}  // namespace

const Command kTrainCommand{"train", "Learn a model from a recipe and a table", configure_train};

}  // namespace alacarte::cli
