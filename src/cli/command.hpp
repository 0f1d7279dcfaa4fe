#pragma once
// The commands of the program, one file each, and the options that several of them share.
#include <alacarte/app/find_files.hpp>
#include <alacarte/app/quantities.hpp>
#include <alacarte/app/split.hpp>
#include <alacarte/core/error.hpp>
#include <alacarte/core/recipe.hpp>
#include <string>
#include <vector>

#include "guard.hpp"
#include "log.hpp"
#include "output.hpp"
#include "program.hpp"
#include "progress.hpp"

namespace alacarte::cli {

/// A recipe as the command line gives it: a file or a shipped name, with --set and --target applied on top.
struct RecipeSource {
  std::string path, target;
  std::vector<std::string> overrides;  ///< KEY=JSON
};

Recipe read_recipe_source(const RecipeSource& source);  ///< throws ConfigError or IoError

Option recipe_argument(RecipeSource& source, unsigned traits);  ///< positional RECIPE
Option override_option(RecipeSource& source);                   ///< --set
Option target_option(RecipeSource& source);                     ///< --target
Option model_argument(std::string& path);                       ///< positional MODEL
Option vega_option(std::string& folder);                        ///< of commands that write pages

/// `options` with those that say which rows are held out. `verb`: "trains without the rows of".
std::vector<Option> with_split_options(std::vector<Option> options, Split& split, const std::string& verb);

/// Refuses combinations without meaning (UsageError), finds the mask, and throws IoError when it is not there.
void resolve_split(Split& split, const std::string& data_path);

/// The program with all its commands.
Command program(CommonOptions& common);

Command train_command(CommonOptions& common);
Command predict_command(CommonOptions& common);
Command evaluate_command(CommonOptions& common);
Command inspect_command(CommonOptions& common);
Command check_command(CommonOptions& common);
Command convert_command();
Command transform_command(CommonOptions& common);
Command generate_command(CommonOptions& common);
Command kernels_command();
Command datasets_command();
Command run_command();
Command unit_command();
Command report_command();

}  // namespace alacarte::cli
