// alacarte run: executes an experiment, each run in its own resumable process; unit: executes one run; report: tables
// and a page of results.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <iostream>

#include "alacarte/core/threads.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "command.hpp"
#include "core/text_file.hpp"
#include "experiment/runner.hpp"
#include "experiment/stored.hpp"
#include "report/report.hpp"
#include "train/version.hpp"

namespace alacarte::cli {
namespace {

struct RunArguments {
  std::string experiment, out, only, stored;
  int jobs = 0;
  double lease_seconds = RunnerOptions{}.lease_seconds;
  std::optional<double> limit_seconds;
  bool dry_run = false, retry = false;
};

/// Parses DATASET,RECIPE,FOLD with any part empty, or DATASET,RECIPE, or DATASET. A label may contain commas: the data
/// set ends at the first and the fold begins at the last.
RunFilter filter_of(const std::string& only) {
  RunFilter filter;
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

void show_state(const RunnerState& state) {
  show_live_line(
      fmt::format("{} units: {} done, {} running, {} failed", state.runs, state.done, state.running, state.failed) +
      (state.seconds_left >= 0 ? ", left " + format_seconds(state.seconds_left) : ""));
}

void log_finished(const Run& run, const std::string& reason, double seconds) {
  const bool done = reason.empty();
  log_event("unit", {{"unit", run.id}, {"status", done ? "done" : "failed"}, {"reason", reason}, {"seconds", seconds}},
            fmt::format("{}: {} in {}", run.id, done ? "done" : "failed (" + one_line(reason) + ")",
                        format_seconds(seconds)));
}

/// Returns "; 2 data sets are not here"; "" for none.
std::string absent_text(std::size_t absent) {
  if (absent == 0) return {};
  return fmt::format("; {} {} not here", absent, absent == 1 ? "data set is" : "data sets are");
}

/// Prints the plan. stored: runs whose results would be taken over. absent: data sets that are missing.
void print_plan(const std::vector<Run>& runs, const std::string& out, const std::set<std::string>& stored,
                std::size_t absent) {
  std::vector<std::vector<std::string>> rows;
  std::size_t missing = 0, failed = 0;
  for (const Run& run : runs) {
    const std::string status = result_status(out, run), holder = held_by(out, run);
    const bool is_stored = stored.count(run.id) != 0;
    missing += status.empty() && !is_stored;
    failed += status == "failed" && !is_stored;
    rows.push_back({run.id, format_flops(run.flops),
                    is_stored         ? "stored"
                    : !status.empty() ? status
                    : holder.empty()  ? "to run"
                                      : "runs by " + holder});
  }
  std::cout << text_table(rows, "lrl");
  log_event(
      "dry_run", {{"units", runs.size()}, {"missing", missing}, {"failed", failed}, {"absent_datasets", absent}},
      fmt::format("{} of {} units are missing{}{}", missing, runs.size(),
                  failed > 0 ? fmt::format(", {} failed (--retry runs them again)", failed) : "", absent_text(absent)));
}

int finish(const RunnerSummary& summary, std::size_t runs, std::size_t absent, const std::string& out) {
  const std::string counts = fmt::format("{} of {} units done, {} failed, {} run now; results in {}{}", summary.done,
                                         runs, summary.failed, summary.executed, one_line(out), absent_text(absent));
  if (summary.interrupted) {
    log_warning((wind_down_flag() ? "warned of the time limit (SIGUSR1); no further unit was begun: "
                                  : "interrupted; the units in flight are given back: ") +
                counts);
    return kInterrupted;
  }
  log_event("run", {{"units", runs}, {"done", summary.done}, {"failed", summary.failed}, {"run", summary.executed}},
            counts);
  return summary.failed > 0 ? kNumericalError : kSuccess;
}

std::string counts_by_trainer(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> words;
  for (const auto& [trainer, count] : counts) words.push_back(fmt::format("{} by trainer {}", count, trainer));
  return fmt::format("{}, not this program's {}, {}, {}", fmt::join(words, ", "), trainer_version("ard"),
                     trainer_version("auto"), trainer_version("deep"));
}

void log_restored(const std::string& path, const RestoredResults& restored) {
  const std::string line = fmt::format("{}: {} results taken over", path, restored.taken.size());
  if (restored.by_other.empty())
    log_info(line);
  else
    log_warning(line + ", of which " + counts_by_trainer(restored.by_other));
  if (!restored.refused.empty())
    log_warning(fmt::format("{}: left out are {}; \"trainers\" in the experiment takes them in", path,
                            counts_by_trainer(restored.refused)));
}

int run_experiment(const RunArguments& a) {
  const ExperimentFile file = read_experiment_file(a.experiment);
  const Experiment& experiment = file.experiment;
  ExpandRemarks remarks;
  const std::vector<Run> runs = expand(file, filter_of(a.only), remarks);
  for (const std::string& line : remarks.lines) log_warning(line);
  if (runs.empty()) throw IoError(a.experiment, "none of its data sets is here; see alacarte datasets list");
  if (a.dry_run) {
    RestoredResults restored;
    if (!a.stored.empty()) log_restored(a.stored, restored = find_results(a.stored, runs, a.out));
    print_plan(runs, a.out, restored.taken, remarks.absent.size());
    return kSuccess;
  }
  keep_experiment(file, a.out);
  if (!a.stored.empty()) log_restored(a.stored, restore_results(a.stored, runs, a.out));

  RunnerOptions options = runner_options(a.out, a.jobs, experiment.threads);
  options.seconds = a.limit_seconds.value_or(experiment.seconds);
  options.memory_mb = experiment.memory_mb;
  options.retry = a.retry;
  options.lease_seconds = a.lease_seconds;
  log_info(fmt::format("{}: {} units, {} at a time", experiment.name, runs.size(), options.jobs));
  return finish(execute_runs(runs, options), runs.size(), remarks.absent.size(), a.out);
}

/// Executes one run of an experiment in this process.
int run_one(const std::string& unit, const std::string& result_file) {
  end_at_first_signal();  // half a training is no result
  require_writable({result_file}, {unit});
  const Run run = run_from_json(parse_json(read_text_file(unit), unit));
  nlohmann::json result = result_frame(run, "done", "");
  result.update(execute_run(run));
  write_text_file(result_file, result.dump() + '\n');
  log_info(fmt::format("{}: rmse {:.6g} on {} test rows", run.id, result["test"].value("rmse", 0.0),
                       result["data"].value("test_rows", 0)));
  return kSuccess;
}

struct ReportArguments {
  ReportFilesOptions options;
  std::string store;
};

int report(const ReportArguments& a) {
  if (!a.store.empty()) {
    const ReportFilesOptions &o = a.options, silent;
    if (o.places.size() > 1) throw UsageError("--store takes the results of one folder");
    if (o.formats != silent.formats || !o.out.empty() || !o.paper.empty() || !o.outside.empty() || !o.vega.empty())
      throw UsageError(
          "--store writes no report: --format, --out, --paper, --outside and --vega mean nothing beside it");
    write_file(a.store, [&](std::ostream& file) { store_results(a.options.places.front(), file); });
    return kSuccess;
  }
  const WrittenReport written = write_report(a.options);
  for (const BrokenFile& broken : written.broken) log_warning(broken.file + ": " + broken.reason);
  for (const std::string& file : written.files) log_info("wrote " + file);
  return kSuccess;
}

}  // namespace

RunnerOptions runner_options(const std::string& folder, int jobs, int threads) {
  RunnerOptions options;
  options.folder = folder;
  options.jobs = jobs > 0 ? jobs : std::max(1, hardware_threads() / threads);
  if (threads > std::max(1, hardware_threads() / options.jobs))
    log_warning(fmt::format("{} jobs of {} threads are more than the {} processors here", options.jobs, threads,
                            hardware_threads()));
  options.command = {std::filesystem::read_symlink("/proc/self/exe").string(), "unit", "--quiet"};
  options.interrupt = &interrupt_flag();
  options.wind_down = &wind_down_flag();
  options.on_state = show_state;
  options.on_finished = log_finished;
  return options;
}

Command run_command() {
  const auto a = std::make_shared<RunArguments>();
  return {
      .name = "run",
      .summary = "Run an experiment: data sets x recipes x folds",
      .footer =
          R"(One unit is data set x recipe x fold x seed, run in its own process; its result is one JSON file in DIR/results.
Only what is missing is run, or whose data, recipe, fold, seed, threads or trainer changed. Several runners, also on
several machines, may share DIR; the units of one that was killed are taken over.
A unit that fails is recorded with its reason (messages in DIR/logs) and the exit code is 5. Ctrl-C and SIGTERM stop at
once; after SIGUSR1 no further unit is begun. Both give back what is not done, and the exit code is 130.

Example:
  alacarte run experiments/table1-small/paper.json --out results/table1-small --only servo,,)",
      .options = {{"EXPERIMENT", &a->experiment, "Experiment: data sets, recipes, folds and seeds as JSON", "",
                   kRequired},
                  {"--out", &a->out, "Folder of the results; running again goes on where it stopped", "DIR", kRequired},
                  {"--jobs", &a->jobs, "Units at a time (default: as many as the processors hold)", "", 0, {{1, 4096}}},
                  {"--only", &a->only, "Only these units; a part may be empty: ,GM,0", "DATASET,RECIPE,FOLD"},
                  {"--limit-seconds", &a->limit_seconds, "Kill a unit after this time (default: the experiment's)", "",
                   kNotNegative},
                  {"--stored", &a->stored, "Take over what is unchanged of a file that alacarte report --store wrote",
                   "FILE"},
                  {"--retry", &a->retry, "Run again what failed before"},
                  in_range({"--lease-seconds", &a->lease_seconds,
                            "A runner on another machine that is silent for so long is dead, and its units are taken "
                            "over",
                            "", kShowDefault},
                           1, 86400),
                  {"--dry-run", &a->dry_run,
                   "List the units, cheap ones first, count those that are missing, and run nothing"}},
      .run = [a] { return run_experiment(*a); }};
}

Command unit_command() {
  const auto unit = std::make_shared<std::string>(), result = std::make_shared<std::string>();
  return {
      .name = "unit",
      .summary = "Run one unit of an experiment (alacarte run calls this)",
      .footer =
          R"(Trains and scores one unit of an experiment in this process. alacarte run calls it; by hand it shows why a unit
failed:
  alacarte unit OUT/units/servo.GM.f0.s0.json again.json)",
      .options = {{"UNIT", unit.get(), "Unit file, as alacarte run leaves them in OUT/units", "", kRequired},
                  {"RESULT", result.get(), "Result file to write", "", kRequired | kNoStream}},
      .run = [unit, result] { return run_one(*unit, *result); }};
}

