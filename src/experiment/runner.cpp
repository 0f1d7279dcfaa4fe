#include "runner.hpp"

#include <fmt/format.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <set>
#include <thread>

#include "alacarte/core/error.hpp"
#include "core/text_file.hpp"
#include "experiment/leases.hpp"
#include "experiment/run_process.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(20);
// Longest delay, in milliseconds, until a signal to all processes of a job reaches this one.
constexpr auto kSignalSpread = std::chrono::milliseconds(500);

/// Returns "done" or "failed" from the file if the run accepts the result; else "".
std::string status_in(const std::string& path, const Run& run) {
  std::ifstream file(path);
  if (!file) return {};
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("hash") || !json["hash"].is_string() ||
      !run.accepts(json["hash"].get<std::string>()))
    return {};
  for (const char* status : {"done", "failed"})
    if (json.contains("status") && json["status"] == status) return status;
  return {};
}

class Runner {
 public:
  Runner(const std::vector<Run>& runs, const RunnerOptions& options)
      : options_(options), leases_(options.folder, options.lease_seconds), began_(Clock::now()) {
    state_.runs = runs.size();
    for (const char* name : {"results", "units", "logs"}) make_folders((fs::path(options.folder) / name).string());
    leases_.sweep(began_);
    for (const Run& run : runs) {
      if (result_status(options_.folder, run) == "failed") failed_before_[run.id] = written_at(run);
      if (settled(run)) continue;
      waiting_.push_back(&run);
      flops_left_ += run.flops;
    }
  }

  RunnerSummary run() {
    try {
      while (!waiting_.empty() || !running_.empty()) {
        step();
        report_state();
        const bool has_ended = is_set(options_.wind_down) && running_.empty();
        if (has_ended) drop_settled();
        summary_.interrupted = is_set(options_.interrupt) || (has_ended && !waiting_.empty());
        if (summary_.interrupted) break;
        std::this_thread::sleep_for(kPoll);
      }
      if (!summary_.interrupted) bury_the_dead();
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
    std::optional<Clock::time_point> cut_short = {};
  };

  void step() {
    try {
      if (!leases_.beat()) lose_all();
      if (!is_set(options_.wind_down)) start_some();
      collect();
    } catch (const IoError&) {
      if (!leases_.taken_for_dead()) throw;  // the process was suspended for the expiry: nothing was published since
      leases_.rejoin();
      lose_all();
    }
  }

  static bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(); }

  std::string below(const char* folder, const Run& run, const char* extension) const {
    return (fs::path(options_.folder) / folder / (run.id + extension)).string();
  }
  /// Returns the path of a draft, private to this runner until it is moved to its place.
  std::string draft(const Run& run) const { return leases_.scratch(run.id + ".json"); }
  std::string predictions_draft(const Run& run) const { return leases_.scratch(run.id + ".csv"); }

  fs::file_time_type written_at(const Run& run) const {
    std::error_code error;
    return fs::last_write_time(result_path(options_.folder, run), error);
  }
  /// Returns true if it failed before this runner began. Runs that others retried since are not retried again.
  bool is_old_failure(const Run& run) const {
    const auto found = failed_before_.find(run.id);
    return found != failed_before_.end() && tried_.count(run.id) == 0 && found->second == written_at(run);
  }

  /// Returns true if a run is already complete, and counts it.
  bool settled(const Run& run) {
    const std::string status = result_status(options_.folder, run);
    if (status.empty() || (status == "failed" && options_.retry && is_old_failure(run))) return false;
    ++(status == "done" ? state_.done : state_.failed);
    return true;
  }

  /// Drops the runs that others have completed.
  void drop_settled() {
    waiting_.remove_if([&](const Run* run) {
      if (!settled(*run)) return false;
      flops_left_ -= run->flops;
      return true;
    });
  }

  /// Starts runs while there is room. A run of another runner stays in the list, since that runner may not complete it;
  /// if only such runs are left, they are checked as often as their runners are.
  void start_some() {
    const auto room = static_cast<std::size_t>(std::max(1, options_.jobs));
    if (running_.size() >= room || Clock::now() < next_look_) return;
    for (auto next = waiting_.begin(); next != waiting_.end() && running_.size() < room;) {
      const Run& run = **next;
      if (!settled(run)) {
        if (!leases_.try_take(run.id)) {
          ++next;
          continue;
        }
        if (!settled(run)) {
          start(run);
          next = waiting_.erase(next);
          continue;
        }
        leases_.release(run.id);  // another runner has completed it meanwhile
      }
      flops_left_ -= run.flops;
      next = waiting_.erase(next);
    }
    if (running_.size() < room) next_look_ = Clock::now() + look_time();
  }

