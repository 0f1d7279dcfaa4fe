#include "data/schema_learner.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"
#include "data/column_plan.hpp"
#include "data/number_style.hpp"

namespace alacarte {
namespace {

using data_detail::AskedForm;
using data_detail::in_quotes;

/// Largest number of categories under a strict config; a column with more (names or numbers) is a mistake.
constexpr std::size_t kMaxCategories = 1000;
/// Largest number of categories, under a strict config, of a column that it does not name.
constexpr std::size_t kMaxFoundCategories = 64;
/// Remedy for a target of text.
constexpr const char* kClassTarget = "; if the target is a class, train with the recipe classify";

void check_utf8(const TableReader& reader, const std::string& text, const std::string& what, Index column) {
  if (data_detail::is_utf8(text)) return;
  throw DataError(reader.path(), 0, column + 1,
                  what + " '" + data_detail::printable(text) + "' is not UTF-8 text; save the file as UTF-8");
}

}  // namespace

SchemaLearner::SchemaLearner(const TableReader& reader, const DataConfig& config) : reader_(reader) {
  const auto plan = data_detail::plan_columns(reader, config);
  schema_.config_ = config;
  resolve_strictness(schema_.config_);
  schema_.is_learning_ = true;
  schema_.has_names_ = reader.has_names();
  schema_.dates_are_numbers_ = !reader.holds_text();
  schema_.table_columns_ = static_cast<Index>(reader.columns().size());
  const auto name = [&](Index column) { return reader.columns()[static_cast<std::size_t>(column)]; };
  schema_.target_position_ = plan.target;
  schema_.target_name_ = name(plan.target);
  schema_.key_position_ = plan.key;
  if (plan.key >= 0) schema_.key_name_ = name(plan.key);
  schema_.weights_position_ = plan.weights;
  if (plan.weights >= 0) schema_.weights_name_ = name(plan.weights);
  schema_.exposure_position_ = plan.exposure;
  if (plan.exposure >= 0) schema_.exposure_name_ = name(plan.exposure);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    InputColumn input;
    input.name = name(plan.inputs[i]);
    input.position = plan.inputs[i];
    const bool is_found = plan.found[i];
    asked_.push_back(plan.dates[i] ? AskedForm::date : plan.categorical[i] ? AskedForm::category : AskedForm::nothing);
    if (config.strict) {
      input.form = plan.categorical[i] ? InputForm::onehot : plan.dates[i] ? InputForm::date : InputForm::number;
      input.found = is_found;
    }
    schema_.inputs_.push_back(std::move(input));
  }
  // Later files have this decimal sign, even if few of their rows show it.
  if (config.decimal == DecimalSign::automatic && reader.has_decimal_comma())
    schema_.config_.decimal = DecimalSign::comma;
  if (!config.strict && reader.holds_text()) schema_.config_.second_header = reader.has_second_header();
  for (Index c = 0; c < schema_.table_columns_; ++c) check_utf8(reader, name(c), "the column name", c);
  places_ = schema_.locate(reader);
  const bool text_target = !config.labels && reader.kind(plan.target) == ColumnKind::text;
  if (text_target) schema_.target_style_ = NumberStyle();
  seen_.resize(schema_.inputs_.size() + (text_target ? 1 : 0));
  schema_.name_inputs();
}

bool SchemaLearner::encodes_at_once() const {
  if (schema_.config_.labels || schema_.target_style_) return false;
  if (schema_.config_.strict)
    return schema_.config_.missing != MissingCells::mean &&
           std::none_of(schema_.inputs_.begin(), schema_.inputs_.end(),
                        [](const InputColumn& input) { return input.is_category(); });
  for (std::size_t i = 0; i < schema_.inputs_.size(); ++i)
    if (asked_[i] != AskedForm::nothing || reader_.kind(schema_.inputs_[i].position) != ColumnKind::mixed) return false;
  return true;
}

