#include "alacarte/app/train_file.hpp"

#include <fmt/format.h>
#include <chrono>
#include <iterator>

#include "alacarte/data/rows_file.hpp"
#include "alacarte/train/fit.hpp"
#include "app/quantities.hpp"
#include "core/kernel_keys.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "data/column_splits.hpp"
#include "data/row_parts.hpp"
#include "data/sparse_dataset.hpp"
#include "optimise/fit_context.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

/// Returns the options that fit() takes. Threads and memory are the smallest of all ranks, so that all plan alike; the
/// default memory limit is the machine's memory, shared among the ranks on it, because training more slowly is better
/// than being killed. All ranks call it together.
FitOptions fit_options(const TrainFileOptions& options, const Job& job) {
  FitOptions how;
  how.seed = options.seed;
  how.threads = static_cast<int>(FitContext::least(job.threads));
  how.observer = job.observer;
  how.interrupt = job.interrupt;
  how.checkpoint_path = options.checkpoint;
  how.resume = options.resume;
  how.repeat = options.repeat;
  how.start_from = options.start_from;
  how.start_name = options.start_name;
  how.memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : available_memory() / FitContext::ranks_here();
  how.memory_bytes = FitContext::least(how.memory_bytes);
  return how;
}

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
    if (job.observer != nullptr) {
      job.observer->on_training_rows(data.rows->rows(), data.file_rows, data.held_out, data.schema.target_name());
      job.observer->on_columns(data.schema);
    }
    std::string columns;
    for (const InputColumn& input : data.schema.input_columns())
      if (input.found && data.schema.config().strict)
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

constexpr Index kReadRows = 20000;

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == ',')
      parts.emplace_back();
    else
      parts.back() += character;
  }
  return parts;
}

/// Rows of several targets, and a schema for each.
struct TargetRows {
  std::vector<Schema> schemas;
  Dataset rows;
  SplitColumns columns = {};
  Index file_rows = 0, held_out = 0;
  bool alike = true;  // true if no row has only some of the targets
};

/// Throws MemoryLimitError if rows of several targets, which stay in memory, are too many.
void require_memory(const TableReader& reader, const DataConfig& config, double rows, double inputs, double max_bytes) {
  const double bytes = table_bytes(reader, config, rows, inputs, 2);  // rows of the first target, and of one more
  if (bytes > limit_of_rows(max_bytes)) throw MemoryLimitError(max_bytes, bytes + kProgramBytes);
}

std::vector<bool> marked(const std::vector<Index>& rows, Index count) {
  std::vector<bool> mask(static_cast<std::size_t>(count), false);
  for (const Index row : rows) mask[static_cast<std::size_t>(row)] = true;
  return mask;
}

/// Learns the schemas of the considered rows; returns the rows that are complete in all targets, increasing.
std::vector<Index> learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                         const std::vector<std::string>& targets, const std::vector<bool>& considered, double max_bytes,
                         TargetRows& result) {
  std::vector<Index> complete;
  result.schemas.clear();
  result.alike = true;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    result.schemas.push_back(Schema::learn(reader, table, config_of_target(config, targets, t), considered));
    require_memory(reader, config, static_cast<double>(table.rows()),
                   static_cast<double>(result.schemas.back().input_count()), max_bytes);  // encoded categories are wide
    Dataset own = result.schemas.back().encode(reader, table, true, considered);
    const std::vector<Index> rows = own.source_rows;
    if (t == 0) {
      complete = rows;
      result.rows = std::move(own);
      result.rows.more_targets.resize(result.rows.rows(), static_cast<Index>(targets.size()) - 1);
      continue;
    }
    if (rows == complete && result.alike) {
      result.rows.more_targets.col(static_cast<Index>(t) - 1) = own.target;
      continue;
    }
    result.alike = false;
    std::vector<Index> both;
    std::set_intersection(complete.begin(), complete.end(), rows.begin(), rows.end(), std::back_inserter(both));
    complete = std::move(both);
  }
  return complete;
}

