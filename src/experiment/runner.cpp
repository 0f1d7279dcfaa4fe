#include "alacarte/experiment/runner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <set>
#include <thread>

#include "alacarte/app/find_files.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "experiment/run_process.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(20);

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw IoError(path.string(), "cannot be made: " + error.message());
}

fs::path beside(const ExperimentFile& file, const std::string& name) {
  return fs::path(file.path).parent_path() / name;
}

void write_json(const std::string& path, const Json& json) { write_text_file(path, json.dump(1) + '\n'); }

class Runner {
 public:
  Runner(const std::vector<Run>& runs, const RunnerOptions& options) : options_(options), began_(Clock::now()) {
    state_.runs = runs.size();
    for (const char* name : {"results", "units", "logs", "locks"}) make_folder(fs::path(options.folder) / name);
    for (const Run& run : runs) {
      if (settled(run)) continue;
      waiting_.push_back(&run);
      flops_left_ += run.flops;
    }
  }

  RunnerSummary run() {
    try {
      while (!waiting_.empty() || !running_.empty()) {
        start_some();
        collect();
        report_state();
        if (options_.interrupt != nullptr && options_.interrupt->load()) {
          summary_.interrupted = true;
          break;
        }
        std::this_thread::sleep_for(kPoll);
      }
    } catch (...) {
      stop();
      throw;
    }
    stop();
    summary_.done = state_.done;
    summary_.failed = state_.failed;
    return summary_;
  }

 private:
  struct Running {
    const Run* run;
    RunProcess process;
  };

  std::string below(const char* folder, const Run& run, const char* extension) const {
    return (fs::path(options_.folder) / folder / (run.id + extension)).string();
  }

  /// Whether a run is already complete; counts it if so.
  bool settled(const Run& run) {
    const std::string status = result_status(options_.folder, run);
    if (status.empty() || (status == "failed" && options_.retry && tried_.count(run.id) == 0)) return false;
    ++(status == "done" ? state_.done : state_.failed);
    return true;
  }

  /// Starts runs while there is room. A run locked by another runner stays in the list, since that runner may not
  /// complete it.
  void start_some() {
    const auto room = static_cast<std::size_t>(std::max(1, options_.jobs));
    for (auto next = waiting_.begin(); next != waiting_.end() && running_.size() < room;) {
      const Run& run = **next;
      std::optional<FileLock> lock = FileLock::try_take(below("locks", run, ".lock"));
      if (!lock) {
        ++next;
        continue;
      }
      next = waiting_.erase(next);
      if (settled(run)) {  // by another runner, since this one looked
        flops_left_ -= run.flops;
        continue;
      }
      start(run, std::move(*lock));
    }
  }

  void start(const Run& run, FileLock lock) {
    const std::string file = below("units", run, ".json");
    write_json(file, to_json(run));
    std::vector<std::string> command = options_.command;
    command.push_back(file);
    command.push_back(result_path(options_.folder, run));
    tried_.insert(run.id);
    ++summary_.executed;
    running_.push_back({&run, RunProcess(std::move(command), below("logs", run, ".log"), std::move(lock),
                                         {options_.seconds, options_.memory_mb})});
  }

  void collect() {
    for (auto at = running_.begin(); at != running_.end();) {
      if (!at->process.ended()) {
        ++at;
        continue;
      }
      finish(*at);
      at = running_.erase(at);
    }
  }

  void finish(Running& ended) {
    const Run& run = *ended.run;
    std::string reason = ended.process.failure();
    if (reason.empty() && result_status(options_.folder, run) != "done") reason = "it ended without a result";
    if (!reason.empty()) {
      // A failure to write to the folder is not a failure of the run.
      if (reason.find(result_path(options_.folder, run)) != std::string::npos) throw IoError("the results", reason);
      write_json(result_path(options_.folder, run), result_frame(run, "failed", reason));
    }
    ++(reason.empty() ? state_.done : state_.failed);
    flops_left_ -= run.flops;
    flops_done_ += run.flops;
    if (options_.on_finished) options_.on_finished(run, reason, ended.process.seconds());
  }

  void report_state() {
    if (!options_.on_state) return;
    state_.running = running_.size();
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    state_.seconds_left = flops_done_ > 0 ? seconds * flops_left_ / flops_done_ : -1;
    options_.on_state(state_);
  }

  void stop() {
    for (Running& one : running_) one.process.kill_now();
    running_.clear();
  }

  const RunnerOptions& options_;
  Clock::time_point began_;
  std::list<const Run*> waiting_;
  std::list<Running> running_;
  std::set<std::string> tried_;  // by this run
  RunnerState state_;
  RunnerSummary summary_;
  double flops_left_ = 0, flops_done_ = 0;
};

}  // namespace

ExperimentFile read_experiment_file(const std::string& path) {
  std::string text = read_text_file(path);
  Experiment experiment = parse_experiment(parse_json(text, path));
  return {path, std::move(text), std::move(experiment)};
}

std::vector<Run> expand(const ExperimentFile& file, const RunFilter& filter, std::vector<std::string>& remarks) {
  ExperimentSources sources;
  sources.recipe = [&](const std::string& name, const std::vector<std::string>& overrides) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return read_recipe_with(find_recipe(fs::is_regular_file(own, error) ? own : name), overrides);
  };
  sources.data = [](const DatasetEntry& entry) { return find_data(entry.data_file()); };
  sources.mask = [](const DatasetEntry& entry) { return find_file(entry.mask_file()); };
  sources.file = [&](const std::string& name) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return fs::is_regular_file(own, error) ? own : find_data(name);
  };
  return expand(file.experiment, shipped_catalogue(), sources, filter, remarks);
}

void keep_experiment(const ExperimentFile& file, const std::string& folder) {
  std::error_code error;
  const fs::path place(folder);
  make_folder(place);
  const std::string kept = (place / "experiment.json").string();
  if (fs::exists(kept, error)) {
    const std::string other = read_experiment_file(kept).experiment.name;
    if (other != file.experiment.name)
      throw ConfigError("--out", fmt::format("{} holds the results of another experiment, '{}'", folder, other));
  }
  write_text_file(kept, file.text);
  if (const std::string& paper = file.experiment.paper; !paper.empty())
    write_text_file((place / "paper.csv").string(), read_text_file(beside(file, paper).string()));
}

std::string result_path(const std::string& folder, const Run& run) {
  return (fs::path(folder) / "results" / (run.id + ".json")).string();
}

std::string result_status(const std::string& folder, const Run& run) {
  std::ifstream file(result_path(folder, run));
  if (!file) return {};
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("hash") || !json["hash"].is_string() ||
      !run.accepts(json["hash"].get<std::string>()))
    return {};
  std::error_code error;
  const bool lacks_predictions = !run.predictions.empty() && !fs::exists(run.predictions, error);
  for (const char* status : {"done", "failed"})
    if (json.contains("status") && json["status"] == status)
      return status == std::string("done") && lacks_predictions ? "" : status;
  return {};
}

RunnerSummary execute_runs(const std::vector<Run>& runs, const RunnerOptions& options) {
  return Runner(runs, options).run();
}

}  // namespace alacarte
