#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "alacarte/core/error.hpp"
#include "core/spelling.hpp"
#include "data/cells.hpp"
#include "sparse_dataset.hpp"

namespace alacarte {
namespace {

using data_detail::in_quotes;
using data_detail::is_missing_word;

bool is_gap(const TableChunk& chunk, Index place, bool categorical, Index row) {
  if (!categorical) return !std::isfinite(chunk.numbers(row, place));
  return is_missing_word(chunk.text[static_cast<std::size_t>(place)][static_cast<std::size_t>(row)]);
}

/// Throws unless the reader kept the text of this column, after prepare().
void check_prepared(const TableChunk& chunk, Index place) {
  require(static_cast<Index>(chunk.text[static_cast<std::size_t>(place)].size()) == chunk.rows(),
          "Schema: the reader was not prepared before it was read");
}

/// Returns a hint for tables of one column, most of which have another separator.
std::string one_column(const TableReader& reader) {
  return reader.columns().size() == 1 ? "; it was read as one column: are separator and decimal sign those of the "
                                        "training table?"
                                      : "";
}

}  // namespace

Schema::Places Schema::locate(const TableReader& reader) const {
  return has_names_ && reader.has_names() ? locate_by_name(reader) : locate_by_position(reader);
}

Schema::Places Schema::locate_by_name(const TableReader& reader) const {
  std::unordered_map<std::string, Index> columns;
  for (const std::string& name : reader.columns()) columns.emplace(name, static_cast<Index>(columns.size()));
  const auto place = [&](const std::string& name) {
    const auto found = columns.find(name);
    return found == columns.end() ? Index{-1} : found->second;
  };
  Places places;
  for (const InputColumn& input : inputs_) {
    places.inputs.push_back(place(input.name));
    if (places.inputs.back() < 0)
      throw DataError(reader.path(), "the model's input column " + in_quotes(input.name) + " is missing" +
                                         did_you_mean(input.name, reader.columns()) + one_column(reader));
  }
  places.target = place(target_name_);
  if (key_position_ >= 0) places.key = place(key_name_);
  if (has_weights()) places.weights = place(weights_name_);
  return places;
}

Schema::Places Schema::locate_by_position(const TableReader& reader) const {
  const auto count = static_cast<Index>(reader.columns().size());
  const auto needed = static_cast<Index>(inputs_.size());
  // A LIBSVM label is last even if the target of the training table was not.
  const bool label_moved = reader.label_last() && target_position_ != table_columns_ - 1;
  Places places;
  if (!label_moved && (count == table_columns_ || count == table_columns_ - 1)) {
    const bool with_target = count == table_columns_;
    const auto place = [&](Index position) { return position - (!with_target && position > target_position_ ? 1 : 0); };
    for (const InputColumn& input : inputs_) places.inputs.push_back(place(input.position));
    if (with_target) places.target = target_position_;
    if (key_position_ >= 0) places.key = place(key_position_);
    if (has_weights()) places.weights = place(weights_position_);
    return places;
  }
  if (count - (reader.label_last() ? 1 : 0) == needed) {
    for (Index i = 0; i < needed; ++i) places.inputs.push_back(i);
    if (reader.label_last()) places.target = count - 1;
    return places;
  }
  const std::string inputs_alone =
      needed == table_columns_ - 1 ? "" : ", or the model's " + std::to_string(needed) + " inputs alone";
  throw DataError(reader.path(),
                  "has " + std::to_string(count) + " columns; without names in both files it must have the " +
                      std::to_string(table_columns_) + " of the training table, " + std::to_string(table_columns_ - 1) +
                      " without the target " + in_quotes(target_name_) + inputs_alone + one_column(reader));
}

std::string Schema::remedy(const char* advice) const {
  return is_learning_ ? advice : "; correct the cell or leave the row out";
}

std::vector<Index> Schema::rows_to_keep(const TableReader& reader, const TableChunk& chunk, const Places& places,
                                        const std::vector<bool>& considered, bool need_target) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].categorical) check_prepared(chunk, places.inputs[i]);
  if (config_.labels && places.target >= 0) check_prepared(chunk, places.target);
  const bool drop = config_.missing == MissingCells::drop, fill = config_.missing == MissingCells::mean;
  const auto refuse = [&](Index row, Index place, const std::string& name, const std::string& advice) {
    throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(row)], place + 1,
                    in_quotes(name) + " is " + advice);
  };
  // A mean may replace a missing value, not a number that is too large.
  const auto is_infinite = [&](Index row, std::size_t i) {
    return !inputs_[i].categorical && std::isinf(chunk.numbers(row, places.inputs[i]));
  };
  std::vector<Index> rows;
  rows.reserve(static_cast<std::size_t>(chunk.rows()));
  for (Index row = 0; row < chunk.rows(); ++row) {
    if (!considered.empty() && !considered[static_cast<std::size_t>(row)]) continue;
    bool complete = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!is_gap(chunk, places.inputs[i], inputs_[i].categorical, row)) continue;
      if (!drop && is_infinite(row, i))
        refuse(row, places.inputs[i], inputs_[i].name,
               "infinite or beyond the range of a double" + remedy(" (data.missing can be \"drop\")"));
      if (!drop && !fill)
        refuse(row, places.inputs[i], inputs_[i].name,
               "missing" + remedy(" (data.missing can be \"drop\" or \"mean\")"));
      complete = complete && !drop;
    }
    if (need_target && is_gap(chunk, places.target, config_.labels, row)) {
      if (!drop)
        refuse(row, places.target, target_name_,
               "missing or not finite and is the target" + remedy(" (data.missing can be \"drop\")"));
      complete = false;
    }
    if (places.weights >= 0) complete = check_weight(reader, chunk, places.weights, row) && complete;
    if (complete) rows.push_back(row);
  }
  return rows;
}

