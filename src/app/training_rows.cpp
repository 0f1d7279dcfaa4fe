#include "training_rows.hpp"

#include <fmt/format.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "alacarte/data/rows_file.hpp"
#include "alacarte/train/fit.hpp"  // MemoryLimitError, kProgramBytes
#include "app/part_files.hpp"
#include "data/changed_rows.hpp"
#include "data/column_splits.hpp"
#include "data/distributed_rows.hpp"
#include "data/row_parts.hpp"
#include "data/sparse_dataset.hpp"
#include "data/splits.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

// Rows to read before estimating; earlier estimates are poor, since the reader's buffer is ahead of its rows.
constexpr Index kSampleRows = 20000;

struct TooLarge {};

using ClassReader = std::function<std::vector<Index>()>;

/// Returns the bytes of the rows of a file, raw and standardised, with target and number.
double loaded_bytes(double rows, double inputs) { return 8 * rows * (2 * inputs + 3); }

EncodedFile load_table(const std::string& path, const DataConfig& config, const Split& split, double max_bytes,
                       const Job& job) {
  const SplitColumns columns = read_split_columns(path, config);
  const auto reader = open_table(path, config);
  Schema::prepare(*reader, config);
  const double limit = limit_of_rows(max_bytes);
  const auto need = [&](double rows, double inputs) {
    if (table_bytes(*reader, config, rows, inputs) > limit) throw TooLarge();
  };
  const auto watch = [&](Index read) {
    job.stop_if_interrupted();
    const double share = read >= kSampleRows ? reader->share_read() : -1;
    need(share > 0 ? static_cast<double>(read) / share : static_cast<double>(read),
         static_cast<double>(reader->columns().size()) - 1);
  };
  const TableChunk table = read_table(*reader, watch);
  EncodedFile result;
  result.file_rows = table.rows();
  const auto classes = [&] { return classes_of(*reader, table, config); };
  // Held-out cells must not be able to fail the encoding.
  std::vector<bool> training = left_out_rows(split, table.rows(), config.labels ? classes : ClassReader(), columns);
  result.held_out = std::count(training.begin(), training.end(), true);
  training.flip();
  result.schema = Schema::learn(*reader, table, config, training);
  // Encoded categories are wide, so the need is checked again.
  need(static_cast<double>(table.rows()), static_cast<double>(result.schema.input_count()));
  Dataset rows = result.schema.encode(*reader, table, true, training);
  result.columns = columns.of_rows(rows.source_rows);
  result.rows = std::move(rows);
  return result;
}

/// Throws if data options of a recipe differ from those the rows were made with; `file`: a RowsFile or RowParts.
template <class File>
void check_options(const File& file, const DataConfig& config) {
  DataConfig asked = config;
  const DataConfig& made = file.schema().config();
  const bool same_target =
      asked.target.empty() || asked.target == made.target || asked.target == file.schema().target_name();
  resolve_strictness(asked);
  DataConfig nothing_asked;
  asked.target = nothing_asked.target = made.target;
  // Settings that the table itself determined.
  asked.second_header = nothing_asked.second_header = made.second_header;
  if (asked.decimal == DecimalSign::automatic) asked.decimal = nothing_asked.decimal = made.decimal;
  nothing_asked.labels = asked.labels;
  if (asked.labels != made.labels)
    throw DataError(file.path(), asked.labels ? "was made without labels; convert the table again with --recipe"
                                              : "was made with labels, and this recipe learns a number");
  if (same_target && (asked == made || asked == nothing_asked)) return;
  throw ConfigError(same_target ? "/data" : "/data/target",
                    file.path() + " was made with other data options: its target is '" + file.schema().target_name() +
                        "'; convert the table again with these");
}

/// Returns the class of each row of the tables, gathered over ranks; -1 if it was dropped.
std::vector<Index> classes_of_parts(const RowParts& parts) {
  Vector places = Vector::Zero(parts.table_rows());
  Index first = 0;
  for_each_block(parts, [&](const RowBlock& block) {
    const auto rows = parts.source_rows(first, block.y.size());
    for (Index i = 0; i < block.y.size(); ++i) places[rows[static_cast<std::size_t>(i)]] = block.y[i] + 1;
    first += block.y.size();
  });
  FitContext::add_over_ranks(places);
  std::vector<Index> classes;
  for (const double place : places) classes.push_back(static_cast<Index>(place) - 1);
  return classes;
}

