#include <fmt/format.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "alacarte/io/recipe_io.hpp"
#include "app/plan_seconds.hpp"
#include "app/training_text.hpp"
#include "command.hpp"
#include "data/row_parts.hpp"
#include "io/documents.hpp"
#include "report/columns.hpp"

namespace alacarte::cli {
namespace {

// Seconds between lines in a log file, which should stay readable after a night of training.
constexpr double kSparseSeconds = 10;

// Delay of a warning, in seconds. A training that fails soon after one mostly fails for the same cause, a full disk,
// and then prints its error only.
constexpr std::chrono::seconds kHoldWarnings{10};

nlohmann::json planned_fit_json(const TrainingPlan::Fit& fit) {
  const EvaluationPlan& e = fit.evaluation;
  return {{"name", fit.name},
          {"rows", e.rows},
          {"distinct_rows", e.distinct_rows > 0 ? e.distinct_rows : e.rows},
          {"inputs", e.inputs},
          {"features", e.features},
          {"parameters", e.parameters},
          {"form", word(e.form)},
          {"flops_per_evaluation", e.flops},
          {"planned_evaluations", fit.planned_evaluations},
          {"memory_bytes", e.memory_bytes},
          {"model_bytes", e.model_bytes}};
}

template <class Value>
void replace_by(const Value& given, Value& value) {
  if (!given.empty()) value = given;
}

/// The parser has refused what is no word of the enum.
template <class Enum>
requires std::is_enum_v<Enum>
void replace_by(const std::string& given, Enum& value) {
  if (!given.empty()) value = from_word<Enum>(given).value();
}

}  // namespace

Command program(CommonOptions& common) {
  Command all = {
      .name = "alacarte",
      .summary = "Gaussian-process regression with learned Fastfood kernels.",
      .footer = R"(alacarte help COMMAND describes a command, as alacarte COMMAND --help does.

A first round:
  alacarte generate friedman1 --rows 500 --seed 1 --out f.csv
  alacarte train ard --data f.csv --holdout 0.2 --model f.model
  alacarte evaluate f.model --data f.csv --held-out
  alacarte inspect f.model

Environment:
  ALACARTE_CONFIG_DIR  folder with recipes/NAME.json for recipes given by bare name, and datasets.json
  ALACARTE_DATA_DIR    folder searched for --data and --mask files that are not found as given, and that of
                       the data sets of the catalogue
  ALACARTE_VEGA_DIR    node_modules folder with vega, vega-lite and vega-embed, for alacarte report

Exit codes:
  0    done
  1    usage
  2    recipe or option
  3    data
  4    file
  5    numerics
  70   internal
  130  interrupted (train has saved the best model so far)
  141  the reader of the output has gone)",
      .subcommands =
          {train_command(common),   predict_command(common),   evaluate_command(common), update_command(common),
           inspect_command(common), explain_command(common),   export_command(),         check_command(common),
           convert_command(),       transform_command(common), generate_command(common), cv_command(common),
           compare_command(common), kernels_command(),         datasets_command(),       run_command(),
           unit_command(),          report_command(),          schema_command(),         completion_command()},
      .hints = {{"bench", "speed is measured by a program of its own, alacarte-bench"},
                {"fit", "models are trained by alacarte train"},
                {"test", "models are scored by alacarte evaluate"},
                {"score", "models are scored by alacarte evaluate"}}};
  all.subcommands.push_back(man_command(all.subcommands));
  join_ranks_in(all, common);
  return all;
}

bool begins_as_model(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  char text[9] = {};
  file.read(text, sizeof text);
  return file && text[0] != '{' && text[8] == '{';
}

Recipe read_recipe_source(const RecipeSource& source) {
  if (begins_as_model(source.path))
    throw ConfigError(source.path, "is a model file, not a recipe; alacarte train --from takes models");
  Recipe recipe = read_recipe_with(find_recipe(source.path), all_overrides(source));
  apply_data_options(source, recipe.data);
  return recipe;
}