Command report_command() {
  const auto a = std::make_shared<ReportArguments>();
  ReportFilesOptions& o = a->options;
  return {
      .name = "report",
      .summary = "Make tables and a page of the results of an experiment",
      .footer =
          R"(Tables: RMSE, NLPD, CRPS, coverage, times and memory as mean and standard deviation over folds, with the best by a
paired test in bold; the paper's numbers and ratios; average ranks; failures. A result file that cannot be read
is named in the report and counts nowhere. The page (html) is one file that opens offline; the specification of
each chart also lies in charts/NAME.vl.json.
Results of others: CSV with the columns dataset,method,fold,metric,value; metric is rmse, nlpd, crps, coverage95,
train_seconds, predict_seconds or peak_mb.
Published numbers: CSV with the columns dataset,table,method,metric,mean,sd,remark; metric is rmse, sd may be empty.

Example:
  alacarte report out/table1-small --format md,csv)",
      .options = {{"DIR", &o.places,
                   "Folder that alacarte run filled (results/*.json, experiment.json), or a file made by --store;\n"
                   "several are put into one report",
                   "FOLDER|FILE", kRequired},
                  {"--store", &a->store,
                   "Write no report but all results, small, into one file: this command and alacarte run --stored "
                   "read it",
                   "FILE", kNoStream},
                  one_of(
                      {"html", "md", "csv", "tex"},
                      {"--format", &o.formats, "html, md, csv, tex; several with commas", "", kCommas | kShowDefault}),
                  {"--out", &o.out, "Where report.FORMAT is written (default: the first DIR)", "FOLDER"},
                  {"--paper", &o.paper,
                   "Published numbers to stand beside ours (default: DIR/paper.csv if it is there)", "FILE"},
                  {"--outside", &o.outside, "Results of other programs (besides those in DIR/outside/*.csv)", "FILE"},
                  vega_option(o.vega)},
      .run = [a] { return report(*a); }};
}

}  // namespace alacarte::cli
