// alacarte train: from a recipe and a table to a model file.
#include <fmt/format.h>

#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/train/fit.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
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
  std::string data, model, checkpoint;
  bool resume = false, mean_only = false;
};

void report_rows(const TrainingRows& data) {
  const Index trained = data.rows.rows();
  const Index left_out = data.file_rows - trained;
  if (left_out == 0) return;
  log_event("rows", {{"file", data.file_rows}, {"training", trained}},
            fmt::format("rows: {} of {} train, {} held out or dropped", trained, data.file_rows, left_out));
}

int finish(FittedModel& model, const TrainOptions& options) {
  const TensorBundle bundle = model.save(options.mean_only);
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
  require_writable(options.model);
  if (!options.checkpoint.empty()) require_writable(options.checkpoint);

  const TrainingRows data = read_training_rows(data_path, recipe.data, options.split);
  stop_if_interrupted();
  report_rows(data);
  const auto standardizer =
      Standardizer::learn(data.rows.inputs, data.rows.target, recipe.scale_inputs, recipe.scale_target);
  ProgressReporter reporter(standardizer.target_scale());
  FitOptions fit_options;
  fit_options.seed = common.seed;
  fit_options.threads = common.threads;
  fit_options.observer = &reporter;
  fit_options.interrupt = &interrupt_flag();
  fit_options.checkpoint_path = options.checkpoint;
  fit_options.resume = options.resume;
  report_plan(plan_training(recipe, data.rows, fit_options), data.schema.target_name(), common.threads);

  FittedModel model = fit(recipe, data.schema, data.rows, fit_options);
  clear_live_line();
  model.training["data"] = options.data;
  if (options.split.given()) model.training["held_out"] = to_json(options.split, data.file_rows);
  return finish(model, options);
}

std::function<int()> configure(CLI::App& app, CommonOptions& common) {
  auto options = std::make_shared<TrainOptions>();
  add_recipe_argument(app, options->recipe)->required();
  app.add_option("--data", options->data,
                 "Training table: CSV or CSV.gz (header optional), LIBSVM or NPY; - is standard input; a folder under "
                 "ALACARTE_DATA_DIR stands for its data.csv.gz")
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

const Command kTrainCommand{"train", "Learn a model from a recipe and a table", configure};

}  // namespace alacarte::cli