std::vector<std::string> all_overrides(const RecipeSource& source) {
  std::vector<std::string> all;
  if (!source.calibration.empty()) all.push_back("/calibration/kind=" + source.calibration);
  all.insert(all.end(), source.overrides.begin(), source.overrides.end());
  return all;
}

void apply_data_options(const RecipeSource& source, DataConfig& data) {
  if (!source.target.empty()) data.target = source.target;
  const DataOptions& given = source.data;
  replace_by(given.categorical, data.categorical);
  replace_by(given.ignore, data.ignore);
  replace_by(given.missing_words, data.missing_words);
  replace_by(given.dates, data.dates);
  data.strict = data.strict || given.strict;
  replace_by(given.missing, data.missing);
  replace_by(given.unseen, data.unseen);
  replace_by(given.decimal, data.decimal);
  replace_by(given.weights, data.weights);
  replace_by(given.noise_sd, data.noise_sd);
  replace_by(given.exposure, data.exposure);
  replace_by(given.group, data.group);
  replace_by(given.time, data.time);
}

bool has_data_options(const RecipeSource& source) { return !source.target.empty() || source.data != DataOptions{}; }

std::vector<Option> with_data_options(std::vector<Option> options, RecipeSource& source) {
  DataOptions& data = source.data;
  constexpr unsigned kList = kRepeatable | kCommas;
  add_group(
      "Columns and gaps, instead of the recipe's data section",
      {{"--strict", &data.strict,
        "Report an error where the table needs a guess: an empty cell, a new category, a name that repeats"},
       one_of(words<MissingCells>(),
              {"--missing", &data.missing,
               "Empty cells of inputs: an error, drop the row, the mean of the training rows, or that beside an "
               "indicator of the gap (auto)"}),
       {"--missing-words", &data.missing_words, "Further cells that are empty in all but name: None,#N/A,-999",
        "WORD,..", kList},
       {"--categorical", &data.categorical, "Columns that are categories, beside those that hold text", "COL,..",
        kList},
       {"--ignore", &data.ignore, "Columns that are no inputs", "COL,..", kList},
       one_of(words<UnseenCategory>(),
              {"--unseen", &data.unseen,
               "Categories, at prediction, that no training row had: an error, or none of them all (zero, auto)"}),
       one_of(words<DecimalSign>(),
              {"--decimal", &data.decimal, "How a CSV file writes numbers; auto looks at its first rows"}),
       {"--dates", &data.dates, "Columns of dates: each becomes its days since 1970-01-01", "COL,..", kList},
       {"--weights", &data.weights, "Column of row weights: a row of weight w has the noise variance / w", "COL"},
       {"--noise-sd", &data.noise_sd,
        "Column of the known noise of rows: a standard deviation in the unit of the target", "COL"},
       {"--exposure", &data.exposure,
        "Column of the exposures of counts, such as years insured: means are exposure times rate", "COL"},
       {"--group", &data.group, "Column no value of which is on both sides of a split, such as the subject", "COL"},
       {"--time", &data.time, "Column of numbers or dates: splits train on the past and test on the future", "COL"}},
      options);
  return options;
}

Option recipe_argument(RecipeSource& source) {
  return {"RECIPE", &source.path, "Recipe: a JSON file, or the name of one that ships (auto, gm, ard, ..)"};
}

Option override_option(RecipeSource& source) {
  return {
      "--set", &source.overrides,
      "Change one key of the recipe, by JSON pointer: --set /training/iterations=50, --set /mean=constant. Repeatable",
      "KEY=VALUE", kRepeatable};
}

Option target_option(RecipeSource& source) {
  return {"--target", &source.target,
          "Target column: name, or index from 0 (-1 = last); default: the recipe's, else the last column; train takes "
          "several, with commas between",
          "COL"};
}

Option model_argument(std::string& path) {
  return {"MODEL", &path, "Model file made by alacarte train", "", kRequired | kNoStream};
}