void SchemaLearner::add(const TableChunk& chunk, const std::vector<bool>& considered) {
  require(chunk.numbers.cols() == schema_.table_columns_, "SchemaLearner: chunk of another reader");
  table_rows_ += chunk.rows();
  const std::vector<Index> rows = schema_.rows_to_keep(reader_, chunk, places_, considered, true);
  rows_ += static_cast<Index>(rows.size());
  if (!schema_.config_.strict && !schema_.drops_gaps()) count_left_out(chunk, considered, rows);
  if (schema_.config_.labels) add_labels(chunk, rows);
  for (std::size_t i = 0; i < schema_.inputs_.size(); ++i) {
    const InputColumn& input = schema_.inputs_[i];
    if (schema_.config_.strict && input.is_category())
      add_category(chunk, input, rows, seen_[i]);
    else
      add_cells(chunk, input.position, asked_[i] == AskedForm::category, rows, seen_[i]);
  }
  if (schema_.target_style_) add_cells(chunk, schema_.target_position_, false, rows, seen_.back());
}

/// Counts the rows that are left out for a missing target, exposure or weight, and not for a weight of 0.
void SchemaLearner::count_left_out(const TableChunk& chunk, const std::vector<bool>& considered, const Rows& rows) {
  auto kept = rows.begin();
  for (Index row = 0; row < chunk.rows(); ++row) {
    if (!considered.empty() && !considered[static_cast<std::size_t>(row)]) continue;
    const bool is_kept = kept != rows.end() && *kept == row;
    if (is_kept) ++kept;
    const bool has_no_weight = places_.weights >= 0 && chunk.numbers(row, places_.weights) == 0;
    if (!is_kept && !has_no_weight) ++schema_.rows_without_target_;
  }
}

void SchemaLearner::add_category(const TableChunk& chunk, const InputColumn& input, const Rows& rows, Census& seen) {
  const auto& cells = chunk.text[static_cast<std::size_t>(input.position)];
  for (const Index row : rows) {
    const std::string& cell = cells[static_cast<std::size_t>(row)];
    const std::size_t before = seen.texts.size();
    seen.add_category(cell);
    if (seen.texts.size() == before) continue;
    check_utf8(reader_, cell, "the category", input.position);
    check_categories(input, seen);
  }
}

void SchemaLearner::add_cells(const TableChunk& chunk, Index place, bool is_category, const Rows& rows, Census& seen) {
  const auto& cells = chunk.text[static_cast<std::size_t>(place)];
  if (cells.empty()) {
    for (const Index row : rows) {
      const double value = chunk.numbers(row, place);
      const std::string* odd = std::isnan(value) ? chunk.odd_cell(place, row) : nullptr;
      if (odd != nullptr)
        seen.add_text(*odd);
      else
        seen.add_number(value);
    }
    return;
  }
  for (const Index row : rows) {
    const std::string& cell = cells[static_cast<std::size_t>(row)];
    if (is_category)
      seen.add_category(data_detail::level_of(cell));
    else
      seen.add_text(cell);
  }
}

void SchemaLearner::check_categories(const InputColumn& input, const Census& seen) const {
  if (input.found && seen.texts.size() > kMaxFoundCategories) refuse_text(input, "more than 64 values", seen);
  if (seen.texts.size() > kMaxCategories)
    throw DataError(reader_.path(), 0, input.position + 1,
                    in_quotes(input.name) + " has more than " + std::to_string(kMaxCategories) +
                        " categories; it looks like a key, not a category");
}

void SchemaLearner::refuse_text(const InputColumn& input, const std::string& what, const Census& seen) const {
  double days = 0;
  const bool dates =
      std::all_of(seen.texts.begin(), seen.texts.end(), [&](const auto& text) { return parse_date(text.first, days); });
  throw DataError(
      reader_.path(), 0, input.position + 1,
      in_quotes(input.name) + " is text of " + what + "; " +
          (dates ? "make numbers of its dates (data.dates, --dates), or leave it out (data.ignore, --ignore)"
                 : "leave it out (data.ignore, --ignore), or name it as a category (data.categorical, "
                   "--categorical)"));
}