bool Schema::reads_weights(bool need_target, RowWeights weights) const {
  return need_target || weights == RowWeights::all || (weights == RowWeights::known_noise && knows_noise());
}

bool Schema::check_weight(const TableReader& reader, const TableChunk& chunk, Index place, Index row) const {
  const double value = chunk.numbers(row, place);
  const auto refuse = [&](const std::string& advice) {
    throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(row)], place + 1,
                    in_quotes(weights_name_) + " is " + advice);
  };
  const char* part = knows_noise() ? "known noise" : "weight";
  if (std::isnan(value) && config_.missing != MissingCells::drop)
    refuse(std::string("missing and is the ") + part + remedy(" (data.missing can be \"drop\")"));
  if (knows_noise() && (value <= 0 || std::isinf(value)))
    refuse("a noise of " + data_detail::shortest(value) + "; known noise is a standard deviation above 0");
  if (const double precision = 1 / (value * value); knows_noise() && !std::isnan(value) && !std::isnormal(precision))
    refuse("a noise of " + data_detail::shortest(value) +
           "; its square, or one over it, is beyond the range of a double");
  if (value < 0 || std::isinf(value)) refuse("a weight of " + data_detail::shortest(value) + "; weights are 0 or more");
  return value > 0;
}

void Schema::encode_category(const TableReader& reader, const TableChunk& chunk, const InputColumn& input, Index place,
                             const std::vector<Index>& rows, MatRef indicators) const {
  indicators.setZero();
  const auto& cells = chunk.text[static_cast<std::size_t>(place)];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const auto found = std::lower_bound(input.categories.begin(), input.categories.end(), cells[row]);
    if (found != input.categories.end() && *found == cells[row]) {
      indicators(static_cast<Index>(i), found - input.categories.begin()) = 1;
    } else if (!is_missing_word(cells[row]) && config_.unseen == UnseenCategory::error) {
      throw DataError(reader.path(), chunk.line_numbers[row], place + 1,
                      in_quotes(cells[row]) + " is no category of " + in_quotes(input.name) + " in the training rows" +
                          did_you_mean(cells[row], input.categories) + remedy("") + " (or train with --unseen zero)");
    }
  }
}

double Schema::class_place(const std::string& label) const {
  const auto found = std::find(classes_.begin(), classes_.end(), label);
  return found == classes_.end() ? std::numeric_limits<double>::quiet_NaN()
                                 : static_cast<double>(found - classes_.begin());
}

