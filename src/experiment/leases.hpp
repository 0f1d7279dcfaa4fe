#pragma once
// Ownership of units in a folder that runners on several machines share.
#include <chrono>
#include <map>
#include <string>

#include "experiment/run_process.hpp"
#include "runner.hpp"

namespace alacarte {

/// Leases of units. Only link(2) (or open(O_EXCL) if there are no hard links), unlink and reading are required of the
/// file system, so that it works on NFS and others without locks across machines.
///
///   FOLDER/runners/RUNNER/      scratch files of a runner; its name has host, process and 64 random bits
///   FOLDER/runners/RUNNER/beat  identity, and a counter that it raises every expiry/12
///   FOLDER/leases/UNIT          "RUNNER/N": the unit belongs to RUNNER; made by link(), so by one runner only
///   FOLDER/leases/over.RUNNER.N the right to remove that lease
///
/// A runner on this machine is dead if its process is gone; one on another machine if this process has watched its
/// counter for the expiry without a change. Clocks of two machines are never compared, and time in which this process
/// was suspended does not count. Before a lease of a dead runner is removed, its scratch folder is renamed to
/// runners/over.RUNNER: if the runner wakes, it can no longer publish anything. The runner that makes the "over" file
/// removes the lease, and the unit is open to all again: it is taken over once. A holder of a right that dies loses it
/// in the same way.
class Leases {
 public:
  /// Makes the folders and registers the process as a runner. `machine`: scope of process numbers; tests substitute
  /// other machines. Throws IoError.
  explicit Leases(const std::string& folder, double expiry_seconds = kLeaseSeconds,
                  std::string machine = this_machine());
  /// Releases all leases and removes the scratch files.
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  /// Takes the unit if it is free, after removing a dead runner's lease; returns true if it succeeds. Throws IoError.
  bool try_take(const std::string& unit);
  /// Reads the lease; returns true if it is still this runner's.
  bool holds(const std::string& unit) const;
  /// Releases the unit. Throws IoError.
  void release(const std::string& unit);
  /// Raises the counter if it is time; call it often. Returns false if others took this runner for dead: it then holds
  /// nothing and is registered anew. Throws IoError if the counter could not be written for half the expiry.
  bool beat();
  /// Returns true if others took this runner for dead: its files are gone, which explains any IoError here.
  bool taken_for_dead() const;
  /// Registers it anew, without leases. Throws IoError.
  void rejoin();
  /// Removes leases and scratch files of dead runners. Returns true if all remaining runners were seen alive since
  /// `since`.
  bool sweep(std::chrono::steady_clock::time_point since);
  /// Returns the seconds between two looks at the same runner, and so between useful attempts to take the same unit.
  double look_seconds() const;
  /// Returns a path among the scratch files.
  std::string scratch(const std::string& name) const;
  /// Moves a scratch file to its place, replacing any file there. Throws IoError.
  void place(const std::string& draft, const std::string& path) const;
  /// Writes a new file with this text by way of the scratch files. Throws IoError.
  void write(const std::string& path, const std::string& text) const;
  /// Returns host and process of the runner that holds a unit; "" if none does.
  static std::string holder(const std::string& folder, const std::string& unit);

 private:
  using Clock = std::chrono::steady_clock;
  struct Watch {
    std::string beat;
    double unchanged = 0;                  // seconds watched
    Clock::time_point looked, alive = {};  // alive: time of the last change
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
  std::map<std::string, std::string> held_;  // text of the lease by unit
  std::map<std::string, Watch> watches_;     // key: runner, or path of a lease that names none
};

/// Writes FOLDER/NAME by way of a runner's scratch files, so that other runners can clean up after a writer that dies.
/// Does nothing if the file has this text already. Throws IoError.
void write_shared_file(const std::string& folder, const std::string& name, const std::string& text);

}  // namespace alacarte
