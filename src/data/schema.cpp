#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "data/cells.hpp"
#include "data/column_plan.hpp"

namespace alacarte {
namespace {

/// Largest number of categories; a column with more (names or numbers) is a mistake.
constexpr std::size_t kMaxCategories = 1000;
/// Largest number of categories of a column that the config does not name.
constexpr std::size_t kMaxFoundCategories = 64;

/// Sets the kinds of a reader's columns: `text` kept as text, `numbers` and `dates` parsed, all others skipped.
void mark(TableReader& reader, const std::vector<Index>& text, const std::vector<Index>& numbers,
          const std::vector<Index>& dates) {
  reader.set_kind(ColumnKind::skipped);
  reader.set_kind(numbers, ColumnKind::number);
  reader.set_kind(dates, ColumnKind::date);
  reader.set_kind(text, ColumnKind::text);
}

void check_utf8(const TableReader& reader, const std::string& text, const std::string& what, Index column) {
  if (data_detail::is_utf8(text)) return;
  throw DataError(reader.path(), 0, column + 1,
                  what + " '" + data_detail::printable(text) + "' is not UTF-8 text; save the file as UTF-8");
}

}  // namespace

void Schema::prepare(TableReader& reader, const DataConfig& config) {
  reader.find_text_columns();
  const auto plan = data_detail::plan_columns(reader, config);
  std::vector<Index> text, numbers, dates;
  (config.labels ? text : numbers).push_back(plan.target);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    (plan.categorical[i] ? text : plan.dates[i] ? dates : numbers).push_back(plan.inputs[i]);
  if (plan.key >= 0) text.push_back(plan.key);
  if (plan.weights >= 0) numbers.push_back(plan.weights);
  reader.set_target(plan.target);
  mark(reader, text, numbers, dates);
}

void Schema::prepare(TableReader& reader) const {
  const Places places = locate(reader);
  std::vector<Index> text, numbers, dates;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    (inputs_[i].categorical ? text : inputs_[i].date ? dates : numbers).push_back(places.inputs[i]);
  if (places.key >= 0) text.push_back(places.key);
  if (places.target >= 0) (config_.labels ? text : numbers).push_back(places.target);
  if (places.weights >= 0) numbers.push_back(places.weights);
  mark(reader, text, numbers, dates);
}

Schema Schema::learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                     const std::vector<bool>& training) {
  require(training.empty() || static_cast<Index>(training.size()) == table.rows(),
          "Schema::learn: training mask of another length than the table");
  SchemaLearner learner(reader, config);
  learner.add(table, training);
  return learner.finish();
}

SchemaLearner::SchemaLearner(const TableReader& reader, const DataConfig& config) : reader_(reader) {
  const auto plan = data_detail::plan_columns(reader, config);
  schema_.config_ = config;
  schema_.is_learning_ = true;
  schema_.has_names_ = reader.has_names();
  schema_.table_columns_ = static_cast<Index>(reader.columns().size());
  const auto name = [&](Index column) { return reader.columns()[static_cast<std::size_t>(column)]; };
  schema_.target_position_ = plan.target;
  schema_.target_name_ = name(plan.target);
  schema_.key_position_ = plan.key;
  if (plan.key >= 0) schema_.key_name_ = name(plan.key);
  schema_.weights_position_ = plan.weights;
  if (plan.weights >= 0) schema_.weights_name_ = name(plan.weights);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    schema_.inputs_.push_back(
        {name(plan.inputs[i]), plan.inputs[i], plan.categorical[i], 0, {}, plan.found[i], plan.dates[i]});
  // Later files have this decimal sign, even if few of their rows show it.
  if (config.decimal == DecimalSign::automatic && reader.has_decimal_comma())
    schema_.config_.decimal = DecimalSign::comma;
  for (Index c = 0; c < schema_.table_columns_; ++c) check_utf8(reader, name(c), "the column name", c);
  places_ = schema_.locate(reader);
  seen_.resize(schema_.inputs_.size());
  schema_.name_inputs();
}

bool SchemaLearner::encodes_at_once() const {
  return !schema_.config_.labels && schema_.config_.missing != MissingCells::mean &&
         std::none_of(schema_.inputs_.begin(), schema_.inputs_.end(),
                      [](const InputColumn& input) { return input.categorical; });
}

void SchemaLearner::add(const TableChunk& chunk, const std::vector<bool>& considered) {
  require(chunk.numbers.cols() == schema_.table_columns_, "SchemaLearner: chunk of another reader");
  table_rows_ += chunk.rows();
  const std::vector<Index> rows = schema_.rows_to_keep(reader_, chunk, places_, considered, true);
  rows_ += static_cast<Index>(rows.size());
  if (schema_.config_.labels) add_labels(chunk, rows);
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const InputColumn& input = schema_.inputs_[i];
    Seen& seen = seen_[i];
    if (input.categorical) {
      add_category(chunk, input, rows, seen);
      continue;
    }
    for (const Index row : rows) {
      const double value = chunk.numbers(row, input.position);
      if (std::isnan(value)) continue;
      seen.sum += value;
      ++seen.count;
    }
  }
}

void SchemaLearner::add_category(const TableChunk& chunk, const InputColumn& input, const std::vector<Index>& rows,
                                 Seen& seen) {
  const auto& cells = chunk.text[static_cast<std::size_t>(input.position)];
  for (const Index row : rows) {
    const std::string& cell = cells[static_cast<std::size_t>(row)];
    if (data_detail::is_missing_word(cell) || !seen.categories.insert(cell).second) continue;
    check_utf8(reader_, cell, "the category", input.position);
    check_categories(input, seen);
  }
}