  Clock::duration look_time() const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(leases_.look_seconds()));
  }

  void start(const Run& run) {
    std::string file = below("units", run, ".json");
    leases_.write(file, to_json(run).dump(1) + '\n');
    if (!run.predictions.empty()) {
      Run drafted = run;
      drafted.predictions = predictions_draft(run);
      file = leases_.scratch(run.id + ".unit.json");
      write_text_file(file, to_json(drafted).dump(1) + '\n');
    }
    std::vector<std::string> command = options_.command;
    command.push_back(file);
    command.push_back(draft(run));
    running_.push_back(
        {&run, RunProcess(std::move(command), below("logs", run, ".log"), {options_.seconds, options_.memory_mb})});
    tried_.insert(run.id);
    ++summary_.executed;
  }

  void collect() {
    for (auto at = running_.begin(); at != running_.end();) {
      if (!at->process.ended() || may_be_told_to_stop(*at)) {
        ++at;
        continue;
      }
      if (leases_.holds(at->run->id))
        finish(*at);
      else
        lose(*at);
      at = running_.erase(at);
    }
  }

  /// Returns true shortly after a foreign signal ended the run: the whole job may be stopping, which is no failure.
  static bool may_be_told_to_stop(Running& ended) {
    if (!ended.process.cut_short()) return false;
    if (!ended.cut_short) ended.cut_short = Clock::now();
    return Clock::now() - *ended.cut_short < kSignalSpread;
  }

  void finish(Running& ended) {
    const Run& run = *ended.run;
    std::string reason = ended.process.failure();
    // A failure to write to the folder is not a failure of the run.
    if (reason.find(leases_.scratch("")) != std::string::npos) throw IoError("the results", reason);
    if (reason.empty() && status_in(draft(run), run) != "done") reason = "it ended without a result";
    if (reason.empty()) {
      if (!run.predictions.empty()) leases_.place(predictions_draft(run), run.predictions);
      leases_.place(draft(run), result_path(options_.folder, run));
    } else {
      leases_.write(result_path(options_.folder, run), result_frame(run, "failed", reason).dump(1) + '\n');
    }
    leases_.release(run.id);
    ++(reason.empty() ? state_.done : state_.failed);
    flops_left_ -= run.flops;
    flops_done_ += run.flops;
    if (options_.on_finished) options_.on_finished(run, reason, ended.process.seconds());
  }

  /// Drops a run that another runner has taken over or completed.
  void lose(Running& one) {
    one.process.kill_now();
    leases_.release(one.run->id);
    --summary_.executed;
    waiting_.push_front(one.run);
  }

  void lose_all() {
    for (Running& one : running_) lose(one);
    running_.clear();
  }

  void report_state() {
    if (!options_.on_state) return;
    state_.running = running_.size();
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    state_.seconds_left = flops_done_ > 0 ? seconds * flops_left_ / flops_done_ : -1;
    options_.on_state(state_);
  }

  /// Removes what dead runners left, as the last runner alive. A runner on another machine counts as dead after the
  /// expiry, measured in time in which this process looked.
  void bury_the_dead() {
    const auto now = Clock::now();
    const auto patience = std::chrono::duration<double>(5 * options_.lease_seconds);
    while (!leases_.sweep(now) && Clock::now() - now < patience) {
      if (is_set(options_.interrupt) || is_set(options_.wind_down)) return;
      leases_.beat();  // all own results are published
      std::this_thread::sleep_for(std::min<Clock::duration>(look_time(), std::chrono::milliseconds(200)));
    }
  }

  void stop() {
    for (Running& one : running_) one.process.kill_now();
    running_.clear();
  }

  const RunnerOptions& options_;
  Leases leases_;
  Clock::time_point began_, next_look_ = {};
  std::list<const Run*> waiting_;
  std::list<Running> running_;
  std::set<std::string> tried_;  // runs tried by this runner
  std::map<std::string, fs::file_time_type> failed_before_;
  RunnerState state_;
  RunnerSummary summary_;
  double flops_left_ = 0, flops_done_ = 0;
};

}  // namespace

std::string result_path(const std::string& folder, const Run& run) {
  return (fs::path(folder) / "results" / (run.id + ".json")).string();
}

std::string result_status(const std::string& folder, const Run& run) {
  const std::string status = status_in(result_path(folder, run), run);
  std::error_code error;
  const bool lacks_predictions = !run.predictions.empty() && !fs::exists(run.predictions, error);
  return status == "done" && lacks_predictions ? "" : status;
}

std::string held_by(const std::string& folder, const Run& run) { return Leases::holder(folder, run.id); }

RunnerSummary execute_runs(const std::vector<Run>& runs, const RunnerOptions& options) {
  return Runner(runs, options).run();
}

}  // namespace alacarte
