#pragma once
// The commands of the program, and the options that several of them share.
#include <alacarte/app/find_files.hpp>
#include <alacarte/app/job.hpp>
#include <alacarte/app/quantities.hpp>
#include <alacarte/app/split.hpp>
#include <alacarte/core/error.hpp>
#include <alacarte/core/recipe.hpp>
#include <set>
#include <string>
#include <vector>

#include "log.hpp"
#include "process.hpp"
#include "program.hpp"

namespace alacarte::cli {

/// Flags for common keys of the data section; each that is not empty replaces the recipe's.
struct DataOptions {
  std::vector<std::string> categorical, ignore, missing_words, dates;
  std::string missing, unseen, decimal;                 ///< words of their enums
  std::string weights, noise_sd;                        ///< columns
  bool operator==(const DataOptions&) const = default;  ///< by value
};

/// A recipe as the command line gives it: a file or a shipped name, with --set, --target and flags applied on top.
struct RecipeSource {
  std::string path, target;
  std::vector<std::string> overrides;  ///< KEY=VALUE
  std::string calibration;             ///< --calibrate; "" = as the recipe has it
  DataOptions data;
};

/// A regular file that begins as models do: eight bytes of a length, then a document.
bool begins_as_model(const std::string& path);
Recipe read_recipe_source(const RecipeSource& source);  ///< throws ConfigError or IoError
/// --calibrate as an override, and those of --set, which may speak of its kind.
std::vector<std::string> all_overrides(const RecipeSource& source);

Option recipe_argument(RecipeSource& source);  ///< positional RECIPE
Option override_option(RecipeSource& source);  ///< --set
Option target_option(RecipeSource& source);    ///< --target
/// `options` with flags for common keys of the data section.
std::vector<Option> with_data_options(std::vector<Option> options, RecipeSource& source);
/// Puts --target and those flags in place of the recipe's.
void apply_data_options(const RecipeSource& source, DataConfig& data);
bool has_data_options(const RecipeSource& source);
Option model_argument(std::string& path);  ///< positional MODEL
Option vega_option(std::string& folder);   ///< of commands that write pages

/// find_data() of what is one file. Throws UsageError for a pattern, which few commands take.
std::string find_one_table(const std::string& data);

/// `options` with those that say which rows are held out. `verb`: "trains without the rows of".
std::vector<Option> with_split_options(std::vector<Option> options, Split& split, const std::string& verb);

/// Refuses combinations without meaning (UsageError), finds the mask, and throws IoError when it is not there.
void resolve_split(Split& split, const std::string& data_path);

/// Shows the progress of a job: rows as they are read, the plan of a training, a live line or sparse lines. A warning
/// is shown with the first progress that is ten seconds younger, or by show_warnings(): a job that fails before that
/// has its error as the only line.
class ProgressReporter : public JobObserver {
 public:
  explicit ProgressReporter(int threads) : threads_(threads) {}
  Job job();  ///< these threads, this reporter and the program's interrupt flag
  ~ProgressReporter() override;
  void on_plan(const TrainingPlan& plan) override;
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& text) override;
  void on_warning(const std::string& text) override;
  void on_rows(const char* activity, double share, Index rows) override;
  void on_training_rows(Index training_rows, Index file_rows, Index held_out, const std::string& target) override;
  void on_rows_stored(Index rows) override;
  void show_warnings();  ///< those that wait; call it when the job has succeeded

 private:
  std::string describe(const Progress& progress) const;

  int threads_;
  double target_scale_ = 1;
  std::set<std::string> stages_;
  double last_seconds_ = 0;
  std::vector<std::string> held_;
  std::chrono::steady_clock::time_point held_since_ = {};
};

/// The program with all its commands.
Command program(CommonOptions& common);

Command train_command(CommonOptions& common);
Command predict_command(CommonOptions& common);
Command evaluate_command(CommonOptions& common);
Command update_command(CommonOptions& common);
Command inspect_command(CommonOptions& common);
Command explain_command(CommonOptions& common);
Command check_command(CommonOptions& common);
Command convert_command();
Command transform_command(CommonOptions& common);
Command generate_command(CommonOptions& common);
Command kernels_command();
Command datasets_command();
Command run_command();
Command schema_command();
Command export_command();
Command cv_command(CommonOptions& common);
Command compare_command(CommonOptions& common);
Command unit_command();
Command report_command();
Command completion_command();
Command man_command(const std::vector<Command>& others);

}  // namespace alacarte::cli