Vector Schema::encode_target(const TableReader& reader, const TableChunk& chunk, Index place,
                             const std::vector<Index>& rows, bool need_target) const {
  if (!config_.labels) {
    const Vector own = chunk.numbers.col(place)(rows);
    return own.array().isFinite().select(own, std::numeric_limits<double>::quiet_NaN());
  }
  const auto& cells = chunk.text[static_cast<std::size_t>(place)];
  Vector target(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const std::string label = data_detail::label_of(cells[row]);
    const double class_of_row = target[static_cast<Index>(i)] = class_place(label);
    if (std::isnan(class_of_row) && need_target)
      throw DataError(reader.path(), chunk.line_numbers[row], place + 1,
                      "the label " + in_quotes(label) + " is no class of " + in_quotes(target_name_) +
                          " in the training rows" + did_you_mean(label, classes_));
  }
  return target;
}

Dataset Schema::encode(const std::string& path, SparseChunk& chunk, bool need_target) const {
  require(is_sparse() && chunk.inputs.width == sparse_inputs_, "Schema::encode: sparse rows of another width");
  Dataset data;
  data.target = chunk.labels;
  for (Index i = 0; i < chunk.rows(); ++i) {
    data.source_rows.push_back(chunk.first_row + i);
    double& target = data.target[i];
    const auto line = chunk.line_numbers[static_cast<std::size_t>(i)];
    if (need_target && std::isnan(target)) throw DataError(path, line, 0, "the label is missing");
    if (!config_.labels || std::isnan(target)) continue;
    const std::string label = data_detail::label_of(target);
    target = class_place(label);
    if (std::isnan(target) && need_target)
      throw DataError(path, line, 0, "the label " + in_quotes(label) + " is no class in the training rows");
  }
  data.sparse = std::move(chunk.inputs);
  return data;
}

Dataset Schema::encode(const TableReader& reader, const TableChunk& chunk, bool need_target,
                       const std::vector<bool>& considered, RowWeights weights) const {
  require(chunk.numbers.cols() == static_cast<Index>(reader.columns().size()),
          "Schema::encode: chunk of another reader");
  Places places = locate(reader);
  if (need_target && places.target < 0)
    throw DataError(reader.path(), "the target column " + in_quotes(target_name_) + " is missing" +
                                       (reader.has_names() ? did_you_mean(target_name_, reader.columns()) : ""));
  if (need_target && knows_noise() && places.weights < 0)
    throw DataError(reader.path(), "the column " + in_quotes(weights_name_) +
                                       " with the known noise of rows is missing" +
                                       (reader.has_names() ? did_you_mean(weights_name_, reader.columns()) : ""));
  if (!reads_weights(need_target, weights)) places.weights = -1;
  const std::vector<Index> rows = rows_to_keep(reader, chunk, places, considered, need_target);
  Dataset data;
  data.level_counts = level_counts();
  data.inputs.resize(static_cast<Index>(rows.size()), input_count());
  Index column = 0;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const InputColumn& input = inputs_[k];
    if (input.categorical) {
      encode_category(reader, chunk, input, places.inputs[k], rows, data.inputs.middleCols(column, input.width()));
    } else {
      data.inputs.col(column) = chunk.numbers.col(places.inputs[k])(rows);
      if (config_.missing == MissingCells::mean)
        for (double& value : data.inputs.col(column)) value = std::isnan(value) ? input.fill : value;
    }
    column += input.width();
  }
  if (places.target >= 0) data.target = encode_target(reader, chunk, places.target, rows, need_target);
  if (places.weights >= 0) data.weights = chunk.numbers.col(places.weights)(rows);
  if (knows_noise()) data.weights = data.weights.cwiseAbs2().cwiseInverse();
  data.source_rows.reserve(rows.size());
  if (places.key >= 0) data.keys.reserve(rows.size());
  for (const Index row : rows) {
    data.source_rows.push_back(chunk.first_row + row);
    if (places.key < 0) continue;
    check_prepared(chunk, places.key);
    data.keys.push_back(chunk.text[static_cast<std::size_t>(places.key)][static_cast<std::size_t>(row)]);
  }
  return data;
}

}  // namespace alacarte
