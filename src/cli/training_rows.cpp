#include "training_rows.hpp"

#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "alacarte/core/error.hpp"
#include "alacarte/data/convert.hpp"
#include "alacarte/data/splits.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/train/fit.hpp"
#include "log.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

// What a reader's buffer is ahead of its rows makes the first estimates poor.
constexpr Index kTellingRows = 20000;

struct TooLarge {};

using Classes = std::function<std::vector<Index>()>;

/// The table beside its encoded rows; and one integer a row.
double memory_of(double rows, double columns) { return 8 * rows * (2 * columns + 1); }

/// The rows that are not held out. Cells the model will never see must not be able to fail its encoding.
TableChunk keep_training(const TableChunk& table, const std::vector<bool>& held_out) {
  std::vector<Index> kept;
  for (Index i = 0; i < table.rows(); ++i) {
    if (!held_out[static_cast<std::size_t>(i)]) kept.push_back(i);
  }
  TableChunk result;
  result.first_row = table.first_row;
  result.numbers = table.numbers(kept, Eigen::all);
  result.text.resize(table.text.size());
  for (std::size_t column = 0; column < table.text.size(); ++column) {
    if (table.text[column].empty()) continue;
    for (const Index i : kept) result.text[column].push_back(table.text[column][static_cast<std::size_t>(i)]);
  }
  if (!table.line_numbers.empty()) {
    for (const Index i : kept) result.line_numbers.push_back(table.line_numbers[static_cast<std::size_t>(i)]);
  }
  return result;
}

/// What was freed while reading must not count against the training.
void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

TrainingRows load_table(const std::string& path, const DataConfig& config, const SplitOptions& split,
                        double most_bytes) {
  const auto reader = open_table(path, config);
  Schema::prepare(*reader, config);
  const double columns = static_cast<double>(reader->columns().size());
  const auto watch = [&](Index read) {
    stop_if_interrupted();
    const double share = read >= kTellingRows ? reader->share_read() : -1;
    const double expected = share > 0 ? static_cast<double>(read) / share : static_cast<double>(read);
    if (most_bytes > 0 && memory_of(expected, columns) > most_bytes) throw TooLarge();
  };
  TableChunk table = read_all(*reader, watch);
  TrainingRows result;
  result.file_rows = table.rows();
  const auto classes = [&] { return classes_of(*reader, table, config); };
  const std::vector<bool> held_out = held_out_rows(split, table.rows(), config.labels ? classes : Classes());
  if (!held_out.empty()) table = keep_training(table, held_out);
  result.schema = Schema::learn(*reader, table, config, {});
  result.rows = result.schema.encode(*reader, table, true);
  return result;
}

/// Data options of a recipe that are given must be those the rows were made with.
void check_options(const RowsFile& file, const DataConfig& config) {
  DataConfig asked = config;
  const DataConfig& made = file.schema().config();
  const bool same_target =
      asked.target.empty() || asked.target == made.target || asked.target == file.schema().target_name();
  DataConfig nothing_asked;
  asked.target = nothing_asked.target = made.target;
  nothing_asked.labels = asked.labels;
  if (asked.labels != made.labels)
    throw DataError(file.path(), asked.labels ? "was made without labels; convert the table again with --recipe"
                                              : "was made with labels, and this recipe learns a number");
  if (same_target && (asked == made || asked == nothing_asked)) return;
  throw ConfigError(same_target ? "/data" : "/data/target",
                    file.path() + " was made with other data options: its target is '" + file.schema().target_name() +
                        "'; convert the table again with these");
}

StoredTrainingRows open_rows(const std::string& path, const DataConfig& config, const SplitOptions& split) {
  auto file = std::make_unique<RowsFile>(path);
  check_options(*file, config);
  StoredTrainingRows result{file->schema(), nullptr, file->table_rows()};
  const auto classes = [&] { return read_classes(path, config); };
  std::vector<bool> held_out = held_out_rows(split, file->table_rows(), config.labels ? classes : Classes());
  if (held_out.empty()) {
    result.rows = std::move(file);
  } else {
    result.rows = std::make_unique<SelectedRows>(std::move(file), std::move(held_out));
  }
  return result;
}

}  // namespace

std::optional<TrainingRows> load_training_rows(const std::string& path, const DataConfig& config,
                                               const SplitOptions& split, double most_bytes) {
  if (is_rows_file(path)) {
    const StoredTrainingRows stored = open_rows(path, config, split);
    const double bytes =
        memory_of(static_cast<double>(stored.rows->rows()), static_cast<double>(stored.rows->inputs() + 1));
    if (most_bytes > 0 && bytes > most_bytes) return std::nullopt;
    return TrainingRows{stored.schema, load(*stored.rows), stored.file_rows};
  }
  std::optional<TrainingRows> result;
  try {
    result = load_table(path, config, split, most_bytes);
  } catch (const TooLarge&) {
  }
  give_back_memory();
  return result;
}

SparseTraining load_sparse_rows(const std::string& path, const DataConfig& config, const SplitOptions& split,
                                double most_bytes) {
  const auto watch = [&](Index rows, double bytes) {
    stop_if_interrupted();
    if (most_bytes > 0 && bytes > most_bytes) throw MemoryLimitError(most_bytes, bytes);
    if (live_line_possible()) show_live_line(fmt::format("reading  {} rows", rows));
  };
  const auto held_out = [&](const std::vector<Index>& classes) {
    const auto of_rows = [&] { return classes; };
    return held_out_rows(split, static_cast<Index>(classes.size()), config.labels ? of_rows : Classes());
  };
  SparseTraining training = load_sparse(path, config, held_out, watch);
  clear_live_line();
  give_back_memory();
  return training;
}

StoredTrainingRows store_training_rows(const std::string& path, const DataConfig& config, const SplitOptions& split,
                                       const std::string& folder) {
  if (is_rows_file(path)) return open_rows(path, config, split);
  if (path == "-")
    throw DataError("standard input", "does not fit the memory, and cannot be read twice; write it to a file");
  log_info(
      fmt::format("rows and training do not fit the memory together: converting the rows to a temporary file in {}",
                  one_line(folder)));
  Conversion conversion;
  conversion.folder = folder;
  const auto classes = [&] { return read_classes(path, config); };
  if (split.given())
    conversion.left_out = held_out_rows(split, count_rows(path, config), config.labels ? classes : Classes());
  conversion.progress = report_conversion;
  auto file = convert_table(path, config, conversion);
  clear_live_line();
  StoredTrainingRows result{file->schema(), nullptr, file->table_rows()};
  log_event("converted", {{"rows", file->rows()}}, fmt::format("converted {} rows", file->rows()));
  result.rows = std::move(file);
  return result;
}

void report_conversion(double share, Index rows) {
  stop_if_interrupted();
  if (!live_line_possible()) return;
  show_live_line(share < 0 ? fmt::format("converting  {} rows", rows)
                           : fmt::format("converting  {:.0f} %  {} rows", 100 * share, rows));
}

}  // namespace alacarte::cli
