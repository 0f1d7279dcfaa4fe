#include "alacarte/app/train_file.hpp"

#include <fmt/format.h>
#include <chrono>

#include "alacarte/data/rows_file.hpp"
#include "alacarte/train/fit.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "data/sparse_dataset.hpp"
#include "fit_options.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

/// A way to hold the rows of a file for training; nothing if they do not fit the memory so.
using OpenRows = std::function<std::optional<EncodedFile>()>;

/// A data file to be trained on.
struct TrainingFile {
  const Recipe& recipe;
  const std::string& path;
  const TrainFileOptions& options;
  const Job& job;
  double memory_bytes;

  /// Returns the ways to hold its rows, the fastest first.
  std::vector<OpenRows> ways_to_open() const {
    if (takes_parts(path)) return {[this] { return parts(true); }, [this] { return parts(false); }};
    const bool is_libsvm = is_libsvm_file(path);
    if (is_libsvm && takes_sparse_rows(recipe)) return {[this] { return sparse(); }};
    if (is_libsvm) mention_sparse_rows();
    return {[this] { return in_memory(); }, [this] { return on_disk(); }};
  }

  void announce(const EncodedFile& data) const {
    job.stop_if_interrupted();
    if (job.observer != nullptr)
      job.observer->on_training_rows(data.rows->rows(), data.file_rows, data.held_out, data.schema.target_name());
    std::string columns;
    for (const InputColumn& input : data.schema.input_columns())
      if (input.found)
        columns += fmt::format("{}{} ({})", columns.empty() ? "" : ", ", one_line(input.name), input.categories.size());
    if (!columns.empty()) job.message("columns of text, coded one-hot (values): " + columns);
  }

 private:
  std::optional<EncodedFile> parts(bool in_memory) const {
    return open_training_parts(path, recipe.data, options.split, memory_bytes, in_memory);
  }
  std::optional<EncodedFile> sparse() const {
    return load_sparse_rows(path, recipe.data, options.split, memory_bytes, job);
  }
  std::optional<EncodedFile> in_memory() const {
    return load_training_rows(path, recipe.data, options.split, memory_bytes, job);
  }
  std::optional<EncodedFile> on_disk() const {
    const bool to_store = !is_rows_file(path);
    if (is_stream(path))
      throw DataError(path == "-" ? "standard input" : path,
                      "does not fit the memory, and cannot be read twice; write it to a file");
    if (to_store)
      job.message("rows and training do not fit the memory together: converting the rows to a temporary file in " +
                  options.cache_dir);
    EncodedFile data = store_training_rows(path, recipe.data, options.split, options.cache_dir, job);
    if (to_store && job.observer != nullptr) job.observer->on_rows_stored(data.rows->rows());
    return data;
  }

  void mention_sparse_rows() const {
    Recipe unscaled = recipe;
    unscaled.scale_inputs = Scaling::none;
    if (takes_sparse_rows(unscaled))
      job.message(
          "the rows become dense, since their inputs are scaled; with --set '/scale/inputs=\"none\"' they stay sparse");
  }
};

}  // namespace

TrainedFile train_from_file(const Recipe& recipe, const std::string& path, const TrainFileOptions& options,
                            const Job& job) {
  const auto began = std::chrono::steady_clock::now();
  FitOptions how = fit_options(options, job);
  const TrainingFile file{recipe, path, options, job, how.memory_bytes};
  const std::vector<OpenRows> ways = file.ways_to_open();
  for (std::size_t k = 0; k < ways.size(); ++k) try {
      std::optional<EncodedFile> data = ways[k]();
      if (!data) continue;
      file.announce(*data);
      how.seconds_before = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      TrainedFile trained{fit(recipe, data->schema, std::move(data->rows), how), data->file_rows};
      trained.model.training.data = path;
      trained.model.training.held_out = record_of(options.split, trained.file_rows);
      return trained;
    } catch (const MemoryLimitError&) {  // the next way takes less memory
      if (k + 1 == ways.size() || is_stream(path)) throw;
    } catch (const NumericalError&) {
      job.stop_if_interrupted();  // too early for any model
      throw;
    }
  throw std::logic_error("train_from_file: the last way to hold rows always holds them");
}

}  // namespace alacarte