/// Returns this rank's rows of `parts` that a mask holds out, increasing.
std::vector<Index> own_left_out(const RowParts& parts, const std::vector<bool>& held_out) {
  constexpr Index kAtOnce = 1 << 16;
  std::vector<Index> places;
  for (Index first = 0; !held_out.empty() && first < parts.rows(); first += kAtOnce) {
    Index place = first;
    for (const Index source : parts.source_rows(first, std::min(kAtOnce, parts.rows() - first))) {
      if (held_out[static_cast<std::size_t>(source)]) places.push_back(place);
      ++place;
    }
  }
  return places;
}

EncodedFile open_rows(const std::string& path, const DataConfig& config, const Split& split) {
  read_split_columns(path, config);  // throws if there is one
  auto file = std::make_shared<RowsFile>(path);
  check_options(*file, config);
  const auto classes = [&] { return read_classes(path, config); };
  const std::vector<bool> held_out = held_out_rows(split, file->table_rows(), config.labels ? classes : ClassReader());
  EncodedFile result{file->schema(), file, file->table_rows()};
  result.held_out = std::count(held_out.begin(), held_out.end(), true);
  if (!held_out.empty()) result.rows = select_rows(file, held_out);
  return result;
}

/// Returns memory freed while reading to the system, so that it does not count against later steps.
void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

constexpr Index kRowsAtOnce = 4096;

}  // namespace

Dataset join_rows(const std::vector<Dataset>& chunks, Index count, Index inputs) {
  Dataset all;
  if (!chunks.empty() && chunks.front().is_sparse())
    all.sparse.width = inputs;
  else
    all.inputs.resize(count, inputs);
  if (!chunks.empty()) all.level_counts = chunks.front().level_counts;
  Index at = 0;
  for (const Dataset& chunk : chunks) {
    if (all.is_sparse())
      all.sparse.append(chunk.sparse.view());
    else
      all.inputs.middleRows(at, chunk.rows()) = chunk.inputs;
    if (chunk.target.size() > 0) {
      if (all.target.size() == 0) all.target = Vector::Constant(count, std::nan(""));
      all.target.segment(at, chunk.rows()) = chunk.target;
    }
    if (chunk.weights.size() > 0) {
      if (all.weights.size() == 0) all.weights = Vector::Ones(count);
      all.weights.segment(at, chunk.rows()) = chunk.weights;
    }
    if (chunk.offsets.size() > 0) {
      if (all.offsets.size() == 0) all.offsets = Vector::Zero(count);
      all.offsets.segment(at, chunk.rows()) = chunk.offsets;
    }
    all.keys.insert(all.keys.end(), chunk.keys.begin(), chunk.keys.end());
    all.unseen.insert(all.unseen.end(), chunk.unseen.begin(), chunk.unseen.end());
    all.source_rows.insert(all.source_rows.end(), chunk.source_rows.begin(), chunk.source_rows.end());
    at += chunk.rows();
  }
  return all;
}

TableChunk read_table(TableReader& reader, const std::function<void(Index rows)>& watch) {
  TableChunk table = read_all(reader, watch);
  give_back_memory();
  return table;
}

double limit_of_rows(double max_bytes) {
  return max_bytes > 0 ? std::max(1.0, max_bytes - kProgramBytes) : std::numeric_limits<double>::infinity();
}

double table_bytes(const TableReader& reader, const DataConfig& config, double rows, double inputs, double copies) {
  constexpr double kTextBytes = sizeof(std::string);  // bytes of a short text
  const auto columns = static_cast<Index>(reader.columns().size());
  Index text = 0;
  for (Index c = 0; c < columns; ++c) text += reader.kind(c) == ColumnKind::text;
  const double texts = (kTextBytes + 8) * static_cast<double>(text);  // including the numbers that replace them
  // Bytes per row: its numbers, texts and line.
  const double of_table = 8 * static_cast<double>(columns - text + 1) + texts;
  // Bytes per encoded row: inputs, target, weight, number and place in the table, key.
  const double encoded = 8 * (inputs + 4) + (config.key.empty() ? 0 : kTextBytes);
  // While the table is assembled, its chunks' texts coexist with it in small allocations; encoded rows come later.
  const double more_targets = 8 * (copies - 1);
  return rows * (of_table + std::max(texts, copies * encoded) + more_targets);
}