Schema SchemaLearner::finish() {
  if (table_rows_ == 0) throw DataError(reader_.path(), "has no data rows");
  if (rows_ == 0) throw DataError(reader_.path(), "no training row is left");
  if (schema_.config_.strict)
    finish_strictly();
  else
    finish_kinds();
  if (schema_.target_style_) finish_target();
  if (schema_.config_.labels) finish_classes();
  schema_.name_inputs();
  schema_.remarks_ = reader_.remarks();
  Schema learned = schema_;
  learned.is_learning_ = false;
  return learned;
}

void SchemaLearner::finish_strictly() {
  for (std::size_t i = 0; i < schema_.inputs_.size(); ++i) {
    InputColumn& input = schema_.inputs_[i];
    const Census& seen = seen_[i];
    if (seen.numbers == 0 && seen.texts.empty())
      throw DataError(reader_.path(), 0, input.position + 1,
                      in_quotes(input.name) + " has no value in any training row");
    if (input.found && rows_ > 2 && static_cast<Index>(seen.texts.size()) == rows_)
      refuse_text(input, "another value in every row", seen);
    for (const auto& [text, rows] : seen.texts) input.categories.push_back(text);
    std::sort(input.categories.begin(), input.categories.end());
    if (seen.numbers > 0) input.fill = static_cast<double>(seen.sum / static_cast<long double>(seen.numbers));
  }
}

void SchemaLearner::finish_kinds() {
  if (rows_ == 1) throw DataError(reader_.path(), "holds one sample, a single row; learning takes at least two");
  std::vector<InputColumn> inputs;
  const bool marks_gaps = schema_.config_.missing == MissingCells::automatic;
  const bool decimal_comma = schema_.config_.decimal == DecimalSign::comma;
  // Tables of numbers alone, such as images, keep the place of each column.
  const bool keeps_constants = !reader_.holds_text();
  for (std::size_t i = 0; i < schema_.inputs_.size(); ++i) {
    InputColumn& input = schema_.inputs_[i];
    std::string reason = data_detail::decide_form(seen_[i], {asked_[i], marks_gaps, decimal_comma}, input);
    if (schema_.config_.text == TextInputs::error && input.is_text() && asked_[i] == AskedForm::nothing)
      throw DataError(reader_.path(), 0, input.position + 1,
                      in_quotes(input.name) + " holds text, and data.text is \"error\"");
    for (const std::string& category : input.categories) check_utf8(reader_, category, "the category", input.position);
    if (keeps_constants && reason == data_detail::kConstant) reason.clear();
    if (reason.empty())
      inputs.push_back(input);
    else
      schema_.left_out_.push_back({input.name, std::move(reason), input.position});
  }
  // Row numbers are the time of a series that has no other input.
  const auto numbers_rows = std::find_if(schema_.left_out_.begin(), schema_.left_out_.end(),
                                         [](const LeftOutColumn& c) { return c.reason == data_detail::kNumbersRows; });
  if (inputs.empty() && numbers_rows != schema_.left_out_.end()) {
    inputs.push_back(*std::find_if(schema_.inputs_.begin(), schema_.inputs_.end(),
                                   [&](const InputColumn& input) { return input.position == numbers_rows->position; }));
    schema_.left_out_.erase(numbers_rows);
  }
  if (inputs.empty()) {
    const LeftOutColumn& first = schema_.left_out_.front();
    throw DataError(reader_.path(), "has no column to learn from: " + in_quotes(first.name) + " is left out (" +
                                        first.reason + ")" +
                                        (schema_.left_out_.size() > 1 ? ", and so are the others" : ""));
  }
  // Levels alone leave the kernel no column: the first of them gives it one that is 0 in every row.
  if (std::all_of(inputs.begin(), inputs.end(), [](const InputColumn& input) { return input.width() == 0; }))
    inputs.front().counts.assign(inputs.front().categories.size(), 0);
  schema_.inputs_ = std::move(inputs);
}

