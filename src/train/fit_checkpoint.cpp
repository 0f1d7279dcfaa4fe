#include "fit_checkpoint.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/atomic_file.hpp"
#include "core/pipes.hpp"
#include "data/fingerprint.hpp"
#include "io/documents.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

// Header: one line with the sum of the document below it.
constexpr const char* kHeader = "alacarte checkpoint 2 ";
constexpr std::chrono::seconds kWriteEvery{1};
constexpr int kMaxShare = 20;  // writing takes at most 1 / kMaxShare of the time

std::string read_checkpoint(const std::string& path) {
  if (is_stream(path)) throw IoError(path, "a checkpoint is a file, not a pipe or device");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream stream;
  if (file && file.peek() == std::ifstream::traits_type::eof() && !file.bad())
    throw IoError(path, "the checkpoint is empty; remove it to begin anew");
  if (!file || !(stream << file.rdbuf())) throw IoError(path, "the checkpoint cannot be read");
  return stream.str();
}

Checkpoint read_shared_checkpoint(const std::string& path) {
  const std::string text = FitContext::text_of_first([&] { return read_checkpoint(path); });
  const auto line = text.find('\n');
  if (line == std::string::npos || text.substr(0, line) != kHeader + text_sha256(text.substr(line + 1)))
    throw IoError(path, "the checkpoint is damaged, or of another version of alacarte; remove it to begin anew");
  return parse_checkpoint(text.substr(line + 1), path);
}

}  // namespace

void require_no_checkpoint(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > 0)
    throw IoError(path, "a checkpoint is there already: go on from it with --resume, or remove it");
}

FitCheckpoint::FitCheckpoint(const Recipe& recipe, const std::string& data_sha256,
                             const std::optional<StartRecord>& started, const FitOptions& options,
                             std::size_t fit_count)
    : path_(options.checkpoint_path), observer_(options.observer) {
  own_.fits.resize(fit_count);
  own_.minibatches.resize(fit_count);
  if (path_.empty()) return;
  own_.recipe = recipe_text(recipe);
  own_.seed = options.seed;
  own_.data_sha256 = data_sha256;
  if (started) own_.started_from = started->sha256;
  if (!options.resume && FitContext::is_first()) require_no_checkpoint(path_);
  // The first rank reads and writes the checkpoint; the folder may be its machine's own.
  resumed_ = options.resume && FitContext::of_first(std::filesystem::exists(path_) ? 1 : 0) > 0;
  // Under a clock, the threads and the memory determine rows and subsamples.
  if (resumed_)
    read(path_, recipe.training.seconds > 0
                    ? "; with --seconds, go on with the --threads and --memory-limit of the first run"
                    : "");
}

void FitCheckpoint::read(const std::string& path, const std::string& hint) {
  Checkpoint there = read_shared_checkpoint(path);
  const auto require_same = [&](bool same, const std::string& what) {
    if (!same) throw IoError(path, "the checkpoint belongs to another " + what);
  };
  require_same(there.recipe == own_.recipe, "recipe" + hint);
  require_same(there.seed == own_.seed, "seed");
  require_same(there.data_sha256 == own_.data_sha256, "training set" + hint);
  if (there.started_from != own_.started_from)
    throw IoError(path, "the checkpoint belongs to a training that began elsewhere (--from)");
  if (there.fits.size() != own_.fits.size()) throw IoError(path, "the checkpoint holds another number of fits");
  own_.noise_center = std::move(there.noise_center);
  own_.fits = std::move(there.fits);
  if (there.minibatches.size() == own_.minibatches.size()) own_.minibatches = std::move(there.minibatches);
}

void FitCheckpoint::keep_minibatches(std::size_t fit, const MinibatchRecord& result) {
  const std::lock_guard lock(mutex_);
  own_.minibatches[fit] = result;
}

void FitCheckpoint::update(std::size_t fit, const FitState& state) {
  if (path_.empty()) return;
  const std::lock_guard lock(mutex_);
  own_.fits[fit] = state;
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
  try {
    AtomicFile file(path_);
    const std::string text = checkpoint_text(own_);
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