std::optional<EncodedFile> load_training_rows(const std::string& path, const DataConfig& config, const Split& split,
                                              double max_bytes, const Job& job) {
  std::optional<EncodedFile> result;
  if (is_rows_file(path)) {
    result = open_rows(path, config, split);
    const auto rows = static_cast<double>(result->rows->rows()), inputs = static_cast<double>(result->rows->inputs());
    if (loaded_bytes(rows, inputs) > limit_of_rows(max_bytes)) return std::nullopt;
    result->rows = load(*result->rows);
    return result;
  }
  try {
    result = load_table(path, config, split, max_bytes, job);
  } catch (const TooLarge&) {
  }
  give_back_memory();
  return result;
}

bool takes_parts(const std::string& path) { return !FitContext::is_alone() || is_pattern(path); }

std::optional<EncodedFile> open_training_parts(const std::string& path, const DataConfig& config, const Split& split,
                                               double max_bytes, bool in_memory) {
  if (!is_pattern(path) && !is_rows_file(path))
    throw DataError(path,
                    "is no rows file, which several processes can share; convert the table first (alacarte "
                    "convert)");
  read_split_columns(path, config);  // throws if there is one
  const auto parts =
      std::make_shared<const RowParts>(is_pattern(path) ? matching_files(path) : std::vector<std::string>{path});
  check_options(*parts, config);
  const auto classes = [&] { return classes_of_parts(*parts); };
  const std::vector<bool> held_out = held_out_rows(split, parts->table_rows(), config.labels ? classes : ClassReader());
  std::shared_ptr<RowSource> own = std::const_pointer_cast<RowParts>(parts);
  if (!held_out.empty()) own = rows_without(parts, own_left_out(*parts, held_out));
  const auto most = FitContext::largest(static_cast<double>(own->rows())), inputs = static_cast<double>(own->inputs());
  if (in_memory && loaded_bytes(most, inputs) > limit_of_rows(max_bytes)) return std::nullopt;
  if (in_memory) own = load(*own);
  EncodedFile result{parts->schema(), distribute(std::move(own)), parts->table_rows()};
  result.held_out = std::count(held_out.begin(), held_out.end(), true);
  if (!held_out.empty() && result.rows->rows() == 0) throw DataError(parts->path(), "no training row is left");
  return result;
}

EncodedFile load_sparse_rows(const std::string& path, const DataConfig& config, const Split& split, double max_bytes,
                             const Job& job) {
  const auto watch = [&](Index rows, double bytes) {
    if (max_bytes > 0 && bytes > max_bytes) throw MemoryLimitError(max_bytes, bytes);
    job.report_rows("reading", -1, rows);
  };
  const auto held_out = [&](const std::vector<Index>& classes) {
    const auto of_rows = [&] { return classes; };
    return held_out_rows(split, static_cast<Index>(classes.size()), config.labels ? of_rows : ClassReader());
  };
  EncodedFile training = load_sparse(path, config, held_out, watch);
  give_back_memory();
  training.held_out = training.file_rows - training.rows->rows();  // sparse rows are never dropped
  return training;
}

EncodedFile store_training_rows(const std::string& path, const DataConfig& config, const Split& split,
                                const std::string& folder, const Job& job) {
  if (is_rows_file(path)) return open_rows(path, config, split);
  Conversion conversion;
  conversion.folder = folder;
  const SplitColumns columns = read_split_columns(path, config);
  const auto classes = [&] { return read_classes(path, config); };
  if (split.given())
    conversion.left_out =
        left_out_rows(split, count_rows(path, config), config.labels ? classes : ClassReader(), columns);
  conversion.progress = [&](double share, Index rows) { job.report_rows("converting", share, rows); };
  const std::shared_ptr<RowsFile> file = convert_table(path, config, conversion);
  const auto& left_out = conversion.left_out;
  return {file->schema(), file, file->table_rows(), std::count(left_out.begin(), left_out.end(), true),
          columns.empty() ? columns : columns.of_rows(file->source_rows(0, file->rows()))};
}