void SchemaLearner::finish_target() {
  const Census& seen = seen_.back();
  const bool decimal_comma = schema_.config_.decimal == DecimalSign::comma;
  const auto style = data_detail::style_of(seen.cells(), decimal_comma ? ',' : '\0');
  if (!style) {
    const auto text = std::min_element(seen.texts.begin(), seen.texts.end());
    throw DataError(reader_.path(), 0, schema_.target_position_ + 1,
                    in_quotes(text == seen.texts.end() ? "" : text->first) + " is not a number (column " +
                        in_quotes(schema_.target_name_) + ")" + kClassTarget);
  }
  schema_.target_style_ = style;
}

void SchemaLearner::add_labels(const TableChunk& chunk, const std::vector<Index>& rows) {
  const auto& cells = chunk.text[static_cast<std::size_t>(schema_.target_position_)];
  for (const Index row : rows) {
    const std::string label = data_detail::label_of(cells[static_cast<std::size_t>(row)]);
    if (!labels_.insert(label).second) continue;
    check_utf8(reader_, label, "the label", schema_.target_position_);
    check_classes();
  }
}

void SchemaLearner::check_classes() const {
  if (labels_.size() > data_detail::kMaxClasses)
    throw DataError(reader_.path(), 0, schema_.target_position_ + 1,
                    "the target '" + data_detail::printable(schema_.target_name_) + "' has more than " +
                        std::to_string(data_detail::kMaxClasses) +
                        " classes; is it a number to be learned (likelihood gaussian)?");
}

std::vector<std::string> SchemaLearner::columns() const {
  std::vector<std::string> columns = {std::to_string(schema_.table_columns_),
                                      schema_.has_names_ ? "named" : "",
                                      schema_.target_name_,
                                      schema_.key_name_,
                                      schema_.weights_name_,
                                      schema_.exposure_name_,
                                      word(schema_.config_.decimal),
                                      schema_.target_style_ ? "text" : "number"};
  for (const InputColumn& input : schema_.inputs_) {
    columns.push_back(input.name);
    columns.push_back(input.is_category() ? "text" : input.is_date() ? "date" : "number");
  }
  return columns;
}

SeenTable SchemaLearner::seen() const {
  return {columns(), table_rows_, rows_, schema_.rows_without_target_, labels_, seen_};
}

void SchemaLearner::add_seen(const SeenTable& seen, const std::string& path) {
  if (seen.columns != columns())
    throw DataError(path, "has other columns than " + reader_.path() +
                              ", or text where that has numbers; files of one table have the same");
  table_rows_ += seen.table_rows;
  rows_ += seen.rows;
  labels_.insert(seen.labels.begin(), seen.labels.end());
  check_classes();
  schema_.rows_without_target_ += seen.rows_without_target;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    seen_[i].add(seen.inputs.at(i));
    if (i < schema_.inputs_.size() && schema_.config_.strict) check_categories(schema_.inputs_[i], seen_[i]);
  }
}

void SchemaLearner::finish_classes() {
  const std::string name = "the target '" + data_detail::printable(schema_.target_name_) + "' ";
  const auto refuse = [&](const std::string& what) {
    throw DataError(reader_.path(), 0, schema_.target_position_ + 1, name + what);
  };
  if (labels_.size() == 1)
    refuse("has one class only, '" + data_detail::printable(*labels_.begin()) + "', in the training rows");
  if (rows_ > 2 && static_cast<Index>(labels_.size()) == rows_)
    refuse("has another label in every row; is it a number to be learned (likelihood gaussian)?");
  schema_.classes_ = data_detail::sorted_labels(labels_);
}

}  // namespace alacarte