std::string find_one_table(const std::string& data) {
  std::string path = find_data(data);
  if (is_pattern(path))
    throw UsageError("--data takes one table; several files are for train, evaluate, predict and convert");
  return path;
}

Option vega_option(std::string& folder) {
  return {"--vega", &folder,
          "node_modules folder with vega, vega-lite and vega-embed, for interactive charts\n"
          "(default: $ALACARTE_VEGA_DIR, else what experiments/vega.sh installed); charts are static SVG without it",
          "FOLDER"};
}

std::vector<Option> with_split_options(std::vector<Option> options, Split& split, const std::string& verb) {
  add_group("Rows held out",
            {{"--mask", &split.mask,
              "CSV of 0/1 with one row for each data row and one column for each fold; " + verb +
                  " --fold (default: test_mask.csv.gz beside the data)",
              "FILE"},
             {"--fold", &split.fold, "Which fold, counted from 0: its rows are held out", "K", kNotNegative},
             in_range({"--folds", &split.folds, "Seeded random partition into this many folds, instead of a mask", "N"},
                      2, 1000000),
             {"--holdout", &split.holdout, "Seeded random share of rows to hold out", "SHARE", kShare}},
            options);
  return options;
}

void resolve_split(Split& split, const std::string& data_path) {
  if (!split.given()) return;
  if (split.holdout > 0) {
    if (!split.mask.empty() || split.fold >= 0 || split.folds > 0)
      throw UsageError("--holdout excludes --mask, --fold and --folds");
    return;
  }
  if (split.fold < 0) throw UsageError(split.folds > 0 ? "--folds needs --fold" : "--mask needs --fold");
  if (split.folds > 0) {
    if (!split.mask.empty()) throw UsageError("--folds excludes --mask");
    if (split.fold >= split.folds) throw UsageError("--fold counts from 0 and must be less than --folds");
    return;
  }
  if (split.mask.empty() && data_path == "-") throw UsageError("--fold of standard input needs --mask");
  split.mask = split.mask.empty() ? mask_beside(data_path) : find_file(split.mask);
}

ProgressReporter::~ProgressReporter() { clear_live_line(); }

std::string ProgressReporter::describe(const Progress& p) const {
  std::string text = p.fit + "  " + p.stage;
  if (p.has_evidence) text += fmt::format("  evaluation {}  evidence {:.6g}", p.evaluation, -p.objective);
  if (p.has_evidence && std::isfinite(p.gradient_norm)) text += fmt::format("  |gradient| {:.2e}", p.gradient_norm);
  if (p.has_evidence && p.noise_sd > 0) text += fmt::format("  noise {:.3g}", p.noise_sd * target_scale_);
  text += fmt::format("  {}", format_seconds(p.seconds));
  if (p.seconds_left >= 0) text += fmt::format("  left {}", format_seconds(p.seconds_left));
  if (p.rank_speeds.size() > 0) {
    Index slowest = 0;
    const double least = p.rank_speeds.minCoeff(&slowest);
    text += fmt::format("  {:.3g} rows/s a rank, least {:.3g} (rank {})", p.rank_speeds.mean(), least, slowest);
  }
  return text;
}

void ProgressReporter::on_plan(const TrainingPlan& plan) {
  target_scale_ = plan.target_scale;
  if (!shows_events()) return;
  const double seconds = plan_seconds(plan, threads_, measure_machine());
  log_event("plan", plan_json(plan, threads_, seconds),
            plan_text(plan, threads_, seconds) + (verbose_ ? "\n" + stages_text(plan) : ""));
}

