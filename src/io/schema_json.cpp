// Schemas and descriptions of rows files as JSON, read strictly: keys and types are checked.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/types.hpp"
#include "alacarte/data/dataset.hpp"
#include "data/cells.hpp"
#include "data/libsvm_reader.hpp"
#include "data/rows_format.hpp"
#include "documents.hpp"
#include "json_fields.hpp"

namespace alacarte {

namespace {

using Json = nlohmann::json;

constexpr Index kMaxTableColumns = 100000000;
constexpr Index kMaxRows = Index{1} << 52;

/// Returns the config of files without the new members: they were made when every guess was an error.
DataConfig config_of_older_files() {
  DataConfig config;
  config.strict = true;
  config.text = TextInputs::onehot;
  return config;
}

/// Calls visit(key, member, is_new) for each kept member of a config. Files lack the new ones that are as in
/// config_of_older_files().
template <class Visit>
void each_config_member(const Visit& visit) {
  visit("target", &DataConfig::target, false);
  visit("inputs", &DataConfig::inputs, false);
  visit("ignore", &DataConfig::ignore, false);
  visit("key", &DataConfig::key, false);
  visit("categorical", &DataConfig::categorical, false);
  visit("missing", &DataConfig::missing, false);
  visit("unseen", &DataConfig::unseen, false);
  visit("header", &DataConfig::header, false);
  visit("separator", &DataConfig::separator, false);
  visit("decimal", &DataConfig::decimal, true);
  visit("missing_words", &DataConfig::missing_words, true);
  visit("weights", &DataConfig::weights, true);
  visit("noise_sd", &DataConfig::noise_sd, true);
  visit("exposure", &DataConfig::exposure, true);
  visit("dates", &DataConfig::dates, true);
  visit("text", &DataConfig::text, true);
  visit("strict", &DataConfig::strict, true);
  visit("group", &DataConfig::group, true);
  visit("time", &DataConfig::time, true);
}

Json config_to_json(const DataConfig& config) {
  Json document = Json::object();
  each_config_member([&, defaults = config_of_older_files()](const char* key, auto member, bool is_new) {
    if (is_new && config.*member == defaults.*member) return;
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(config.*member)>>)
      document[key] = word(config.*member);
    else
      document[key] = config.*member;
  });
  return document;
}

DataConfig config_from_json(const Json& document) {
  JsonFields fields(document, "schema/config");
  DataConfig config = config_of_older_files();
  each_config_member([&](const char* key, auto member, bool is_new) {
    if (!is_new || document.contains(key)) fields.read(key, config.*member);
  });
  fields.done();
  return config;
}

std::vector<std::string> classes_from_json(JsonFields& fields) {
  std::vector<std::string> classes = fields.texts("classes");
  if (classes.size() < 2 || std::set<std::string>(classes.begin(), classes.end()).size() != classes.size())
    fields.refuse("the classes are not two or more different names");
  return classes;
}

NumberStyle style_from_json(const Json& document) {
  JsonFields fields(document, "schema/inputs/style");
  NumberStyle style;
  style.prefix = fields.text("prefix");
  style.suffix = fields.text("suffix");
  const auto sign = [&](const char* key) {
    const std::string text = fields.text(key);
    if (text.size() > 1) fields.refuse(std::string(key) + " is more than one sign");
    return text.empty() ? '\0' : text.front();
  };
  style.thousands = sign("thousands");
  style.decimal = sign("decimal");
  fields.done();
  return style;
}

Json style_to_json(const NumberStyle& style) {
  const auto sign = [](char c) { return c == 0 ? std::string() : std::string(1, c); };
  return {{"prefix", style.prefix},
          {"suffix", style.suffix},
          {"thousands", sign(style.thousands)},
          {"decimal", sign(style.decimal)}};
}

void read_cycles(JsonFields& fields, InputColumn& input) {
  const Vector periods = fields.numbers("cycles");
  input.cycles.assign(periods.begin(), periods.end());
  const bool known = std::all_of(periods.begin(), periods.end(), [](double days) { return days > 0; });
  if (!input.is_date() || !known) fields.refuse("the cycles are not periods of dates");
}

void read_counts(JsonFields& fields, InputColumn& input) {
  const Vector counts = fields.numbers("counts");
  for (const double count : counts) {
    if (count < 0 || count > static_cast<double>(kMaxRows)) fields.refuse("a count of rows is out of range");
    input.counts.push_back(static_cast<Index>(count));
  }
  if (input.form != InputForm::levels || input.counts.size() != input.categories.size())
    fields.refuse("the counts do not fit the levels");
}

Json input_to_json(const InputColumn& input) {
  Json entry = {{"name", input.name}, {"position", input.position}, {"categorical", input.form == InputForm::onehot}};
  if (input.is_category() || input.form == InputForm::flag) entry["categories"] = input.categories;
  if (!input.is_category()) entry["fill"] = input.fill;
  if (input.is_date()) entry["date"] = true;
  if (input.is_text() && input.form != InputForm::onehot) entry["form"] = word(input.form);
  if (input.gaps > 0) entry["gaps"] = input.gaps;
  if (!input.remark.empty()) entry["remark"] = input.remark;
  if (input.has_gap) entry["has_gap"] = true;
  if (!input.cycles.empty()) entry["cycles"] = input.cycles;
  if (!input.counts.empty()) entry["counts"] = input.counts;
  if (input.style != NumberStyle()) entry["style"] = style_to_json(input.style);
  return entry;
}

InputColumn input_from_json(const Json& document, std::size_t index, Index columns) {
  JsonFields fields(document, "schema/inputs/" + std::to_string(index));
  InputColumn input;
  input.name = fields.text("name");
  input.position = fields.integer("position", 0, columns - 1);
  if (fields.boolean("categorical")) input.form = InputForm::onehot;
  if (document.contains("date") && fields.boolean("date")) input.form = InputForm::date;
  if (document.contains("form")) fields.read("form", input.form);
  if (input.is_category() || input.form == InputForm::flag) {
    input.categories = fields.texts("categories");
    const bool increasing = std::adjacent_find(input.categories.begin(), input.categories.end(),
                                               std::greater_equal<>()) == input.categories.end();
    if (input.categories.empty() || !increasing) fields.refuse("the categories are not an increasing list");
    if (input.form == InputForm::flag && input.categories.size() != 2) fields.refuse("a flag has two words");
  }
  if (!input.is_category()) input.fill = fields.number("fill");
  if (document.contains("gaps")) input.gaps = fields.integer("gaps", 0, kMaxRows);
  if (document.contains("remark")) input.remark = fields.text("remark");
  if (document.contains("has_gap")) input.has_gap = fields.boolean("has_gap") && !input.is_category();
  if (document.contains("cycles")) read_cycles(fields, input);
  if (document.contains("counts")) read_counts(fields, input);
  if (document.contains("style")) input.style = style_from_json(fields.at("style"));
  fields.done();
  return input;
}

}  // namespace

