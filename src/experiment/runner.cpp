#include "alacarte/experiment/runner.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <set>
#include <thread>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/experiment/unit.hpp"
#include "experiment/unit_process.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(20);

void write_json(const std::string& path, const Json& json) {
  AtomicFile file(path);
  file.stream() << json.dump(1) << '\n';
  file.commit();
}

class Run {
 public:
  Run(const std::vector<Unit>& units, const RunOptions& options) : options_(options), began_(Clock::now()) {
    state_.units = units.size();
    for (const char* name : {"results", "units", "logs", "locks"}) {
      std::error_code error;
      fs::create_directories(fs::path(options.folder) / name, error);
      if (error) throw IoError((fs::path(options.folder) / name).string(), "cannot be made: " + error.message());
    }
    for (const Unit& unit : units)
      if (!settled(unit)) waiting_.push_back(&unit);
    flops_left_ = flops_of(waiting_);
  }

  RunSummary run() {
    try {
      while (!waiting_.empty() || !running_.empty()) {
        start_some();
        collect();
        tell();
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
    const Unit* unit;
    UnitProcess process;
  };

  std::string below(const char* folder, const Unit& unit, const char* extension) const {
    return (fs::path(options_.folder) / folder / (unit.id + extension)).string();
  }

  static double flops_of(const std::list<const Unit*>& units) {
    double sum = 0;
    for (const Unit* unit : units) sum += unit->flops;
    return sum;
  }

  /// Whether there is nothing left to do for a unit; counts it then.
  bool settled(const Unit& unit) {
    const std::string status = result_status(options_.folder, unit);
    if (status.empty() || (status == "failed" && options_.retry && tried_.count(unit.id) == 0)) return false;
    ++(status == "done" ? state_.done : state_.failed);
    return true;
  }

  /// Starts units while there is room. One that another runner holds stays in the list: it may yet be left undone.
  void start_some() {
    const auto room = static_cast<std::size_t>(std::max(1, options_.jobs));
    for (auto next = waiting_.begin(); next != waiting_.end() && running_.size() < room;) {
      const Unit& unit = **next;
      std::optional<FileLock> lock = FileLock::try_take(below("locks", unit, ".lock"));
      if (!lock) {
        ++next;
        continue;
      }
      next = waiting_.erase(next);
      if (settled(unit)) {  // by another runner, since this one looked
        flops_left_ -= unit.flops;
        continue;
      }
      start(unit, std::move(*lock));
    }
  }

  void start(const Unit& unit, FileLock lock) {
    const std::string file = below("units", unit, ".json");
    write_json(file, to_json(unit));
    std::vector<std::string> command = options_.command;
    command.push_back(file);
    command.push_back(result_path(options_.folder, unit));
    tried_.insert(unit.id);
    ++summary_.run;
    running_.push_back({&unit, UnitProcess(std::move(command), below("logs", unit, ".log"), std::move(lock),
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
    const Unit& unit = *ended.unit;
    std::string reason = ended.process.failure();
    if (reason.empty() && result_status(options_.folder, unit) != "done") reason = "it ended without a result";
    if (!reason.empty()) {
      // What the folder will not take is no fault of the unit.
      if (reason.find(result_path(options_.folder, unit)) != std::string::npos) throw IoError("the results", reason);
      write_json(result_path(options_.folder, unit), result_frame(unit, "failed", reason));
    }
    ++(reason.empty() ? state_.done : state_.failed);
    flops_left_ -= unit.flops;
    flops_done_ += unit.flops;
    if (options_.observer) options_.observer->on_finished(unit, reason, ended.process.seconds());
  }

  void tell() {
    if (!options_.observer) return;
    state_.running = running_.size();
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    state_.seconds_left = flops_done_ > 0 ? seconds * flops_left_ / flops_done_ : -1;
    options_.observer->on_state(state_);
  }

  void stop() {
    for (Running& one : running_) one.process.kill_now();
    running_.clear();
  }

  const RunOptions& options_;
  Clock::time_point began_;
  std::list<const Unit*> waiting_;
  std::list<Running> running_;
  std::set<std::string> tried_;  // by this run
  RunState state_;
  RunSummary summary_;
  double flops_left_ = 0, flops_done_ = 0;
};

}  // namespace

std::string result_path(const std::string& folder, const Unit& unit) {
  return (fs::path(folder) / "results" / (unit.id + ".json")).string();
}

std::string result_status(const std::string& folder, const Unit& unit) {
  std::ifstream file(result_path(folder, unit));
  if (!file) return {};
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("hash") || json["hash"] != unit.hash()) return {};
  for (const char* status : {"done", "failed"})
    if (json.contains("status") && json["status"] == status) return status;
  return {};
}

RunSummary run_units(const std::vector<Unit>& units, const RunOptions& options) { return Run(units, options).run(); }

}  // namespace alacarte
