#include "training_rows.hpp"

namespace alacarte::cli {
namespace {

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

}  // namespace

TrainingRows read_training_rows(const std::string& path, const DataConfig& config, const SplitOptions& split) {
  const auto reader = open_table(path, config);
  Schema::prepare(*reader, config);
  TableChunk table = read_all(*reader);
  TrainingRows result;
  result.file_rows = table.rows();
  const std::vector<bool> held_out = held_out_rows(split, table.rows());
  if (!held_out.empty()) table = keep_training(table, held_out);
  result.schema = Schema::learn(*reader, table, config, {});
  result.rows = result.schema.encode(*reader, table, true);
  return result;
}

}  // namespace alacarte::cli