/// Accesses the private members of a schema.
class SchemaCodec {
 public:
  static Json write(const Schema& schema) {
    if (schema.is_sparse()) {
      Json document = {{"sparse_inputs", schema.sparse_inputs_}, {"config", config_to_json(schema.config_)}};
      if (schema.config_.labels) document["classes"] = schema.classes_;
      return document;
    }
    Json inputs = Json::array();
    for (const InputColumn& input : schema.inputs_) inputs.push_back(input_to_json(input));
    Json document = {{"columns", schema.table_columns_},
                     {"has_names", schema.has_names_},
                     {"target", {{"name", schema.target_name_}, {"position", schema.target_position_}}},
                     {"key", nullptr},
                     {"inputs", std::move(inputs)},
                     {"config", config_to_json(schema.config_)}};
    // Files from before classification lack these.
    if (schema.config_.labels) document["classes"] = schema.classes_;
    if (schema.has_weights())
      document["weights"] = {{"name", schema.weights_name_}, {"position", schema.weights_position_}};
    if (schema.has_exposure())
      document["exposure"] = {{"name", schema.exposure_name_}, {"position", schema.exposure_position_}};
    write_kinds(schema, document);
    if (schema.key_position_ >= 0) document["key"] = {{"name", schema.key_name_}, {"position", schema.key_position_}};
    return document;
  }

  /// Writes what schemas lack that are strict or from before the kinds of columns.
  static void write_kinds(const Schema& schema, Json& document) {
    for (const LeftOutColumn& column : schema.left_out_)
      document["left_out"].push_back({{"name", column.name}, {"position", column.position}, {"reason", column.reason}});
    if (schema.config_.second_header) document["second_header"] = *schema.config_.second_header;
    if (!schema.remarks_.empty()) document["remarks"] = schema.remarks_;
    if (schema.rows_without_target_ > 0) document["rows_without_target"] = schema.rows_without_target_;
    if (schema.dates_are_numbers_) document["dates_are_numbers"] = true;
    if (schema.target_style_) document["target_style"] = style_to_json(*schema.target_style_);
  }

