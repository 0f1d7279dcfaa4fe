#include "fit_checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/pipes.hpp"
#include "alacarte/data/fingerprint.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

// One line with the sum of the document that follows.
constexpr const char* kHeader = "alacarte checkpoint 2 ";
constexpr std::chrono::seconds kWriteEvery{1};
constexpr int kMaxShare = 20;  // writing takes at most one part in so many

std::string read_checkpoint(const std::string& path) {
  if (is_stream(path)) throw IoError(path, "a checkpoint is a file, not a pipe or device");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream stream;
  if (file && file.peek() == std::ifstream::traits_type::eof() && !file.bad())
    throw IoError(path, "the checkpoint is empty; remove it to begin anew");
  if (!file || !(stream << file.rdbuf())) throw IoError(path, "the checkpoint cannot be read");
  return stream.str();
}

Json read_json(const std::string& path) {
  const std::string text = FitContext::text_of_first([&] { return read_checkpoint(path); });
  const auto line = text.find('\n');
  if (line == std::string::npos || text.substr(0, line) != kHeader + text_sha256(text.substr(line + 1)))
    throw IoError(path, "the checkpoint is damaged, or of another version of alacarte; remove it to begin anew");
  try {
    return parse_json(text.substr(line + 1), "checkpoint");
  } catch (const ConfigError& error) {
    throw IoError(path, error.what());
  }
}

}  // namespace

void require_no_checkpoint(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > 0)
    throw IoError(path, "a checkpoint is there already: go on from it with --resume, or remove it");
}

FitCheckpoint::FitCheckpoint(const Recipe& recipe, const std::string& data_sha256, const Json& started,
                             const FitOptions& options, std::size_t fit_count)
    : path_(options.checkpoint_path), observer_(options.observer), states_(fit_count), minibatches_(fit_count) {
  if (path_.empty()) return;
  identity_ = {{"recipe", to_json(recipe, model_infos())}, {"seed", options.seed}, {"data_sha256", data_sha256}};
  if (!started.is_null()) identity_["started_from"] = started.at("sha256");
  if (!options.resume && FitContext::is_first()) require_no_checkpoint(path_);
  // The first rank reads and writes the checkpoint; the folder may be its machine's own.
  resumed_ = options.resume && FitContext::of_first(std::filesystem::exists(path_) ? 1 : 0) > 0;
  // Under a clock rows and subsamples are chosen by the threads and the memory.
  if (resumed_)
    read(path_, recipe.training.seconds > 0
                    ? "; with --seconds, go on with the --threads and --memory-limit of the first run"
                    : "");
}

void FitCheckpoint::read(const std::string& path, const std::string& hint) {
  const Json json = read_json(path);
  try {
    const auto refuse = [&](const char* key, const std::string& what) {
      if (json.at(key) != identity_.at(key)) throw IoError(path, "the checkpoint belongs to another " + what);
    };
    refuse("recipe", "recipe" + hint);
    refuse("seed", "seed");
    refuse("data_sha256", "training set" + hint);
    if (json.value("started_from", Json()) != identity_.value("started_from", Json()))
      throw IoError(path, "the checkpoint belongs to a training that began elsewhere (--from)");
    if (json.at("fits").size() != states_.size()) throw IoError(path, "the checkpoint holds another number of fits");
    if (const Json& center = json.at("noise_center"); !center.is_null()) {
      const auto scales = center.at("lengthscale").get<std::vector<double>>();
      noise_center_ = NoiseCenter{center.at("value").get<double>(), center.at("from").get<std::string>(),
                                  Eigen::Map<const Vector>(scales.data(), static_cast<Index>(scales.size()))};
      const auto more = center.value("more", std::vector<double>());
      noise_center_->more = Eigen::Map<const Vector>(more.data(), static_cast<Index>(more.size()));
    }
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (!json.at("fits").at(i).is_null()) states_[i] = fit_state_from_json(json.at("fits").at(i));
    if (const Json kept = json.value("minibatches", Json()); kept.size() == minibatches_.size())
      minibatches_ = kept.get<std::vector<Json>>();
  } catch (const Json::exception& error) {
    throw IoError(path, "malformed checkpoint: " + short_message(error));
  }
}

void FitCheckpoint::keep_minibatches(std::size_t fit, nlohmann::json result) {
  const std::lock_guard lock(mutex_);
  minibatches_[fit] = std::move(result);
}

void FitCheckpoint::update(std::size_t fit, const FitState& state) {
  if (path_.empty()) return;
  const std::lock_guard lock(mutex_);
  states_[fit] = state;
  if (std::chrono::steady_clock::now() >= next_write_) write();
}

void FitCheckpoint::flush() {
  if (path_.empty()) return;
  const std::lock_guard lock(mutex_);
  write();
}

void FitCheckpoint::write() {
  if (!FitContext::is_first()) return;
  const auto began = std::chrono::steady_clock::now();
  Json json = identity_;
  json["noise_center"] = nullptr;
  if (noise_center_)
    json["noise_center"] = {
        {"value", noise_center_->value},
        {"from", noise_center_->from},
        {"lengthscale", std::vector<double>(noise_center_->lengthscale.begin(), noise_center_->lengthscale.end())},
        {"more", std::vector<double>(noise_center_->more.begin(), noise_center_->more.end())}};
  json["fits"] = Json::array();
  for (const auto& state : states_) json["fits"].push_back(state ? to_json(*state) : Json(nullptr));
  json["minibatches"] = minibatches_;
  try {
    AtomicFile file(path_);
    const std::string text = json.dump();
    file.stream() << kHeader << text_sha256(text) << '\n' << text;
    file.commit();
  } catch (const IoError& error) {
    // A failed checkpoint does not end the training.
    if (observer_ != nullptr && !failure_reported_)
      observer_->on_warning(std::string("no checkpoint: ") + error.what());
    failure_reported_ = true;
  }
  const auto now = std::chrono::steady_clock::now();
  next_write_ = now + std::max<std::chrono::steady_clock::duration>(kWriteEvery, kMaxShare * (now - began));
}

}  // namespace alacarte
