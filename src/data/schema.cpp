#include <cmath>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "data/cells.hpp"
#include "data/column_plan.hpp"

namespace alacarte {
namespace {

/// More indicators than this is a mistake (a column of names or numbers), not a category.
constexpr std::size_t kMostCategories = 1000;

/// Marks what a reader does with each column: `text` kept as text, `numbers` parsed, all others passed over.
void mark(TableReader& reader, const std::vector<Index>& text, const std::vector<Index>& numbers) {
  std::vector<bool> used(reader.columns().size(), false);
  for (const Index c : text) used[static_cast<std::size_t>(c)] = true;
  for (const Index c : numbers) used[static_cast<std::size_t>(c)] = true;
  std::vector<Index> skipped;
  for (std::size_t c = 0; c < used.size(); ++c)
    if (!used[c]) skipped.push_back(static_cast<Index>(c));
  reader.set_text_columns(text);
  reader.set_skipped_columns(skipped);
}

void check_utf8(const TableReader& reader, const std::string& text, const std::string& what, Index column) {
  if (data_detail::is_utf8(text)) return;
  throw DataError(reader.path(), 0, column + 1,
                  what + " '" + data_detail::printable(text) + "' is not UTF-8 text; save the file as UTF-8");
}

std::vector<std::string> learn_categories(const TableReader& reader, const TableChunk& table, const InputColumn& input,
                                          const std::vector<Index>& rows) {
  const auto& cells = table.text[static_cast<std::size_t>(input.position)];
  std::set<std::string> found;
  for (const Index row : rows) {
    const std::string& cell = cells[static_cast<std::size_t>(row)];
    if (data_detail::is_missing_word(cell) || !found.insert(cell).second) continue;
    check_utf8(reader, cell, "the category", input.position);
    if (found.size() > kMostCategories)
      throw DataError(reader.path(), 0, input.position + 1,
                      "'" + data_detail::printable(input.name) + "' has more than " + std::to_string(kMostCategories) +
                          " categories; it looks like a key, not a category");
  }
  return {found.begin(), found.end()};
}

double learn_mean(const TableChunk& table, Index column, const std::vector<Index>& rows, Index& count) {
  long double sum = 0;
  count = 0;
  for (const Index row : rows) {
    const double value = table.numbers(row, column);
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? 0 : static_cast<double>(sum / static_cast<long double>(count));
}

}  // namespace

void Schema::prepare(TableReader& reader, const DataConfig& config) {
  const auto plan = data_detail::plan_columns(reader, config);
  std::vector<Index> text, numbers = {plan.target};
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) (plan.categorical[i] ? text : numbers).push_back(plan.inputs[i]);
  if (plan.key >= 0) text.push_back(plan.key);
  mark(reader, text, numbers);
}

void Schema::prepare(TableReader& reader) const {
  const Places places = locate(reader);
  std::vector<Index> text, numbers;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    (inputs_[i].categorical ? text : numbers).push_back(places.inputs[i]);
  if (places.key >= 0) text.push_back(places.key);
  if (places.target >= 0) numbers.push_back(places.target);
  mark(reader, text, numbers);
}

Schema Schema::learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                     const std::vector<bool>& training) {
  require(training.empty() || static_cast<Index>(training.size()) == table.rows(),
          "Schema::learn: training mask of another length than the table");
  require(table.numbers.cols() == static_cast<Index>(reader.columns().size()),
          "Schema::learn: table of another reader");
  const auto plan = data_detail::plan_columns(reader, config);
  Schema schema;
  schema.config_ = config;
  schema.has_names_ = reader.has_names();
  schema.table_columns_ = static_cast<Index>(reader.columns().size());
  const auto name = [&](Index column) { return reader.columns()[static_cast<std::size_t>(column)]; };
  schema.target_position_ = plan.target;
  schema.target_name_ = name(plan.target);
  schema.key_position_ = plan.key;
  if (plan.key >= 0) schema.key_name_ = name(plan.key);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    schema.inputs_.push_back({name(plan.inputs[i]), plan.inputs[i], plan.categorical[i], 0, {}});
  for (Index c = 0; c < schema.table_columns_; ++c) check_utf8(reader, name(c), "the column name", c);
  if (table.rows() == 0) throw DataError(reader.path(), "has no data rows");
  const std::vector<Index> rows = schema.rows_to_keep(reader, table, schema.locate(reader), training, true);
  if (rows.empty()) throw DataError(reader.path(), "no training row is left");
  schema.learn_columns(reader, table, rows);
  schema.name_inputs();
  return schema;
}

void Schema::learn_columns(const TableReader& reader, const TableChunk& table, const std::vector<Index>& rows) {
  for (InputColumn& input : inputs_) {
    Index count = 0;
    if (input.categorical) {
      input.categories = learn_categories(reader, table, input, rows);
      count = static_cast<Index>(input.categories.size());
    } else {
      input.fill = learn_mean(table, input.position, rows, count);
    }
    if (count == 0)
      throw DataError(reader.path(), 0, input.position + 1,
                      "'" + data_detail::printable(input.name) + "' has no value in any training row");
  }
}

void Schema::name_inputs() {
  input_names_.clear();
  for (const InputColumn& input : inputs_) {
    if (!input.categorical) input_names_.push_back(input.name);
    for (const std::string& category : input.categories) input_names_.push_back(input.name + "=" + category);
  }
}

Index Schema::input_count() const { return static_cast<Index>(input_names_.size()); }

Index Schema::libsvm_inputs() const {
  return target_position_ == table_columns_ - 1 ? table_columns_ - 1 : static_cast<Index>(inputs_.size());
}

}  // namespace alacarte
