#pragma once
// Which runner has which unit, in a folder that runners on several machines share.
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "experiment/machine.hpp"
#include "runner.hpp"

namespace alacarte {

/// Leases of units. Nothing but link(2) (or open(O_EXCL) where there are no hard links), unlink and reading is asked of
/// the file system, so that it holds on NFS and others that know no locks across machines.
///
///   FOLDER/runners/RUNNER/      scratch files of a runner, whose name has host, process and 64 random bits
///   FOLDER/runners/RUNNER/beat  who it is, and a counter that it raises every expiry/12
///   FOLDER/leases/UNIT          "RUNNER/N": the unit belongs to RUNNER; made by link(), so by one runner only
///   FOLDER/leases/over.RUNNER.N the right to remove that lease
///
/// A runner is dead when its process is gone, if it runs on this machine; otherwise when this process has watched its
/// counter for the expiry without a change. No clocks of two machines are compared, and time in which this process did
/// not look (it was suspended) does not count. Before a lease of a dead runner is removed, its scratch folder is
/// renamed to runners/over.RUNNER: what the runner has not published by then, it cannot publish any more, whenever it
/// wakes. The lease is removed by the one that makes its "over" file, and the unit is then open to all: it is taken
/// over once. Whoever holds a right and dies loses it the same way.
class Leases {
 public:
  /// Makes the folders and registers the process as a runner. `machine`: where process numbers mean the same; tests put
  /// other machines in place of this one. Throws IoError.
  explicit Leases(const std::string& folder, double expiry_seconds = kLeaseSeconds,
                  std::string machine = this_machine());
  /// Gives back what is held and removes the scratch files.
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  /// Whether the unit is now this runner's. A lease of a dead runner is removed first. Throws IoError.
  bool try_take(const std::string& unit);
  /// Whether it still is. Reads the lease.
  bool holds(const std::string& unit) const;
  /// Gives it back. Throws IoError.
  void release(const std::string& unit);
  /// To be called often; raises the counter when it is time. False: others took this runner for dead; nothing is held
  /// any more, and it is registered anew. Throws IoError when the counter could not be written for half the expiry.
  bool beat();
  /// Whether others took this runner for dead: then its files are gone, and an IoError of any of these says no more.
  bool taken_for_dead() const;
  /// Registers it anew, with nothing held. Throws IoError.
  void rejoin();
  /// Removes leases and scratch files of dead runners. True when each runner that is left was seen alive at `since` or
  /// later.
  bool sweep(std::chrono::steady_clock::time_point since);
  /// Seconds between two looks at the same runner, and so between two attempts to take the same unit that make sense.
  double look_seconds() const;
  /// A path among the scratch files.
  std::string scratch(const std::string& name) const;
  /// Moves a scratch file to its place, over what is there. Throws IoError.
  void place(const std::string& draft, const std::string& path) const;
  /// The same of a new file with this text.
  void write(const std::string& path, const std::string& text) const;
  /// Host and process as people know them, of the runner that holds a unit; "" when none does.
  static std::string holder(const std::string& folder, const std::string& unit);

 private:
  using Clock = std::chrono::steady_clock;
  struct Watch {
    std::string beat;
    double unchanged = 0;                  // seconds, of those watched
    Clock::time_point looked, alive = {};  // alive: when a change was seen
    bool dead = false;
  };
  struct Claim {
    std::string text;
    int error = 0;
  };

  std::string below(const char* folder, const std::string& name) const;
  void join();
  std::string beat_text() const;
  Claim claim(const std::string& path);
  bool remove(const std::string& path, const std::string& text);
  bool remove_if_dead(const std::string& path);
  void bury(const std::string& runner);
  const Watch& look_at(const std::string& runner);

  std::string folder_, machine_, name_;
  double expiry_;
  unsigned long claims_ = 0, beats_ = 0;
  Clock::time_point last_beat_;
  std::map<std::string, std::string> held_;  // unit: text of its lease
  std::map<std::string, Watch> watches_;     // runner, or path of a lease that names none
};

/// Writes FOLDER/NAME by way of the scratch files of a runner, so that a writer that dies leaves nothing that no runner
/// would remove. Does nothing when the file has this text already. Throws IoError.
void write_shared_file(const std::string& folder, const std::string& name, const std::string& text);

}  // namespace alacarte