void SchemaLearner::check_categories(const InputColumn& input, const Seen& seen) const {
  if (input.found && seen.categories.size() > kMaxFoundCategories)
    refuse_text(input, "more than 64 values", seen.categories);
  if (seen.categories.size() > kMaxCategories)
    throw DataError(reader_.path(), 0, input.position + 1,
                    "'" + data_detail::printable(input.name) + "' has more than " + std::to_string(kMaxCategories) +
                        " categories; it looks like a key, not a category");
}

void SchemaLearner::refuse_text(const InputColumn& input, const std::string& what,
                                const std::set<std::string>& values) const {
  double days = 0;
  const bool dates =
      std::all_of(values.begin(), values.end(), [&](const std::string& value) { return parse_date(value, days); });
  throw DataError(
      reader_.path(), 0, input.position + 1,
      "'" + data_detail::printable(input.name) + "' is text of " + what + "; " +
          (dates ? "make numbers of its dates (data.dates, --dates), or leave it out (data.ignore, --ignore)"
                 : "leave it out (data.ignore, --ignore), or name it as a category (data.categorical, "
                   "--categorical)"));
}

Schema SchemaLearner::finish() {
  if (table_rows_ == 0) throw DataError(reader_.path(), "has no data rows");
  if (rows_ == 0) throw DataError(reader_.path(), "no training row is left");
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    InputColumn& input = schema_.inputs_[i];
    const Seen& seen = seen_[i];
    if (seen.count == 0 && seen.categories.empty())
      throw DataError(reader_.path(), 0, input.position + 1,
                      "'" + data_detail::printable(input.name) + "' has no value in any training row");
    if (input.found && rows_ > 2 && static_cast<Index>(seen.categories.size()) == rows_)
      refuse_text(input, "another value in every row", seen.categories);
    input.categories.assign(seen.categories.begin(), seen.categories.end());
    if (seen.count > 0) input.fill = static_cast<double>(seen.sum / static_cast<long double>(seen.count));
  }
  if (schema_.config_.labels) finish_classes();
  schema_.name_inputs();
  Schema learned = schema_;
  learned.is_learning_ = false;
  return learned;
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
                                      word(schema_.config_.decimal)};
  for (const InputColumn& input : schema_.inputs_) {
    columns.push_back(input.name);
    columns.push_back(input.categorical ? "text" : input.date ? "date" : "number");
  }
  return columns;
}

SeenTable SchemaLearner::seen() const {
  SeenTable table{columns(), table_rows_, rows_, labels_, {}};
  for (const Seen& seen : seen_) table.inputs.push_back({static_cast<double>(seen.sum), seen.count, seen.categories});
  return table;
}

void SchemaLearner::add_seen(const SeenTable& seen, const std::string& path) {
  if (seen.columns != columns())
    throw DataError(path, "has other columns than " + reader_.path() +
                              ", or text where that has numbers; files of one table have the same");
  table_rows_ += seen.table_rows;
  rows_ += seen.rows;
  labels_.insert(seen.labels.begin(), seen.labels.end());
  check_classes();
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const SeenTable::Input& input = seen.inputs.at(i);
    seen_[i].sum += input.sum;
    seen_[i].count += input.count;
    seen_[i].categories.insert(input.categories.begin(), input.categories.end());
    check_categories(schema_.inputs_[i], seen_[i]);
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

void Schema::name_inputs() {
  input_names_.clear();
  for (const InputColumn& input : inputs_) {
    if (!input.categorical) input_names_.push_back(input.name);
    for (const std::string& category : input.categories) input_names_.push_back(input.name + "=" + category);
  }
}

Schema Schema::without_fills() const {
  Schema schema = *this;
  for (InputColumn& input : schema.inputs_) input.fill = 0;
  return schema;
}

Index Schema::input_count() const { return is_sparse() ? sparse_inputs_ : static_cast<Index>(input_names_.size()); }

Schema Schema::numbers(Index inputs, std::vector<std::string> classes) {
  require(inputs > 0 && classes.size() != 1, "Schema::numbers: inputs and classes");
  Schema schema;
  for (Index j = 0; j < inputs; ++j) schema.inputs_.push_back({std::to_string(j), j, false, 0, {}});
  schema.table_columns_ = inputs + 1;
  schema.target_position_ = inputs;
  schema.target_name_ = std::to_string(inputs);
  schema.config_.labels = !classes.empty();
  schema.classes_ = std::move(classes);
  schema.name_inputs();
  return schema;
}

Schema Schema::sparse(Index inputs, const DataConfig& config, std::vector<std::string> classes) {
  require(inputs > 0 && config.labels == !classes.empty(), "Schema::sparse: inputs and classes");
  if (!config.weights.empty()) throw ConfigError("/data/weights", "sparse rows have no column of weights");
  if (!config.noise_sd.empty()) throw ConfigError("/data/noise_sd", "sparse rows have no column of noise");
  Schema schema;
  schema.config_ = config;
  schema.sparse_inputs_ = inputs;
  schema.table_columns_ = inputs + 1;
  schema.target_position_ = inputs;
  schema.target_name_.push_back('y');  // avoids a false warning of g++ 12 for = "y"
  schema.classes_ = std::move(classes);
  return schema;
}

std::vector<Index> Schema::level_counts() const {
  std::vector<Index> counts;
  for (const InputColumn& input : inputs_)
    if (input.levels) counts.push_back(static_cast<Index>(input.categories.size()));
  return counts;
}

Index Schema::libsvm_inputs() const {
  if (is_sparse()) return sparse_inputs_;
  return target_position_ == table_columns_ - 1 ? table_columns_ - 1 : static_cast<Index>(inputs_.size());
}

}  // namespace alacarte
