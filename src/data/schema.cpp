#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "data/cells.hpp"
#include "data/column_plan.hpp"
#include "data/schema_learner.hpp"

namespace alacarte {
namespace {

/// Returns the kind of an input under a strict config.
ColumnKind strict_kind(bool is_category, bool is_date) {
  return is_category ? ColumnKind::text : is_date ? ColumnKind::date : ColumnKind::number;
}

}  // namespace

void Schema::prepare(TableReader& reader, const DataConfig& config) {
  reader.find_text_columns();
  const auto plan = data_detail::plan_columns(reader, config);
  reader.set_kind(ColumnKind::skipped);
  const bool text_target = config.labels || (!config.strict && reader.has_text(plan.target));
  reader.set_kind({plan.target}, text_target ? ColumnKind::text : ColumnKind::number);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const bool is_text =
        plan.categorical[i] || (plan.dates[i] && reader.holds_text()) || reader.has_text(plan.inputs[i]);
    const ColumnKind kind = config.strict ? strict_kind(plan.categorical[i], plan.dates[i])
                            : is_text     ? ColumnKind::text
                                          : ColumnKind::mixed;
    reader.set_kind({plan.inputs[i]}, kind);
  }
  if (plan.key >= 0) reader.set_kind({plan.key}, ColumnKind::text);
  if (plan.weights >= 0) reader.set_kind({plan.weights}, ColumnKind::number);
  if (plan.exposure >= 0) reader.set_kind({plan.exposure}, ColumnKind::number);
  reader.set_target(plan.target);
}

void Schema::prepare(TableReader& reader) const {
  const Places places = locate(reader);
  reader.set_kind(ColumnKind::skipped);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    reader.set_kind({places.inputs[i]}, reads_text(inputs_[i]) ? ColumnKind::text
                                        : config_.strict       ? strict_kind(false, inputs_[i].is_date())
                                                               : ColumnKind::mixed);
  if (places.key >= 0) reader.set_kind({places.key}, ColumnKind::text);
  if (places.target >= 0)
    reader.set_kind({places.target}, config_.labels || target_style_ ? ColumnKind::text : ColumnKind::number);
  if (places.weights >= 0) reader.set_kind({places.weights}, ColumnKind::number);
  if (places.exposure >= 0) reader.set_kind({places.exposure}, ColumnKind::number);
}

bool Schema::reads_text(const InputColumn& input) const {
  if (config_.strict) return input.is_category();
  return input.is_text() || (input.is_date() && !dates_are_numbers_);
}

Schema Schema::learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                     const std::vector<bool>& training) {
  require(training.empty() || static_cast<Index>(training.size()) == table.rows(),
          "Schema::learn: training mask of another length than the table");
  SchemaLearner learner(reader, config);
  learner.add(table, training);
  return learner.finish();
}

void Schema::name_inputs() {
  input_names_.clear();
  for (const InputColumn& input : inputs_) {
    const auto add = [&, &own = input.name](const std::string& ending) { input_names_.push_back(own + ending); };
    switch (input.form) {
      case InputForm::onehot:
        for (const std::string& category : input.categories) add("=" + (category.empty() ? "(missing)" : category));
        break;
      case InputForm::levels:
        if (!input.counts.empty()) add(" (frequency)");
        break;
      case InputForm::presence: add(" (present)"); break;
      default: add("");
    }
    if (input.has_gap) add(" (missing)");
    for (const double days : input.cycles) {
      const std::string cycle = days == 1 ? "day" : days == 7 ? "week" : "year";
      add(" (cosine of the " + cycle + ")");
      add(" (sine of the " + cycle + ")");
    }
  }
  for (const InputColumn& input : inputs_)
    if (input.form == InputForm::levels) input_names_.push_back(input.name);
}

Index InputColumn::place_of(const std::string& category) const {
  const auto found = std::lower_bound(categories.begin(), categories.end(), category);
  return found != categories.end() && *found == category ? found - categories.begin() : -1;
}

Index InputColumn::width() const {
  switch (form) {
    case InputForm::onehot: return static_cast<Index>(categories.size());
    case InputForm::levels: return counts.empty() ? 0 : 1;
    default: return 1 + (has_gap ? 1 : 0) + 2 * static_cast<Index>(cycles.size());
  }
}

Schema Schema::encoding_alone() const {
  Schema schema = *this;
  schema.rows_without_target_ = 0;
  schema.remarks_.clear();
  for (InputColumn& input : schema.inputs_)
    if (!fills_gaps() || (!config_.strict && input.gaps == 0)) input.fill = 0;
  return schema;
}

bool Schema::encodes_like(const Schema& other) const {
  const auto is_plain = [](const InputColumn& input) { return input.form == InputForm::number && input.gaps == 0; };
  return config_.strict ||
         (input_names_ == other.input_names_ && std::all_of(inputs_.begin(), inputs_.end(), is_plain));
}

Index Schema::input_count() const { return is_sparse() ? sparse_inputs_ : static_cast<Index>(input_names_.size()); }

Schema Schema::numbers(Index inputs, std::vector<std::string> classes) {
  require(inputs > 0 && classes.size() != 1, "Schema::numbers: inputs and classes");
  Schema schema;
  for (Index j = 0; j < inputs; ++j) {
    InputColumn input;
    input.name = std::to_string(j);
    input.position = j;
    schema.inputs_.push_back(std::move(input));
  }
  schema.table_columns_ = inputs + 1;
  schema.target_position_ = inputs;
  schema.target_name_ = std::to_string(inputs);
  schema.config_.strict = true;
  schema.config_.labels = !classes.empty();
  schema.classes_ = std::move(classes);
  schema.name_inputs();
  return schema;
}

Schema Schema::sparse(Index inputs, const DataConfig& config, std::vector<std::string> classes) {
  require(inputs > 0 && config.labels == !classes.empty(), "Schema::sparse: inputs and classes");
  if (!config.weights.empty()) throw ConfigError("/data/weights", "sparse rows have no column of weights");
  if (!config.noise_sd.empty()) throw ConfigError("/data/noise_sd", "sparse rows have no column of noise");
  if (!config.exposure.empty()) throw ConfigError("/data/exposure", "sparse rows have no column of exposures");
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
    if (input.form == InputForm::levels) counts.push_back(static_cast<Index>(input.categories.size()));
  return counts;
}

Index Schema::libsvm_inputs() const {
  if (is_sparse()) return sparse_inputs_;
  return target_position_ == table_columns_ - 1 ? table_columns_ - 1 : static_cast<Index>(inputs_.size());
}

}  // namespace alacarte
