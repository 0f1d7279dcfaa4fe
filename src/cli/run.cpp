// alacarte run: the units of an experiment, each in its own process, resumable.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/experiment/runner.hpp"
#include "alacarte/experiment/stored.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

namespace fs = std::filesystem;

struct RunArguments {
  std::string experiment, out, only, stored;
  int jobs = 0;
  double limit_seconds = -1;
  bool dry_run = false, retry = false;
};

/// DATASET,RECIPE,FOLD with any part left empty, or DATASET,RECIPE, or DATASET. A label may hold commas: the data set
/// ends at the first and the fold begins at the last.
UnitFilter filter_of(const std::string& only) {
  UnitFilter filter;
  const std::size_t first = only.find(','), last = only.rfind(',');
  filter.dataset = only.substr(0, first);
  if (first == std::string::npos) return filter;
  filter.label = only.substr(first + 1, last == first ? std::string::npos : last - first - 1);
  if (last == first || last + 1 == only.size()) return filter;
  const std::string fold = only.substr(last + 1);
  if (fold.find_first_not_of("0123456789") != std::string::npos || fold.size() > 6)
    throw UsageError("--only takes DATASET,RECIPE,FOLD; the fold must be a number from 0, not '" + fold + "'");
  filter.fold = std::stol(fold);
  return filter;
}

class Reporter : public RunObserver {
 public:
  ~Reporter() override { clear_live_line(); }

  void on_state(const RunState& state) override {
    if (!live_line_possible()) return;
    std::string text =
        fmt::format("{} units: {} done, {} running, {} failed", state.units, state.done, state.running, state.failed);
    if (state.seconds_left >= 0) text += ", left " + format_seconds(state.seconds_left);
    if (text != shown_) show_live_line(text);
    shown_ = text;
  }

  void on_finished(const Unit& unit, const std::string& reason, double seconds) override {
    clear_live_line();
    shown_.clear();
    const nlohmann::json fields = {
        {"unit", unit.id}, {"status", reason.empty() ? "done" : "failed"}, {"reason", reason}, {"seconds", seconds}};
    log_event("unit", fields,
              fmt::format("{}: {} in {}", unit.id, reason.empty() ? "done" : "failed (" + one_line(reason) + ")",
                          format_seconds(seconds)));
  }

 private:
  std::string shown_;
};

/// Recipes lie beside the experiment or are known by name; data where every command looks for them.
ExperimentSources sources_of(const std::string& experiment_path) {
  ExperimentSources sources;
  const fs::path folder = fs::path(experiment_path).parent_path();
  sources.recipe = [folder](const std::string& name, const std::vector<std::string>& overrides) {
    std::error_code error;
    const fs::path beside = folder / name;
    return read_recipe_source({fs::is_regular_file(beside, error) ? beside.string() : name, "", overrides});
  };
  sources.data = [](const DatasetEntry& entry) { return find_data(entry.data_file()); };
  sources.mask = [](const DatasetEntry& entry) { return find_file(entry.mask_file()); };
  return sources;
}

void copy_into(const std::string& folder, const char* name, const std::string& text) {
  AtomicFile file((fs::path(folder) / name).string());
  file.stream() << text;
  file.commit();
}

/// The folder keeps what it was made from: the experiment and the published numbers, so that a report needs nothing
/// else.
void keep_experiment(const RunArguments& a, const Experiment& experiment, const std::string& text) {
  std::error_code error;
  fs::create_directories(a.out, error);
  if (error) throw IoError(a.out, "cannot be made: " + error.message());
  const std::string kept = (fs::path(a.out) / "experiment.json").string();
  if (fs::exists(kept, error)) {
    const std::string other = parse_experiment(parse_json(read_text_file(kept), kept)).name;
    if (other != experiment.name)
      throw ConfigError("--out", fmt::format("{} holds the results of another experiment, '{}'", a.out, other));
  }
  copy_into(a.out, "experiment.json", text);
  if (!experiment.paper.empty())
    copy_into(a.out, "paper.csv", read_text_file((fs::path(a.experiment).parent_path() / experiment.paper).string()));
}

void print_plan(const std::vector<Unit>& units, const std::string& out) {
  for (const Unit& unit : units) {
    const std::string status = result_status(out, unit);
    fmt::print("{:<44} {:>12}  {}\n", unit.id, format_flops(unit.flops), status.empty() ? "to run" : status);
  }
}

