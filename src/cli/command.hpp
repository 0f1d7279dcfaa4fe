#pragma once
// The commands of the program, one file each, and the options that several of them share.
#include <alacarte/app/job.hpp>
#include <alacarte/app/split.hpp>
#include <alacarte/core/recipe.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace alacarte::cli {

/// A recipe as the command line gives it: a file or a shipped name, with --set and --target applied on top.
struct RecipeSource {
  std::string path, target;
  std::vector<std::string> overrides;  ///< KEY=JSON
};

void add_recipe_argument(Command& command, RecipeSource& source, bool required);  ///< positional RECIPE
void add_override_option(Command& command, RecipeSource& source);                 ///< --set
Recipe read_recipe_source(const RecipeSource& source);                            ///< throws ConfigError or IoError

void add_split_options(Command& command, Split& split, const std::string& verb);

/// Refuses combinations without meaning (UsageError), finds the mask, and throws IoError when it is not there.
void resolve_split(Split& split, const std::string& data_path);

/// The program with all its commands.
Command program(CommonOptions& common);

Command train_command(CommonOptions& common);
Command predict_command(CommonOptions& common);
Command evaluate_command(CommonOptions& common);
Command inspect_command(CommonOptions& common);
Command check_command(CommonOptions& common);
Command convert_command(CommonOptions& common);
Command transform_command(CommonOptions& common);
Command generate_command(CommonOptions& common);
Command kernels_command();
Command datasets_command(CommonOptions& common);
Command run_command(CommonOptions& common);
Command unit_command(CommonOptions& common);
Command report_command(CommonOptions& common);

}  // namespace alacarte::cli
