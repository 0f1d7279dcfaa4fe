#include <filesystem>
#include <fstream>

#include "alacarte/io/recipe_io.hpp"
#include "cli/program.hpp"
#include "command.hpp"
#include "data/row_parts.hpp"

namespace alacarte::cli {

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
      .hints = {{"bench", "speed is measured by a program of its own, alacarte-bench"}}};
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

namespace {

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
  replace_by(given.missing, data.missing);
  replace_by(given.unseen, data.unseen);
  replace_by(given.decimal, data.decimal);
  replace_by(given.weights, data.weights);
  replace_by(given.noise_sd, data.noise_sd);
}

bool has_data_options(const RecipeSource& source) { return !source.target.empty() || source.data != DataOptions{}; }

std::vector<Option> with_data_options(std::vector<Option> options, RecipeSource& source) {
  DataOptions& data = source.data;
  constexpr unsigned kList = kRepeatable | kCommas;
  std::vector<Option> added = {
      {"--missing", &data.missing, "Empty cells of inputs: an error, drop the row, or the mean of the training rows"},
      {"--missing-words", &data.missing_words, "Further cells that are empty in all but name: None,#N/A,-999",
       "WORD,..", kList},
      {"--categorical", &data.categorical, "Columns to code one-hot, beside those that hold text", "COL,..", kList},
      {"--ignore", &data.ignore, "Columns that are no inputs", "COL,..", kList},
      {"--unseen", &data.unseen, "Categories, at prediction, that no training row had: an error, or none of them all"},
      {"--decimal", &data.decimal, "How a CSV file writes numbers; auto looks at its first rows"}};
  added[0].choices = words<MissingCells>();
  added[4].choices = words<UnseenCategory>();
  added[5].choices = words<DecimalSign>();
  added.push_back(
      {"--dates", &data.dates, "Columns of dates: each becomes its days since 1970-01-01", "COL,..", kList});
  added.push_back(
      {"--weights", &data.weights, "Column of row weights: a row of weight w has the noise variance / w", "COL"});
  added.push_back({"--noise-sd", &data.noise_sd,
                   "Column of the known noise of rows: a standard deviation in the unit of the target", "COL"});
  for (Option& option : added) {
    option.group = "Columns and gaps, instead of the recipe's data section";
    options.push_back(option);
  }
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
  std::vector<Option> added = {
      {"--mask", &split.mask,
       "CSV of 0/1 with one row for each data row and one column for each fold; " + verb +
           " --fold (default: test_mask.csv.gz beside the data)",
       "FILE"},
      {"--fold", &split.fold, "Which fold, counted from 0: its rows are held out", "K", kNotNegative},
      {"--folds",
       &split.folds,
       "Seeded random partition into this many folds, instead of a mask",
       "N",
       0,
       {{2, 1000000}}},
      {"--holdout", &split.holdout, "Seeded random share of rows to hold out", "SHARE", kShare}};
  for (Option& option : added) {
    option.group = "Rows held out";
    options.push_back(option);
  }
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

}  // namespace alacarte::cli