void warn_if_crowded(const Experiment& experiment, int jobs) {
  const int fair = std::max(1, hardware_threads() / jobs);
  if (experiment.threads > fair)
    log_warning(fmt::format("{} jobs of {} threads are more than the {} processors here", jobs, experiment.threads,
                            hardware_threads()));
}

int finish(const RunSummary& summary, std::size_t units, const std::string& out) {
  const std::string counts = fmt::format("{} of {} units done, {} failed, {} run now; results in {}", summary.done,
                                         units, summary.failed, summary.run, one_line(out));
  if (summary.interrupted) {
    log_warning("interrupted; the units in flight are not recorded: " + counts);
    return kInterrupted;
  }
  log_event("run", {{"units", units}, {"done", summary.done}, {"failed", summary.failed}, {"run", summary.run}},
            counts);
  return summary.failed > 0 ? kNumericalError : kSuccess;
}

int run_experiment(const RunArguments& a) {
  const std::string text = read_text_file(a.experiment);
  Experiment experiment = parse_experiment(parse_json(text, a.experiment));
  const Catalogue catalogue = shipped_catalogue();
  std::vector<std::string> remarks;
  const std::vector<Unit> units = expand(experiment, catalogue, sources_of(a.experiment), filter_of(a.only), remarks);
  for (const std::string& line : remarks) log_warning(line);
  if (a.dry_run) {
    print_plan(units, a.out);
    return kSuccess;
  }
  if (units.empty()) throw IoError(a.experiment, "none of its data sets is here; see alacarte datasets list");
  keep_experiment(a, experiment, text);
  if (!a.stored.empty())
    log_info(fmt::format("{}: {} results taken over", a.stored, restore_results(a.stored, units, a.out)));

  RunOptions options;
  options.folder = a.out;
  options.jobs = a.jobs > 0 ? a.jobs : std::max(1, hardware_threads() / experiment.threads);
  warn_if_crowded(experiment, options.jobs);
  options.seconds = a.limit_seconds >= 0 ? a.limit_seconds : experiment.seconds;
  options.memory_mb = experiment.memory_mb;
  options.retry = a.retry;
  options.command = {fs::read_symlink("/proc/self/exe").string(), "unit", "--quiet"};
  options.interrupt = &interrupt_flag();
  Reporter reporter;
  options.observer = &reporter;
  log_info(fmt::format("{}: {} units, {} at a time", experiment.name, units.size(), options.jobs));
  return finish(run_units(units, options), units.size(), a.out);
}

}  // namespace

Command run_command(CommonOptions& common) {
  const auto a = std::make_shared<RunArguments>();
  Command command{"run", "Run an experiment: data sets x recipes x folds"};
  command.add({"EXPERIMENT", &a->experiment, "Experiment: data sets, recipes, folds and seeds as JSON", "", true});
  command.add({"--out", &a->out, "Folder of the results; running again goes on where it stopped", "DIR", true});
  command.add({"--jobs", &a->jobs, "Units at a time (default: as many as the processors hold)"}).range = {1, 4096};
  command.add({"--only", &a->only, "Only these units; a part may be empty: ,GM,0", "DATASET,RECIPE,FOLD"});
  command.add({"--limit-seconds", &a->limit_seconds, "Kill a unit after this time (default: the experiment's)"}).limit =
      Limit::not_negative;
  command.add(
      {"--stored", &a->stored, "Take over what is unchanged of a file that alacarte report --store wrote", "FILE"});
  command.add({"--retry", &a->retry, "Run again what failed before"});
  command.add({"--dry-run", &a->dry_run, "List the units, cheap ones first, and run nothing"});
  add_log_options(command, common);
  command.footer =
      "One unit is data set x recipe x fold x seed, run in its own process; its result is one JSON file in "
      "DIR/results.\nOnly what is missing is run, or whose data, recipe, fold, seed or threads changed. Two runners "
      "may "
      "share DIR.\nA unit that fails is recorded with its reason (messages in DIR/logs) and the exit code is 5; Ctrl-C "
      "stops at once.\n\nExample:\n"
      "  alacarte run experiments/table1-small/paper.json --out results/table1-small --only servo,,";
  command.run = [a] { return run_experiment(*a); };
  return command;
}

}  // namespace alacarte::cli
