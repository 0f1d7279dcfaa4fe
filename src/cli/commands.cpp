#include "alacarte/app/recipe_source.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "paths.hpp"

namespace alacarte::cli {

Command program(CommonOptions& common) {
  Command all{"alacarte", "Gaussian-process regression with learned Fastfood kernels."};
  all.subcommands = {train_command(common),     predict_command(common),  evaluate_command(common),
                     inspect_command(common),   check_command(common),    convert_command(common),
                     transform_command(common), generate_command(common), kernels_command(),
                     datasets_command(common),  run_command(common),      unit_command(common),
                     report_command(common)};
  all.hints = {{"bench", "speed is measured by a program of its own, alacarte-bench"}};
  all.footer =
      "alacarte COMMAND --help describes a command.\n\n"
      "A first round:\n"
      "  alacarte generate friedman1 --rows 500 --seed 1 --out f.csv\n"
      "  alacarte train ard --data f.csv --holdout 0.2 --model f.model\n"
      "  alacarte evaluate f.model --data f.csv --held-out\n"
      "  alacarte inspect f.model\n\n"
      "Environment:\n"
      "  ALACARTE_CONFIG_DIR  folder with recipes/NAME.json for recipes given by bare name, and datasets.json\n"
      "  ALACARTE_DATA_DIR    folder searched for --data and --mask files that are not found as given, and that of\n"
      "                       the data sets of the catalogue\n"
      "  ALACARTE_VEGA_DIR    node_modules folder with vega, vega-lite and vega-embed, for alacarte report\n\n"
      "Exit codes: 0 ok, 1 usage, 2 recipe or option, 3 data, 4 file, 5 numerics, 70 internal,\n"
      "130 interrupted (train has saved the best model so far), 141 the reader of the output has gone.";
  return all;
}

void add_recipe_argument(Command& command, RecipeSource& source, bool required) {
  command.add(
      {"RECIPE", &source.path, "Recipe: a JSON file, or the name of one that ships (auto, gm, ard, ..)", "", required});
}

void add_override_option(Command& command, RecipeSource& source) {
  command
      .add({"--set", &source.overrides,
            "Change one key of the recipe, by JSON pointer: --set /training/iterations=50. Repeatable", "KEY=JSON"})
      .repeatable = true;
}

Recipe read_recipe_source(const RecipeSource& source) {
  Recipe recipe = read_recipe_with(find_recipe(source.path), source.overrides);
  if (!source.target.empty()) recipe.data.target = source.target;
  return recipe;
}

void add_split_options(Command& command, Split& split, const std::string& verb) {
  const std::size_t first = command.options.size();
  command.add({"--mask", &split.mask,
               "CSV of 0/1 with one row for each data row and one column for each fold; " + verb +
                   " --fold (default: test_mask.csv.gz beside the data)",
               "FILE"});
  command.add({"--fold", &split.fold, "Which fold, counted from 0: its rows are held out", "K"}).limit =
      Limit::not_negative;
  command.add({"--folds", &split.folds, "Seeded random partition into this many folds, instead of a mask", "N"})
      .range = {2, 1000000};
  command.add({"--holdout", &split.holdout, "Seeded random share of rows to hold out", "SHARE"}).limit = Limit::share;
  for (std::size_t i = first; i < command.options.size(); ++i) command.options[i].group = "Rows held out";
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
