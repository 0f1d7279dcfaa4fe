#pragma once
// Commands of the program, and options that several of them share.
#include <alacarte/app/job.hpp>
#include <alacarte/app/train_file.hpp>
#include <alacarte/core/error.hpp>
#include <alacarte/core/recipe.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>
#include "app/find_files.hpp"
#include "app/quantities.hpp"

#include "app/training_text.hpp"
#include "experiment/runner.hpp"
#include "log.hpp"
#include "process.hpp"
#include "program.hpp"

namespace alacarte::cli {

/// Flags for common keys of the data section; each that is not empty replaces the recipe's.
struct DataOptions {
  std::vector<std::string> categorical, ignore, missing_words, dates;
  std::string missing, unseen, decimal;                  ///< words of their enums
  std::string weights, noise_sd, exposure, group, time;  ///< columns
  bool strict = false;                                   ///< data.strict
  bool operator==(const DataOptions&) const = default;   ///< compares values
};

/// Recipe from the command line: a file or a shipped name, with --set, --target and flags applied on top.
struct RecipeSource {
  std::string path, target;
  std::vector<std::string> overrides;  ///< KEY=VALUE
  std::string calibration;             ///< --calibrate; "" = the recipe's
  DataOptions data;
};

/// Returns true for a regular file that begins like a model: an eight-byte length, then a document.
bool begins_as_model(const std::string& path);
Recipe read_recipe_source(const RecipeSource& source);  ///< throws ConfigError or IoError
/// Returns --calibrate as an override, followed by those of --set, which may modify it.
std::vector<std::string> all_overrides(const RecipeSource& source);

Option recipe_argument(RecipeSource& source);  ///< returns the positional RECIPE
Option override_option(RecipeSource& source);  ///< returns --set
Option target_option(RecipeSource& source);    ///< returns --target
/// Adds flags for common keys of the data section to `options`.
std::vector<Option> with_data_options(std::vector<Option> options, RecipeSource& source);
/// Replaces values of the recipe by --target and those flags.
void apply_data_options(const RecipeSource& source, DataConfig& data);
bool has_data_options(const RecipeSource& source);
Option model_argument(std::string& path);  ///< returns the positional MODEL
Option vega_option(std::string& folder);   ///< returns --vega, for commands that write pages

/// Resolves a single file by find_data(). Throws UsageError for a pattern, which few commands accept.
std::string find_one_table(const std::string& data);

/// Adds the options that select held-out rows to `options`. `verb`: "trains without the rows of".
std::vector<Option> with_split_options(std::vector<Option> options, Split& split, const std::string& verb);

/// Throws UsageError for invalid combinations, finds the mask, and throws IoError if it is missing.
void resolve_split(Split& split, const std::string& data_path);

/// Shows the progress of a job: rows read, the plan of a training, a live line or sparse lines. A warning is shown with
/// the first progress at least ten seconds later, or by show_warnings(), so that a job that fails before then prints
/// its error only.
class ProgressReporter : public JobObserver {
 public:
  /// verbose: also lists the stages of a training.
  explicit ProgressReporter(int threads, bool verbose = false) : threads_(threads), verbose_(verbose) {}
  Job job();  ///< returns a job with these threads, this reporter and the program's interrupt flag
  ~ProgressReporter() override;
  void on_plan(const TrainingPlan& plan) override;
  void on_progress(const Progress& progress) override;
  void on_message(const std::string& text) override;
  void on_warning(const std::string& text) override;
  void on_rows(const char* activity, double share, Index rows) override;
  void on_training_rows(Index training_rows, Index file_rows, Index held_out, const std::string& target) override;
  void on_columns(const Schema& schema) override;
  void on_rows_stored(Index rows) override;
  void show_warnings();  ///< shows pending warnings; call it when the job has succeeded

 private:
  std::string describe(const Progress& progress) const;

  int threads_;
  bool verbose_;
  double target_scale_ = 1;
  std::set<std::string> stages_;
  double last_seconds_ = 0;
  std::vector<std::string> held_;
  std::chrono::steady_clock::time_point held_since_ = {};
};

/// Returns the program with all its commands.
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

/// Returns options to execute runs by `alacarte unit` in the folder, `jobs` at a time (0 = as many as the processors
/// allow) with `threads` each, with the live line, a message for each successful run, and Ctrl-C.
RunnerOptions runner_options(const std::string& folder, int jobs, int threads);

/// The numbers of plan_text(): {"threads", "concurrent_fits", "total_flops", "memory_bytes", "row_bytes", "seconds",
/// "model_bytes", "fits": [{"name", "rows", "inputs", ..}]}.
nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds);

/// The member's training summary without its trace, with "fit", "model" and, where it has noise, "noise_sd" in the unit
/// of the target.
nlohmann::json fit_json(const FittedModel& model, std::size_t member);

}  // namespace alacarte::cli