Dataset read_all_rows(DatasetStream& stream, Index inputs, const std::function<void()>& between_chunks) {
  std::vector<Dataset> chunks;
  Index count = 0;
  for (Dataset chunk; stream.next(chunk, kRowsAtOnce); chunk = {}) {
    if (between_chunks) between_chunks();
    count += chunk.rows();
    chunks.push_back(std::move(chunk));
  }
  return join_rows(chunks, count, inputs);
}

std::vector<bool> held_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes,
                                const SplitColumns& columns) {
  const bool is_share = split.holdout > 0, is_folds = !is_share && split.folds > 0;
  if (!columns.groups.empty() && is_share) return group_hold_out(columns.groups, split.holdout, split.seed);
  if (!columns.groups.empty() && is_folds) return group_fold(columns.groups, split.folds, split.fold, split.seed);
  if (columns.times.size() > 0 && is_share) return time_hold_out(columns.times, split.holdout);
  if (columns.times.size() > 0 && is_folds) return time_fold(columns.times, split.folds, split.fold).test;
  if (classes && split.holdout > 0) return hold_out(classes(), split.holdout, split.seed);
  if (classes && split.folds > 0) return k_fold(classes(), split.folds, split.fold, split.seed);
  if (split.holdout > 0) return hold_out(rows, split.holdout, split.seed);
  if (split.folds > 0) return k_fold(rows, split.folds, split.fold, split.seed);
  if (!split.mask.empty()) return read_mask(split.mask, split.fold, rows);
  return {};
}

std::vector<bool> left_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes,
                                const SplitColumns& columns) {
  if (columns.times.size() == 0 || split.holdout > 0 || split.folds == 0)
    return held_out_rows(split, rows, classes, columns);
  std::vector<bool> left_out = time_fold(columns.times, split.folds, split.fold).train;
  left_out.flip();
  return left_out;
}

std::vector<bool> held_out_rows(const Split& split, const std::string& path, const Schema& schema,
                                Index expected_rows) {
  const std::vector<std::string> files = files_of(path);
  const Index rows = rows_before(files, schema).back();
  if (expected_rows > 0 && rows != expected_rows)
    throw DataError(path,
                    fmt::format("has {} rows, but the file the model was trained on had {}", rows, expected_rows));
  const auto classes = [&] {
    std::vector<Index> all;
    for (const std::string& file : files) {
      if (files.size() > 1 && !is_rows_file(file))
        throw DataError(file, "random splits of classes in several files need rows files; convert it first");
      const std::vector<Index> own = read_classes(file, schema.config());
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
  const SplitColumns columns = split.mask.empty() ? read_split_columns(path, schema.config()) : SplitColumns();
  return held_out_rows(split, rows, schema.config().labels ? classes : std::function<std::vector<Index>()>(), columns);
}

std::optional<SplitRecord> record_of(const Split& split, Index rows, const DataConfig& data) {
  SplitRecord record{.kind = "", .seed = split.seed, .rows = rows};
  if (!data.group.empty()) record.group = data.group;
  if (!data.time.empty()) record.time = data.time;
  if (split.holdout > 0) {
    record.kind = "holdout";
    record.share = split.holdout;
    return record;
  }
  if (split.folds > 0) {
    record.kind = "folds";
    record.folds = split.folds;
    record.fold = split.fold;
    return record;
  }
  if (split.mask.empty()) return std::nullopt;
  return SplitRecord{.kind = "mask", .fold = split.fold, .mask = split.mask, .rows = rows};
}

Split split_of(const SplitRecord& record) {
  Split split;
  split.fold = record.kind == "holdout" ? -1 : record.fold;
  split.folds = record.folds;
  split.holdout = record.share;
  split.mask = record.mask;
  split.seed = record.seed;
  if (!split.given()) throw IoError("model file", "the record of its held-out rows is malformed");
  return split;
}

}  // namespace alacarte