TargetRows load_target_rows(const std::string& path, const DataConfig& config, const std::vector<std::string>& targets,
                            const TrainFileOptions& options, double max_bytes, const Job& job) {
  DataConfig all = config;
  if (!all.inputs.empty()) all.inputs.insert(all.inputs.end(), targets.begin() + 1, targets.end());
  all.target = targets.front();
  const SplitColumns split_columns = read_split_columns(path, config);
  const auto reader = open_table(path, all);
  for (const std::string& target : targets) {  // checks that each target exists
    DataConfig one = config;
    one.target = target;
    Schema::prepare(*reader, one);
  }
  Schema::prepare(*reader, all);
  const double columns = static_cast<double>(reader->columns().size());
  const TableChunk table = read_table(*reader, [&](Index read) {
    job.stop_if_interrupted();
    const double share = read >= kReadRows ? reader->share_read() : -1;
    const double rows = share > 0 ? static_cast<double>(read) / share : static_cast<double>(read);
    require_memory(*reader, all, rows, columns - static_cast<double>(targets.size()), max_bytes);
  });
  TargetRows result;
  result.file_rows = table.rows();
  std::vector<bool> considered = left_out_rows(options.split, table.rows(), {}, split_columns);
  result.held_out = std::count(considered.begin(), considered.end(), true);
  considered.flip();
  const std::vector<Index> complete = learn(*reader, table, config, targets, considered, max_bytes, result);
  if (complete.empty()) throw DataError(path, "no row has all the targets");
  // A row that lacks a target is left out of all, so that they have the same inputs and scales.
  if (!result.alike) learn(*reader, table, config, targets, marked(complete, table.rows()), max_bytes, result);
  result.columns = split_columns.of_rows(result.rows.source_rows);
  return result;
}

void check_recipe(const Recipe& recipe, const std::string& path, const TrainFileOptions& options) {
  if (recipe.data.labels) throw ConfigError("/data/target", "several targets are numbers or counts, not classes");
  if (!recipe.data.noise_sd.empty())
    throw ConfigError("/data/noise_sd", "is in the unit of one target, and there are several");
  if (recipe.noise.sd > 0)
    throw ConfigError("/noise/sd", "is in the unit of one target, and there are several; leave it out");
  if (const std::string place = first_amplitude(recipe); !place.empty())
    throw ConfigError(place, "is in the unit of one target, and there are several; leave it out");
  if (is_rows_file(path)) throw DataError(path, "a rows file has one target; give the table");
  if (is_libsvm_file(path)) throw DataError(path, "a LIBSVM file has one target");
  if (options.repeat != nullptr) throw ConfigError("--repeat", "is for one target");
  if (options.start_from != nullptr) throw ConfigError("--from", "is for one target");
  if (recipe.targets == TargetSharing::independent && !options.checkpoint.empty())
    throw ConfigError("--checkpoint", "is of one training, and independent targets have one each");
}

std::vector<FittedModel> fit_independent(const Recipe& recipe, const TargetRows& data, const FitOptions& options,
                                         const Job& job) {
  std::vector<FittedModel> models;
  const auto count = static_cast<double>(data.schemas.size());
  for (std::size_t t = 0; t < data.schemas.size(); ++t) {
    if (t == 0) job.stop_if_interrupted();  // later targets take one evaluation each, so that all have a model
    job.message(fmt::format("target {} of {}: {}", t + 1, data.schemas.size(), data.schemas[t].target_name()));
    Dataset own = data.rows;
    if (t > 0) own.target = data.rows.more_targets.col(static_cast<Index>(t) - 1);
    own.more_targets.resize(0, 0);
    Recipe one = recipe;
    one.data = data.schemas[t].config();
    one.targets = TargetSharing::shared;
    one.training.seconds = seconds_of_each(recipe.training.seconds, options.seconds_before, count);
    FitOptions how = options;
    how.seconds_before = 0;
    models.push_back(fit(one, data.schemas[t], std::move(own), how));
  }
  return models;
}

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
      how.columns = data->columns;
      TrainedFile trained{fit(recipe, data->schema, std::move(data->rows), how), data->file_rows};
      trained.model.training.data = path;
      trained.model.training.held_out = record_of(options.split, trained.file_rows, recipe.data);
      return trained;
    } catch (const MemoryLimitError&) {  // the next way takes less memory
      if (k + 1 == ways.size() || is_stream(path)) throw;
    } catch (const NumericalError&) {
      job.stop_if_interrupted();  // too early for any model
      throw;
    }
  throw std::logic_error("train_from_file: the last way to hold rows always holds them");
}

