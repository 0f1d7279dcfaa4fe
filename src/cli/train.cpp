// alacarte train and update: train a recipe on a table, or add rows to a trained model, and write a model file.
#include <fmt/format.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "alacarte/app/train_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/io/target_models.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/train/fit.hpp"
#include "app/coefficients.hpp"
#include "app/quantities.hpp"
#include "app/training_text.hpp"
#include "command.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "data/row_parts.hpp"
#include "data/splits.hpp"
#include "io/documents.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte::cli {
namespace {

constexpr std::size_t kShownCoefficients = 12;

struct TrainArguments {
  RecipeSource recipe;
  std::string data, model, repeat, from, memory_limit, cache_dir;
  TrainFileOptions options;
  double seconds = 0;
  bool mean_only = false, verbose = false;
};

void log_fits(const FittedModel& model, const std::string& target) {
  for (std::size_t k = 0; k < model.members.size(); ++k)
    if (!is_further_sample(model.members[k])) log_event("fitted", fit_json(model, k), target + fit_text(model, k));
}

int save_trained(const std::vector<FittedModel>& models, const TrainArguments& a) {
  const bool interrupted = FitContext::any(interrupt_flag());
  if (!FitContext::is_first()) return interrupted ? kInterrupted : kSuccess;
  PipeWait::before_waiting(nullptr);  // a trained model is written even after an interrupt, also into a pipe
  write_bundle(a.model, save_models(models, a.mean_only));
  const auto target_of = [&](const FittedModel& model) {
    return models.size() > 1 ? one_line(model.schema.target_name()) + ": " : std::string();
  };
  for (const FittedModel& model : models) log_fits(model, target_of(model));
  std::error_code error;
  auto bytes = std::filesystem::file_size(a.model, error);
  if (error) bytes = 0;
  const std::string size = bytes ? " (" + format_bytes(static_cast<double>(bytes)) + ")" : "";
  if (interrupted) {
    log_warning(fmt::format("interrupted; the best model so far is saved in {}{}", a.model, size));
    return kInterrupted;
  }
  // The checkpoint of a completed training must not be resumed.
  if (!a.options.checkpoint.empty()) std::filesystem::remove(a.options.checkpoint, error);
  log_event("saved", {{"model", a.model}, {"bytes", bytes}}, fmt::format("saved {}{}", one_line(a.model), size));
  if (const auto& own = models.front().calibration; own.rows > 0)
    log_event("calibrated", to_json(models.front().training.calibrated.value()),
              own.is_conformal()
                  ? fmt::format("intervals calibrated by {} rows kept from the training", own.rows)
                  : fmt::format("probabilities calibrated by {} rows kept from the training: temperature {:.3g}",
                                own.rows, own.temperature));
  for (const FittedModel& model : models)
    if (const auto coefficients = linear_coefficients(model))
      log_event("coefficients", to_json(*coefficients),
                target_of(model) + coefficients_text(*coefficients, model, kShownCoefficients));
  for (const FittedModel& model : models)
    if (const std::string scores = left_out_text(model); !scores.empty())
      log_event("leave_one_out", to_json(model.training.leave_one_out.value()), target_of(model) + scores);
  return kSuccess;
}

int train_recipe(TrainArguments& a, const Recipe& recipe, const CommonOptions& common) {
  TrainFileOptions& options = a.options;
  if (options.resume && options.checkpoint.empty()) throw UsageError("--resume needs --checkpoint");
  if (a.model.empty()) throw UsageError("--model needs the name of a file");
  const std::string data_path = find_data(a.data);
  options.split.seed = options.seed;
  resolve_split(options.split, data_path);
  if (FitContext::is_first()) {
    require_writable({a.model, options.checkpoint}, {data_path, a.recipe.path, a.repeat, a.from, options.split.mask});
    if (!options.resume) require_no_checkpoint(options.checkpoint);
  }
  const auto memory = a.memory_limit.empty() ? std::optional<double>(0) : parse_size(a.memory_limit);
  if (!memory)
    throw UsageError(fmt::format("'{}' is no size; sizes are like 1GiB, 500MB or 2000000000", a.memory_limit));
  options.memory_bytes = *memory;
  // The temporary file is beside the model by default, where space is needed anyway.
  const std::string folder = std::filesystem::path(a.model).parent_path().string();
  options.cache_dir = !a.cache_dir.empty() ? a.cache_dir : folder.empty() ? "." : folder;
  ProgressReporter reporter(common.threads, a.verbose);
  std::vector<FittedModel> models;
  const auto targets = target_columns(data_path, recipe.data);
  if (targets.size() > 1 && (!FitContext::is_alone() || is_pattern(data_path)))
    throw ConfigError("/data/target", "several targets are trained on one table by one process; name one of them");
  if (targets.size() > 1)
    models = train_targets_from_file(recipe, targets, data_path, options, reporter.job());
  else
    models.push_back(train_from_file(recipe, data_path, options, reporter.job()).model);
  clear_live_line();
  for (FittedModel& model : models) model.training.data = a.data;
  const int code = save_trained(models, a);
  reporter.show_warnings();
  return code;
}

/// Repeats the training of a model: its recipe, its seed, and its number of evaluations if it was cut short.
int repeat_training(TrainArguments& a, const CommonOptions& common) {
  if (!a.recipe.path.empty() || !a.recipe.overrides.empty() || has_data_options(a.recipe) ||
      !a.recipe.calibration.empty() || a.seconds > 0 || common.given_seed || a.options.resume)
    throw UsageError(
        "--repeat takes recipe, columns, seed and time from its model; leave out RECIPE, --set, --target and its like, "
        "--calibrate, "
        "--seed, --seconds and --resume");
  const FittedModel model = load_one_model(a.repeat);
  if (const Index threads = model.training.threads.value_or(common.threads); threads != common.threads)
    log_warning(fmt::format("{} was trained on {} threads; with --threads {} the same bits are certain",
                            one_line(a.repeat), threads, threads));
  a.options.seed = model.seed;
  a.options.repeat = &model.training;
  std::optional<FittedModel> start;
  if (!a.from.empty()) a.options.start_from = &start.emplace(load_one_model(a.from));
  a.options.start_name = a.from;
  return train_recipe(a, model.recipe, common);
}

/// Trains from the hyperparameters of another model, with its recipe and seed by default.
int train_from_model(TrainArguments& a, const CommonOptions& common) {
  const FittedModel model = load_one_model(a.from);
  Recipe recipe =
      a.recipe.path.empty() ? recipe_with(model.recipe, all_overrides(a.recipe)) : read_recipe_source(a.recipe);
  apply_data_options(a.recipe, recipe.data);
  if (a.seconds > 0) recipe.training.seconds = a.seconds;
  a.options.seed = common.given_seed.value_or(model.seed);
  a.options.start_from = &model;
  a.options.start_name = a.from;
  return train_recipe(a, recipe, common);
}

int train_model(TrainArguments a, const CommonOptions& common) {
  if (!a.repeat.empty()) return repeat_training(a, common);
  if (!a.from.empty()) return train_from_model(a, common);
  const bool chosen = !a.recipe.path.empty();
  if (!chosen) a.recipe.path = "auto";
  Recipe recipe = read_recipe_source(a.recipe);
  const std::string data_path = find_data(a.data);
  if (a.seconds > 0) recipe.training.seconds = a.seconds;
  if ((!chosen || recipe.model == "auto") && recipe.likelihood == "gaussian" && !is_stream(data_path) &&
      recipe.data.target.find(',') == std::string::npos) {
    const TargetLook look = look_at_target(data_path, recipe.data);
    if (look == TargetLook::text || (!chosen && look != TargetLook::numbers)) {
      recipe.likelihood = "softmax";
      recipe = apply_likelihood_defaults(std::move(recipe));
      log_info(look == TargetLook::few ? "the target is a few whole numbers, so it is taken for a class; name the "
                                         "recipe (auto) for numbers, or counts for counts"
                                       : "the target is text, so it is taken for a class");
    }
  }
  a.options.seed = common.seed();
  return train_recipe(a, recipe, common);
}

struct UpdateArguments {
  std::string model, data, out;
  UpdateOptions options;
};

int update_model(const UpdateArguments& a, const CommonOptions& common) {
  const std::string data_path = find_one_table(a.data);
  const std::vector<FittedModel> models = load_models(read_bundle(a.model));
  if (models.size() > 1 && is_stream(data_path))
    throw ConfigError("--data", "several targets are read one after the other; give a file");
  require_writable({a.out}, {data_path, a.model});
  UpdateOptions options = a.options;
  options.name = a.model;
  options.data = a.data;
  ProgressReporter reporter(common.threads);
  std::vector<FittedModel> updated;
  for (const FittedModel& model : models)
    updated.push_back(update_from_file(model, data_path, options, reporter.job()));
  write_bundle(a.out, save_models(updated));
  for (const FittedModel& model : updated) {
    const UpdateRecord& record = model.training.updates.back();
    const std::string target = updated.size() > 1 ? one_line(model.schema.target_name()) + ": " : "";
    if (&model == &updated.front())
      log_event("updated", to_json(record), fmt::format("learned {} rows; saved {}", record.rows, one_line(a.out)));
    log_event("before_learning", to_json(record).at("before_learning"), target + update_text(model.training));
  }
  return kSuccess;
}

}  // namespace

