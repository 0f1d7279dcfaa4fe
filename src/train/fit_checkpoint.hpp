#pragma once
// State of a training in one file, written at most once a second: a line with the SHA-256 sum of the JSON document
// below.
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "alacarte/model/training_record.hpp"
#include "alacarte/train/fit.hpp"
#include "optimise/trainer.hpp"

namespace alacarte {

class FitCheckpoint {
 public:
  /// Opens the checkpoint; with an empty path every call does nothing. With options.resume, reads the file if it exists
  /// and throws IoError if it is damaged, or naming what differs: recipe, seed, data, start or number of fits. Without,
  /// throws IoError if the file exists. started: ModelStart::record(), or nothing.
  FitCheckpoint(const Recipe& recipe, const std::string& data_sha256, const std::optional<StartRecord>& started,
                const FitOptions& options, std::size_t fit_count);

  bool resumed() const { return resumed_; }  ///< true: continued from a file

  const std::optional<NoiseCenter>& noise_center() const { return own_.noise_center; }
  void set_noise_center(const NoiseCenter& center) { own_.noise_center = center; }

  /// Returns the state of a fit, or nullptr if it has not begun.
  const FitState* state(std::size_t fit) const { return own_.fits[fit] ? &*own_.fits[fit] : nullptr; }

  /// Returns the result of a fit's minibatches beside its state; nothing if it has none.
  const std::optional<MinibatchRecord>& minibatches(std::size_t fit) const { return own_.minibatches[fit]; }
  void keep_minibatches(std::size_t fit, const MinibatchRecord& result);  ///< written with the next state; thread-safe

  /// Updates a fit's state; writes the file if the last write is a second old, or more if that was slow. Thread-safe.
  void update(std::size_t fit, const FitState& state);
  void flush();  ///< writes at once; thread-safe

 private:
  void read(const std::string& path, const std::string& hint);
  void write();

  std::string path_;
  TrainingObserver* observer_;
  std::mutex mutex_;
  Checkpoint own_;
  std::chrono::steady_clock::time_point next_write_ = {};
  bool failure_reported_ = false, resumed_ = false;
};

}  // namespace alacarte