void ProgressReporter::on_progress(const Progress& p) {
  if (!held_.empty() && std::chrono::steady_clock::now() - held_since_ >= kHoldWarnings) show_warnings();
  if (live_line_possible()) {
    show_live_line(describe(p));
    return;
  }
  // Probes that run side by side report in turn: each is announced once, then the clock decides.
  const bool announce = stages_.insert(p.fit + '/' + p.stage).second;
  if (!announce && p.seconds - last_seconds_ < kSparseSeconds) return;
  last_seconds_ = p.seconds;
  nlohmann::json fields = {{"fit", p.fit}, {"stage", p.stage}, {"seconds", p.seconds}};
  if (p.has_evidence)
    fields.update({{"iteration", p.iteration},
                   {"evaluation", p.evaluation},
                   {"objective", p.objective},
                   {"gradient_norm", p.gradient_norm}});
  if (p.has_evidence && p.noise_sd > 0) fields["noise_sd"] = p.noise_sd * target_scale_;
  if (p.seconds_left >= 0) fields["seconds_left"] = p.seconds_left;
  if (p.rank_speeds.size() > 0)
    fields["rows_per_second"] = std::vector<double>(p.rank_speeds.begin(), p.rank_speeds.end());
  log_event("progress", fields, describe(p));
}

void ProgressReporter::on_message(const std::string& text) { log_info(text); }

void ProgressReporter::on_warning(const std::string& text) {
  if (held_.empty()) held_since_ = std::chrono::steady_clock::now();
  held_.push_back(text);
}

void ProgressReporter::show_warnings() {
  for (const std::string& text : std::exchange(held_, {})) log_warning(text);
}

Job ProgressReporter::job() { return {threads_, this, &interrupt_flag()}; }

void ProgressReporter::on_rows(const char* activity, double share, Index rows) {
  show_live_line(share < 0 ? fmt::format("{}  {} rows", activity, rows)
                           : fmt::format("{}  {:.0f} %  {} rows", activity, 100 * share, rows));
}

void ProgressReporter::on_training_rows(Index training_rows, Index file_rows, Index held_out,
                                        const std::string& target) {
  const Index dropped = file_rows - training_rows - held_out;
  std::string rest = file_rows > training_rows ? fmt::format(" of {}", file_rows) : "";
  if (held_out > 0) rest += fmt::format(", {} held out", held_out);
  if (dropped > 0) rest += fmt::format(", {} dropped (missing cells or weight 0)", dropped);
  log_event("rows",
            {{"file", file_rows},
             {"training", training_rows},
             {"held_out", held_out},
             {"dropped", dropped},
             {"target", target}},
            fmt::format("rows: {}{}; target '{}'", training_rows, rest, one_line(target)));
}

void ProgressReporter::on_columns(const Schema& schema) {
  if (!shows_events() || schema.config().strict || schema.is_sparse()) return;
  if (const std::string text = columns_text(schema); !text.empty())
    log_event("columns", {{"columns", columns_json(schema)}}, text);
}

void ProgressReporter::on_rows_stored(Index rows) {
  log_event("converted", {{"rows", rows}}, fmt::format("converted {} rows", rows));
}

nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds) {
  nlohmann::json fits = nlohmann::json::array();
  for (const auto& fit : plan.fits) fits.push_back(planned_fit_json(fit));
  nlohmann::json stages = nlohmann::json::array();
  for (const auto& stage : plan.stages) stages.push_back({{"name", stage.name}, {"purpose", stage.purpose}});
  return {{"threads", threads},
          {"concurrent_fits", plan.concurrent_fits},
          {"total_flops", plan.total_flops},
          {"memory_bytes", plan.memory_bytes},
          {"row_bytes", plan.row_bytes},
          {"seconds", seconds},
          {"model_bytes", plan.model_bytes},
          {"fits", fits},
          {"stages", stages}};
}

nlohmann::json fit_json(const FittedModel& model, std::size_t k) {
  const Member& member = model.members[k];
  nlohmann::json fields = to_json(member.summary);
  if (fields.is_object()) fields.erase("trace");
  fields["fit"] = k;
  fields["model"] = member.recipe.model;
  if (const double noise = noise_sd_of(model, member); noise > 0) fields["noise_sd"] = noise;
  return fields;
}

}  // namespace alacarte::cli