Command train_command(CommonOptions& common) {
  const auto a = std::make_shared<TrainArguments>();
  std::vector<Option> options = {
      recipe_argument(a->recipe),
      {"--data", &a->data,
       "Training table: CSV or CSV.gz (header optional), LIBSVM, NPY or a rows file of alacarte convert; - is standard "
       "input; a folder under ALACARTE_DATA_DIR stands for its data.csv.gz; a pattern in quotes, 'part-*.rows', for "
       "rows files that are one table",
       "FILE", kRequired},
      target_option(a->recipe),
      {"--model", &a->model, "Model file to write", "OUT", kRequired | kNoStream},
      in_range({"--seconds", &a->seconds,
                "Time for all of it, reading and saving included: the best model that fits into it", "S"},
               0, 1'000'000'000),
      {"--repeat", &a->repeat,
       "Repeat the training of this model on the same rows, to the same bits, also where the clock or Ctrl-C cut it "
       "short",
       "MODEL", kNoStream},
      {"--from", &a->from,
       "Begin at the hyperparameters of this model, with its recipe and seed unless others are given: all of them for "
       "its own models, length-scales and noise for others",
       "MODEL", kNoStream},
      one_of(
          words<CalibrationKind>(),
          {"--calibrate", &a->recipe.calibration,
           "Keep a share of the rows (calibration.share) from training and correct by them: conformal = the intervals "
           "of predict, with a guarantee; temperature = the probabilities of classes"}),
      {"--mean-only", &a->mean_only, "Small model file that predicts means without error bars"},
      {"--checkpoint", &a->options.checkpoint,
       "Keep the state of the training in this file until the model is saved; minibatches and subsamples of a fit that "
       "is cut off begin again",
       "FILE", kNoStream},
      {"--resume", &a->options.resume,
       "Go on from --checkpoint if it is there, to the model that one run would have made; without this option a "
       "checkpoint that is there is never overwritten"},
      {"--memory-limit", &a->memory_limit,
       "Memory the training may take, such as 1GiB or 500MB (default: what the machine has left); rows that do not fit "
       "are read from a temporary rows file for every pass",
       "SIZE"},
      {"--cache-dir", &a->cache_dir, "Folder of that temporary file (default: the model's)", "DIR"},
      {"--verbose", &a->verbose, "List the stages of the training with its plan"},
      override_option(a->recipe),
      seed_option(common, "Seed of the draws, starts and random splits"),
      threads_option(common)};
  options.front().help += "; default: auto, of the likelihood that the target asks for";
  return {
      .name = "train",
      .summary = "Learn a model from a recipe and a table",
      .footer =
          R"(The plan and the progress go to standard error; the evidence shown includes the priors, noise is in units of the
target. Ctrl-C (SIGTERM, SIGUSR1) keeps the best model so far, saves it and exits with 130; a second Ctrl-C stops at once.
Under mpirun or srun the processes share the rows of rows files; only the first writes messages and files.

Examples:
  alacarte train --data houses.csv --model price.model --seconds 30
  alacarte train ard --data houses.csv --target price,rent --model both.model
  alacarte train gm --data houses.csv --target price --model price.model --set /training/iterations=50
  mpirun -np 8 alacarte train ard --data 'part-*.rows' --model large.model
  alacarte train --from price.model --data houses-of-june.csv --model june.model)",
      .options = with_split_options(with_data_options(std::move(options), a->recipe), a->options.split,
                                    "trains without the rows of"),
      .run = [a, &common] { return train_model(*a, common); }};
}

Command update_command(CommonOptions& common) {
  const auto a = std::make_shared<UpdateArguments>();
  return {
      .name = "update",
      .summary = "Teach a model further rows, without training",
      .footer =
          R"(The result is the model of all rows at the hyperparameters, the scaling and the weights of fits that MODEL has: exactly,
for models of numbers. Classes and counts are trained anew (alacarte train --from MODEL).

Before they are learned, the rows are scored by the model as it was: its drift. The scores go to standard error and into
the model, and alacarte inspect shows them.

Examples:
  alacarte update price.model --data june.csv --out price-june.model
  alacarte update price.model --data june.csv --out price-june.model --forget 0.1)",
      .options = {model_argument(a->model),
                  {"--data", &a->data, "Rows with the target column; - is standard input; read once, in flat memory",
                   "FILE", kRequired},
                  {"--out", &a->out, "Model file to write", "OUT", kRequired | kNoStream},
                  {"--forget", &a->options.forget,
                   "Rows learned before lose this share of their weights: 0.1 in every update is to remember some ten "
                   "(default: none)",
                   "SHARE", kShare},
                  threads_option(common)},
      .run = [a, &common] { return update_model(*a, common); }};
}

}  // namespace alacarte::cli