DataConfig config_of_target(const DataConfig& config, const std::vector<std::string>& targets, std::size_t t) {
  DataConfig own = config;
  own.target = targets[t];
  for (std::size_t other = 0; other < targets.size(); ++other)
    if (other != t) own.ignore.push_back(targets[other]);
  return own;
}

std::vector<std::string> target_columns(const std::string& path, const DataConfig& config) {
  if (config.target.find(',') == std::string::npos) return {config.target};
  const std::vector<std::string> targets = split_at_commas(config.target);
  if (!is_stream(path) && !is_pattern(path) && !is_rows_file(path)) {
    DataConfig plain = config;
    plain.target.clear();
    const auto reader = open_table(path, plain);
    const auto& columns = reader->columns();
    if (std::find(columns.begin(), columns.end(), config.target) != columns.end()) return {config.target};
  }
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].empty()) throw ConfigError("/data/target", "'" + config.target + "' has a name of no letters");
    if (std::find(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(t), targets[t]) !=
        targets.begin() + static_cast<std::ptrdiff_t>(t))
      throw ConfigError("/data/target", "'" + targets[t] + "' is named twice");
  }
  return targets;
}

std::vector<FittedModel> train_targets_from_file(const Recipe& recipe, const std::vector<std::string>& targets,
                                                 const std::string& path, const TrainFileOptions& options,
                                                 const Job& job) {
  const auto began = std::chrono::steady_clock::now();
  check_recipe(recipe, path, options);
  FitOptions how = fit_options(options, job);
  TargetRows data = load_target_rows(path, recipe.data, targets, options, how.memory_bytes, job);
  if (job.observer != nullptr)
    job.observer->on_training_rows(data.rows.rows(), data.file_rows, data.held_out, recipe.data.target);
  if (job.observer != nullptr) job.observer->on_columns(data.schemas.front());
  how.seconds_before = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  how.columns = std::move(data.columns);
  std::vector<FittedModel> models;
  if (recipe.targets == TargetSharing::independent) {
    models = fit_independent(recipe, data, how, job);
  } else {
    Recipe shared = recipe;
    shared.data = data.schemas.front().config();
    models = fit_targets(shared, data.schemas, std::move(data.rows), how);
  }
  for (FittedModel& model : models) {
    model.training.data = path;
    model.training.held_out = record_of(options.split, data.file_rows, recipe.data);
  }
  return models;
}

FittedModel update_from_file(const FittedModel& model, const std::string& path, UpdateOptions options, const Job& job) {
  constexpr Index kLearnedRows = 4096;  // rows per chunk; sums are added by chunk, so it affects their rounding
  options.threads = job.threads;
  if (options.data.empty()) options.data = path;
  ModelUpdate update(model, options);
  DatasetStream stream(path, model.schema, true);
  Dataset chunk;
  Index rows = 0;
  while (stream.next(chunk, kLearnedRows)) {
    job.report_rows("learning", -1, rows);
    if (model.schema.has_weights() && chunk.weights.size() == 0)
      throw DataError(path, "the column '" + model.schema.config().weights +
                                "' with the weights of rows is missing; 1 is that of a row that counts once");
    update.add(chunk);
    rows += chunk.rows();
  }
  if (rows == 0) throw DataError(path, "there are no rows to learn");
  job.stop_if_interrupted();
  return update.finish();
}

}  // namespace alacarte
