#pragma once
// The context that all stages of a training share: clock, interrupt, replay, checkpoint, observer and the agreement of
// ranks.
//
// A context is cheap to copy: a fit, a part of one (a subsample, say) or a shorter deadline is a changed copy. Nothing
// else in training asks a clock, reads the interrupt flag or exchanges anything between ranks; the jobs of the program,
// before and after a training, exchange what they must by its static functions, too.
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/ranks.hpp"
#include "trainer.hpp"

namespace alacarte {

/// Names a piece of work: a stage of a fit, or of a part of it.
struct WorkKey {
  std::string fit;    ///< "gm 2/3"
  std::string part;   ///< " on 500 rows"; empty for the fit itself
  std::string stage;  ///< "probe 1/5"

  std::string text() const { return fit + part + ": " + stage; }  ///< text in the model file
  static WorkKey from_text(const std::string& text);              ///< inverse of text()
  auto operator<=>(const WorkKey&) const = default;               ///< in alphabetical order
};

/// Evaluations (or rows, or steps) of every stage of a training. The record repeats a training that the clock or an
/// interrupt cut short: a repetition runs only the recorded stages, each for as many evaluations. Thread-safe.
class WorkRecord {
 public:
  using Stages = std::map<std::string, Index>;  ///< keys are WorkKey::text()
  /// Repeats `stages`; records if there are none.
  explicit WorkRecord(const std::optional<Stages>& stages = {});

  bool repeats() const { return repeats_; }                              ///< obeys what it holds
  bool has_fit(const std::string& fit) const;                            ///< true if any stage of the fit is recorded
  bool has_part(const std::string& fit, const std::string& part) const;  ///< true if any stage of the part is
  Index of(const WorkKey& key) const;                                    ///< recorded work; 0 if there is none
  void record(const WorkKey& key, Index work);                           ///< notes a stage that ended
  Stages stages() const;                                                 ///< all that is recorded

 private:
  mutable std::mutex mutex_;
  const bool repeats_;
  std::map<WorkKey, Index> work_;
};

/// Clock, interrupt, replay, checkpoint and observer of one fit, or of the training as a whole.
struct FitContext {
  TrainingObserver* observer = nullptr;          ///< may be null
  const std::atomic<bool>* interrupt = nullptr;  ///< obeyed at the next evaluation; may be null
  /// Clock: returns the seconds since the training began.
  std::function<double()> clock = clock_from(std::chrono::steady_clock::now());
  WorkRecord* work = nullptr;  ///< work of the whole training; null: nothing is recorded
  std::string fit, part;       ///< see WorkKey
  double deadline = 0;         ///< on the clock; 0: none
  /// Largest number of rows of a network's posterior by Laplace's approximation; 0: all.
  Index most_posterior_rows = 0;
  double memory_bytes = 0;                    ///< memory for concurrent probes; 0: the optimiser's own limit
  std::function<void(const FitState&)> save;  ///< checkpoint, called after iterations and finished probes; may be empty
  /// Initial curvature of the final stage's memory, replaced by what that stage learned. Ignored for other entries.
  /// Null: none.
  Curvature* curvature = nullptr;

  std::string name() const { return fit + part; }  ///< for progress and messages

  // ---- changed copies
  FitContext of_part(const std::string& more) const;  ///< without checkpoint: only whole fits are resumed
  FitContext until_share(double share) const;         ///< deadline after this share of the time that is left

  // ---- clock and interrupt
  static std::function<double()> clock_from(std::chrono::steady_clock::time_point began);
  double now() const { return clock(); }
  bool is_timed() const { return deadline > 0 && !repeats(); }  ///< a training that repeats has no deadline
  double seconds_left() const { return deadline - now(); }
  bool is_interrupted() const { return interrupt != nullptr && interrupt->load(); }  ///< this rank's own flag

  // ---- replay
  bool repeats() const { return work != nullptr && work->repeats(); }  ///< true if recorded work is replayed
  /// Returns the work that is replayed; 0 if the record has none.
  Index recorded(const std::string& stage) const { return repeats() ? work->of({fit, part, stage}) : 0; }
  bool runs(const std::string& stage) const { return !repeats() || recorded(stage) > 0; }  ///< false: not recorded
  void record(const std::string& stage, Index amount) const {
    if (work != nullptr && !repeats()) work->record({fit, part, stage}, amount);
  }

  // ---- people
  void message(const std::string& text) const {
    if (observer != nullptr) observer->on_message(text);
  }
  void warn(const std::string& text) const {
    if (observer != nullptr) observer->on_warning(text);
  }
  void report(const Progress& progress) const {
    if (observer != nullptr) observer->on_progress(progress);
  }

  // ---- agreement of ranks (core/ranks.hpp). All ranks call these together; one rank alone gets its own value back.
  static int ranks() { return alacarte::ranks::count(); }
  static int own_rank() { return alacarte::ranks::own(); }
  static bool is_alone() { return ranks() == 1; }
  static int ranks_here() { return alacarte::ranks::on_this_machine(); }  ///< those that share this machine's memory
  /// Replaces values by their sums over ranks.
  static void add_over_ranks(VecRef values) {
    alacarte::ranks::sum(values.data(), static_cast<std::size_t>(values.size()));
  }
  static bool any(bool value) { return alacarte::ranks::any(value); }  ///< true on all if it is on one
  /// Returns the first rank's value, so that clocks and last digits agree.
  static double of_first(double value) { return alacarte::ranks::of_first(value); }
  static double sum(double value) { return alacarte::ranks::sum(value); }
  static double least(double value) { return alacarte::ranks::minimum(value); }
  static double largest(double value) { return -least(-value); }
  static bool is_first() { return own_rank() == 0; }
  /// Returns on all ranks the text that the first one makes.
  static std::string text_of_first(const std::function<std::string()>& make) {
    return alacarte::ranks::of_first(is_first() ? make() : "");
  }
  static void take_from_first(VecRef values) {
    alacarte::ranks::share(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double), 0);
  }
  static Vector speeds() { return alacarte::ranks::speeds(); }  ///< (ranks) rows a second of each
  /// Returns the last of the reasons of all ranks.
  static Stop agreed_stop(Stop own) { return static_cast<Stop>(largest(static_cast<double>(own))); }
  using Sums = alacarte::ranks::Sums;              ///< sums over ranks in one message
  using Alone = alacarte::ranks::SingleRankScope;  ///< for work that all ranks do alike, without messages
};

}  // namespace alacarte
