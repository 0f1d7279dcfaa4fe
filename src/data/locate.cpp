// Positions of a model's columns in a table.
#include <string>
#include <unordered_map>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "core/spelling.hpp"
#include "data/cells.hpp"

namespace alacarte {

using data_detail::in_quotes;

namespace {

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
  if (has_exposure()) places.exposure = place(exposure_name_);
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
    if (has_exposure()) places.exposure = place(exposure_position_);
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

}  // namespace alacarte
