#include "alacarte/app/train_file.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/train/fit.hpp"
#include "core/pipes.hpp"
#include "core/ranks.hpp"
#include "core/spelling.hpp"
#include "data/sparse_dataset.hpp"
#include "memory.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

class FileTraining {
 public:
  FileTraining(const Recipe& recipe, const std::string& path, const TrainFileOptions& options, const Job& job)
      : recipe_(recipe), path_(path), options_(options), job_(job) {
    fit_options_.seed = options.seed;
    fit_options_.threads = job.threads;
    fit_options_.observer = job.observer;
    fit_options_.interrupt = job.interrupt;
    fit_options_.checkpoint_path = options.checkpoint;
    fit_options_.resume = options.resume;
    fit_options_.repeat = options.repeat;
    fit_options_.start_from = options.start_from;
    fit_options_.start_name = options.start_name;
    // The default limit is the machine's memory: training more slowly is better than being killed.
    fit_options_.memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : available_memory();
    // All ranks must plan the same.
    if (options.memory_bytes <= 0) fit_options_.memory_bytes /= ranks::on_this_machine();
    fit_options_.memory_bytes = ranks::minimum(fit_options_.memory_bytes);
    fit_options_.threads = static_cast<int>(ranks::minimum(job.threads));
  }

  TrainedFile run() const {
    if (takes_parts(path_)) return from_parts();
    const bool is_libsvm = is_libsvm_file(path_);
    if (is_libsvm && takes_sparse_rows(recipe_))
      return train(load_sparse_rows(path_, recipe_.data, options_.split, fit_options_.memory_bytes, job_));
    if (is_libsvm) mention_sparse_rows();
    if (auto trained = from_memory()) return std::move(*trained);
    return from_disk();
  }

 private:
  TrainedFile from_parts() const {
    const auto open = [&](bool in_memory) {
      return open_training_parts(path_, recipe_.data, options_.split, fit_options_.memory_bytes, in_memory);
    };
    try {
      if (auto data = open(true)) return train(std::move(*data));
    } catch (const MemoryLimitError&) {  // read from the files in every pass
    }
    return train(*open(false));
  }

  /// Returns nullopt if rows and training do not fit in memory together.
  std::optional<TrainedFile> from_memory() const {
    auto data = load_training_rows(path_, recipe_.data, options_.split, fit_options_.memory_bytes, job_);
    if (!data) return std::nullopt;
    try {
      return train(std::move(*data));
    } catch (const MemoryLimitError&) {
      if (is_stream(path_)) throw;  // cannot be read again
    }
    return std::nullopt;
  }

  TrainedFile from_disk() const {
    const bool to_store = !is_rows_file(path_);
    if (is_stream(path_))
      throw DataError(path_ == "-" ? "standard input" : path_,
                      "does not fit the memory, and cannot be read twice; write it to a file");
    if (to_store)
      job_.message("rows and training do not fit the memory together: converting the rows to a temporary file in " +
                   options_.cache_dir);
    EncodedFile data = store_training_rows(path_, recipe_.data, options_.split, options_.cache_dir, job_);
    if (to_store && job_.observer != nullptr) job_.observer->on_rows_stored(data.rows->rows());
    return train(std::move(data));
  }

  TrainedFile train(EncodedFile data) const {
    job_.stop_if_interrupted();
    if (job_.observer != nullptr)
      job_.observer->on_training_rows(data.rows->rows(), data.file_rows, data.held_out, data.schema.target_name());
    mention_text_columns(data.schema);
    FitOptions options = fit_options_;
    options.seconds_before = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return {fit(recipe_, data.schema, std::move(data.rows), options), data.file_rows};
  }

  void mention_text_columns(const Schema& schema) const {
    std::string columns;
    for (const InputColumn& input : schema.input_columns())
      if (input.found)
        columns += fmt::format("{}{} ({})", columns.empty() ? "" : ", ", one_line(input.name), input.categories.size());
    if (!columns.empty()) job_.message("columns of text, coded one-hot (values): " + columns);
  }

  void mention_sparse_rows() const {
    Recipe unscaled = recipe_;
    unscaled.scale_inputs = Scaling::none;
    if (takes_sparse_rows(unscaled))
      job_.message(
          "the rows become dense, since their inputs are scaled; with --set '/scale/inputs=\"none\"' they stay sparse");
  }

  const Recipe& recipe_;
  const std::string& path_;
  const TrainFileOptions& options_;
  const Job& job_;
  FitOptions fit_options_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

TrainedFile train_from_file(const Recipe& recipe, const std::string& path, const TrainFileOptions& options,
                            const Job& job) {
  try {
    TrainedFile trained = FileTraining(recipe, path, options, job).run();
    trained.model.training["data"] = path;
    if (options.split.given()) trained.model.training["held_out"] = to_json(options.split, trained.file_rows);
    return trained;
  } catch (const NumericalError&) {
    job.stop_if_interrupted();  // too early for any model
    throw;
  }
}

}  // namespace alacarte