  static void read_kinds(JsonFields& fields, const Json& document, Schema& schema) {
    if (document.contains("left_out")) {
      const Json& columns = fields.at("left_out");
      if (!columns.is_array()) fields.refuse("'left_out' is not a list");
      for (const Json& entry : columns) {
        JsonFields own(entry, "schema/left_out");
        schema.left_out_.push_back(
            {own.text("name"), own.text("reason"), own.integer("position", 0, kMaxTableColumns)});
        own.done();
      }
    }
    if (document.contains("second_header")) schema.config_.second_header = fields.boolean("second_header");
    if (document.contains("remarks")) schema.remarks_ = fields.texts("remarks");
    if (document.contains("rows_without_target"))
      schema.rows_without_target_ = fields.integer("rows_without_target", 0, kMaxRows);
    schema.dates_are_numbers_ = fields.is_set("dates_are_numbers");
    if (document.contains("target_style")) schema.target_style_ = style_from_json(fields.at("target_style"));
  }

  static Schema read(const Json& document) {
    JsonFields fields(document, "schema");
    if (document.contains("sparse_inputs")) {
      const Index inputs = fields.integer("sparse_inputs", 1, data_detail::kMaxLibsvmInputs);
      DataConfig config = config_from_json(fields.at("config"));
      config.labels = document.contains("classes");
      std::vector<std::string> classes;
      if (config.labels) classes = classes_from_json(fields);
      fields.done();
      return Schema::sparse(inputs, config, std::move(classes));
    }
    Schema schema;
    schema.table_columns_ = fields.integer("columns", 2, kMaxTableColumns);
    const Index last = schema.table_columns_ - 1;
    schema.has_names_ = fields.boolean("has_names");
    schema.config_ = config_from_json(fields.at("config"));
    std::set<Index> positions;
    const auto use = [&](Index position) {
      if (!positions.insert(position).second) fields.refuse("column " + std::to_string(position) + " is used twice");
      return position;
    };
    const auto named_place = [&](const char* key, std::string& name, Index& position) {
      JsonFields place(fields.at(key), std::string("schema/") + key);
      name = place.text("name");
      position = use(place.integer("position", 0, last));
      place.done();
    };
    named_place("target", schema.target_name_, schema.target_position_);
    if (!fields.at("key").is_null()) named_place("key", schema.key_name_, schema.key_position_);
    if (document.contains("weights")) named_place("weights", schema.weights_name_, schema.weights_position_);
    if (document.contains("exposure")) named_place("exposure", schema.exposure_name_, schema.exposure_position_);
    const Json& inputs = fields.at("inputs");
    if (!inputs.is_array() || inputs.empty()) fields.refuse("'inputs' is not a list with entries");
    for (const Json& entry : inputs) {
      schema.inputs_.push_back(input_from_json(entry, schema.inputs_.size(), schema.table_columns_));
      use(schema.inputs_.back().position);
    }
    if (document.contains("classes")) {
      schema.config_.labels = true;
      schema.classes_ = classes_from_json(fields);
    }
    read_kinds(fields, document, schema);
    fields.done();
    schema.name_inputs();
    return schema;
  }
};

Json to_json(const Schema& schema) { return SchemaCodec::write(schema); }
Schema schema_from_json(const Json& document) { return SchemaCodec::read(document); }

namespace data_detail {

std::string rows_description_text(const RowsDescription& description) {
  Json json = {{"schema", to_json(description.schema)}, {"table_rows", description.table_rows}};
  const RowsPart& part = description.part;
  if (part.of > 0) json["part"] = {part.number, part.of, part.all_rows};
  return json.dump();
}

std::optional<RowsDescription> parse_rows_description(const std::string& text) {
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("schema") || !json.contains("table_rows") ||
      !json["table_rows"].is_number_integer())
    return std::nullopt;
  RowsDescription description{schema_from_json(json["schema"]), json["table_rows"].get<Index>()};
  if (!json.contains("part")) return description;
  const auto& part = json["part"];
  if (!part.is_array() || part.size() != 3 || !part[0].is_number_integer() || !part[1].is_number_integer() ||
      !part[2].is_number_integer())
    return std::nullopt;
  description.part = {part[0].get<Index>(), part[1].get<Index>(), part[2].get<Index>()};
  if (description.part.number < 1) return std::nullopt;
  return description;
}

}  // namespace data_detail
}  // namespace alacarte
