#pragma once
// The state of a training in one file, written at most once a second: a line with the SHA-256 sum of what follows, then
// one JSON document.
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "alacarte/train/fit.hpp"
#include "optimise/trainer.hpp"
#include "train/noise_center.hpp"

namespace alacarte {

class FitCheckpoint {
 public:
  /// An empty path makes every call do nothing. With options.resume, reads the file if it is there and throws IoError
  /// when it is damaged or naming what differs: recipe, seed, data, start or number of fits. Without, throws IoError if
  /// the file is there. started: ModelStart::record(), or null.
  FitCheckpoint(const Recipe& recipe, const std::string& data_sha256, const nlohmann::json& started,
                const FitOptions& options, std::size_t fit_count);

  bool resumed() const { return resumed_; }  ///< whether a file was there to go on from

  const std::optional<NoiseCenter>& noise_center() const { return noise_center_; }
  void set_noise_center(const NoiseCenter& center) { noise_center_ = center; }

  /// nullptr when the fit has not begun.
  const FitState* state(std::size_t fit) const { return states_[fit] ? &*states_[fit] : nullptr; }

  /// What minibatches came to, beside the state; null where the fit has none.
  const nlohmann::json& minibatches(std::size_t fit) const { return minibatches_[fit]; }
  void keep_minibatches(std::size_t fit, nlohmann::json result);  ///< written with the next state; thread-safe

  /// Thread-safe; written to the file if the last write is a second old, or longer if that took long.
  void update(std::size_t fit, const FitState& state);
  void flush();  ///< writes at once; thread-safe

 private:
  void read(const std::string& path, const std::string& hint);
  void write();

  std::string path_;
  TrainingObserver* observer_;
  nlohmann::json identity_;
  std::mutex mutex_;
  std::optional<NoiseCenter> noise_center_;
  std::vector<std::optional<FitState>> states_;
  std::vector<nlohmann::json> minibatches_;
  std::chrono::steady_clock::time_point next_write_ = {};
  bool failure_reported_ = false, resumed_ = false;
};

}  // namespace alacarte
