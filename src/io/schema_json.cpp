// Schemas and standardisers as JSON, read strictly: keys and types are checked.
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
#include "documents.hpp"

namespace alacarte {
namespace {

/// Reads the fields of an object; done() rejects keys that were not read. Errors are IoErrors that name `where`.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string where);

  const nlohmann::json& at(const char* key);
  std::string text(const char* key);
  bool boolean(const char* key);
  Index integer(const char* key, Index minimum, Index maximum);
  double number(const char* key);  ///< finite
  Vector numbers(const char* key);
  std::vector<std::string> texts(const char* key);
  void done() const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> used_;
};

std::string quoted(const char* key) { return std::string("'").append(key).append("'"); }

JsonFields::JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) refuse("not an object");
}

void JsonFields::refuse(const std::string& what) const { throw IoError("model file", where_ + ": " + what); }

const nlohmann::json& JsonFields::at(const char* key) {
  const auto found = object_.find(key);
  if (found == object_.end()) refuse(quoted(key) + " is missing");
  used_.insert(key);
  return *found;
}

std::string JsonFields::text(const char* key) {
  const auto& value = at(key);
  if (!value.is_string()) refuse(quoted(key) + " is not a text");
  return value.get<std::string>();
}

bool JsonFields::boolean(const char* key) {
  const auto& value = at(key);
  if (!value.is_boolean()) refuse(quoted(key) + " is neither true nor false");
  return value.get<bool>();
}

Index JsonFields::integer(const char* key, Index minimum, Index maximum) {
  const auto& value = at(key);
  // An unsigned number beyond 2^63 would wrap on conversion.
  const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() >> 63 == 0);
  if (!fits || value.get<Index>() < minimum || value.get<Index>() > maximum)
    refuse(quoted(key) + " is not a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
  return value.get<Index>();
}

double JsonFields::number(const char* key) {
  const auto& value = at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(quoted(key) + " is not a finite number");
  return value.get<double>();
}

Vector JsonFields::numbers(const char* key) {
  const auto& list = at(key);
  if (!list.is_array()) refuse(quoted(key) + " is not a list");
  Vector values(static_cast<Index>(list.size()));
  Index i = 0;
  for (const auto& value : list) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      refuse(quoted(key) + " holds something that is not a finite number");
    values[i++] = value.get<double>();
  }
  return values;
}

std::vector<std::string> JsonFields::texts(const char* key) {
  const auto& list = at(key);
  if (!list.is_array()) refuse(quoted(key) + " is not a list");
  std::vector<std::string> values;
  for (const auto& value : list) {
    if (!value.is_string()) refuse(quoted(key) + " holds something that is not a text");
    values.push_back(value.get<std::string>());
  }
  return values;
}

void JsonFields::done() const {
  for (const auto& item : object_.items())
    if (used_.count(item.key()) == 0) refuse("unknown key '" + data_detail::printable(item.key()) + "'");
}

using SchemaJson = nlohmann::json;

constexpr Index kMaxTableColumns = 100000000;

SchemaJson config_to_json(const DataConfig& config) {
  SchemaJson document = {{"target", config.target},
                         {"inputs", config.inputs},
                         {"ignore", config.ignore},
                         {"key", config.key},
                         {"categorical", config.categorical},
                         {"missing", word(config.missing)},
                         {"unseen", word(config.unseen)},
                         {"header", word(config.header)},
                         {"separator", word(config.separator)}};
  // Older files have the defaults of these fields.
  const DataConfig defaults;
  if (config.decimal != defaults.decimal) document["decimal"] = word(config.decimal);
  if (config.missing_words != defaults.missing_words) document["missing_words"] = config.missing_words;
  if (config.text != defaults.text) document["text"] = word(config.text);
  if (config.dates != defaults.dates) document["dates"] = config.dates;
  if (config.weights != defaults.weights) document["weights"] = config.weights;
  if (config.noise_sd != defaults.noise_sd) document["noise_sd"] = config.noise_sd;
  return document;
}

template <class Enum>
void read_word(JsonFields& fields, const char* key, Enum& value) {
  const std::optional<Enum> known = from_word<Enum>(fields.text(key));
  if (!known) fields.refuse(std::string(key) + " is none of its known words");
  value = *known;
}

DataConfig config_from_json(const SchemaJson& document) {
  JsonFields fields(document, "schema/config");
  DataConfig config;
  config.target = fields.text("target");
  config.inputs = fields.texts("inputs");
  config.ignore = fields.texts("ignore");
  config.key = fields.text("key");
  config.categorical = fields.texts("categorical");
  read_word(fields, "missing", config.missing);
  read_word(fields, "unseen", config.unseen);
  read_word(fields, "header", config.header);
  read_word(fields, "separator", config.separator);
  if (document.contains("decimal")) read_word(fields, "decimal", config.decimal);
  if (document.contains("missing_words")) config.missing_words = fields.texts("missing_words");
  if (document.contains("weights")) config.weights = fields.text("weights");
  if (document.contains("noise_sd")) config.noise_sd = fields.text("noise_sd");
  if (document.contains("dates")) config.dates = fields.texts("dates");
  if (document.contains("text")) read_word(fields, "text", config.text);
  fields.done();
  return config;
}

std::vector<std::string> classes_from_json(JsonFields& fields) {
  std::vector<std::string> classes = fields.texts("classes");
  if (classes.size() < 2 || std::set<std::string>(classes.begin(), classes.end()).size() != classes.size())
    fields.refuse("the classes are not two or more different names");
  return classes;
}

InputColumn input_from_json(const SchemaJson& document, std::size_t index, Index columns) {
  JsonFields fields(document, "schema/inputs/" + std::to_string(index));
  InputColumn input;
  input.name = fields.text("name");
  input.position = fields.integer("position", 0, columns - 1);
  input.categorical = fields.boolean("categorical");
  if (input.categorical) {
    input.categories = fields.texts("categories");
    const bool increasing = std::adjacent_find(input.categories.begin(), input.categories.end(),
                                               std::greater_equal<>()) == input.categories.end();
    if (input.categories.empty() || !increasing) fields.refuse("the categories are not an increasing list");
  } else {
    input.fill = fields.number("fill");
    if (document.contains("date")) input.date = fields.boolean("date");
  }
  fields.done();
  return input;
}

nlohmann::json to_list(const Vector& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

}  // namespace

/// Accesses the private members of a schema.
class SchemaCodec {
 public:
  static SchemaJson write(const Schema& schema);
  static Schema read(const SchemaJson& document);
};

SchemaJson SchemaCodec::write(const Schema& schema) {
  if (schema.is_sparse()) {
    SchemaJson document = {{"sparse_inputs", schema.sparse_inputs_}, {"config", config_to_json(schema.config_)}};
    if (schema.config_.labels) document["classes"] = schema.classes_;
    return document;
  }
  SchemaJson inputs = SchemaJson::array();
  for (const InputColumn& input : schema.inputs_) {
    SchemaJson entry = {{"name", input.name}, {"position", input.position}, {"categorical", input.categorical}};
    if (input.categorical) {
      entry["categories"] = input.categories;
    } else {
      entry["fill"] = input.fill;
      if (input.date) entry["date"] = true;
    }
    inputs.push_back(std::move(entry));
  }
  SchemaJson document = {{"columns", schema.table_columns_},
                         {"has_names", schema.has_names_},
                         {"target", {{"name", schema.target_name_}, {"position", schema.target_position_}}},
                         {"key", nullptr},
                         {"inputs", std::move(inputs)},
                         {"config", config_to_json(schema.config_)}};
  // Files from before classification lack these.
  if (schema.config_.labels) document["classes"] = schema.classes_;
  if (schema.has_weights())
    document["weights"] = {{"name", schema.weights_name_}, {"position", schema.weights_position_}};
  if (schema.key_position_ >= 0) document["key"] = {{"name", schema.key_name_}, {"position", schema.key_position_}};
  return document;
}

Schema SchemaCodec::read(const SchemaJson& document) {
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
  const SchemaJson& inputs = fields.at("inputs");
  if (!inputs.is_array() || inputs.empty()) fields.refuse("'inputs' is not a list with entries");
  for (const SchemaJson& entry : inputs) {
    schema.inputs_.push_back(input_from_json(entry, schema.inputs_.size(), schema.table_columns_));
    use(schema.inputs_.back().position);
  }
  if (document.contains("classes")) {
    schema.config_.labels = true;
    schema.classes_ = classes_from_json(fields);
  }
  fields.done();
  schema.name_inputs();
  return schema;
}

nlohmann::json to_json(const Schema& schema) { return SchemaCodec::write(schema); }
Schema schema_from_json(const nlohmann::json& document) { return SchemaCodec::read(document); }

/// Accesses the private members of a standardiser.
class StandardizerCodec {
 public:
  static nlohmann::json write(const Standardizer& scales);
  static Standardizer read(const nlohmann::json& json);
};

nlohmann::json StandardizerCodec::write(const Standardizer& scales) {
  if (scales.sparse_) {
    nlohmann::json sparse = {
        {"sparse_inputs", scales.shift_.size()}, {"roots", scales.rows_.roots}, {"unit_rows", scales.rows_.unit}};
    if (scales.target_shift_ != 0) sparse["target_shift"] = scales.target_shift_;
    if (scales.target_scale_ != 1) sparse["target_scale"] = scales.target_scale_;
    return sparse;
  }
  nlohmann::json document = {{"shift", to_list(scales.shift_)},      {"scale", to_list(scales.scale_)},
                             {"minimum", to_list(scales.minimum_)},  {"maximum", to_list(scales.maximum_)},
                             {"target_shift", scales.target_shift_}, {"target_scale", scales.target_scale_}};
  if (scales.rows_.roots) document["roots"] = true;
  if (scales.rows_.unit) document["unit_rows"] = true;
  return document;
}

Standardizer StandardizerCodec::read(const nlohmann::json& json) {
  JsonFields fields(json, "standardizer");
  const auto is_set = [&](const char* name) { return json.contains(name) && fields.boolean(name); };
  if (json.contains("sparse_inputs")) {
    const Index inputs = fields.integer("sparse_inputs", 1, data_detail::kMaxLibsvmInputs);
    Standardizer result = Standardizer::sparse(inputs, {is_set("roots"), is_set("unit_rows")});
    if (json.contains("target_shift")) result.target_shift_ = fields.number("target_shift");
    if (json.contains("target_scale")) result.target_scale_ = fields.number("target_scale");
    fields.done();
    if (result.target_scale_ <= 0) fields.refuse("a scale is not positive");
    return result;
  }
  Standardizer result;
  result.shift_ = fields.numbers("shift");
  result.scale_ = fields.numbers("scale");
  result.minimum_ = fields.numbers("minimum");
  result.maximum_ = fields.numbers("maximum");
  result.target_shift_ = fields.number("target_shift");
  result.target_scale_ = fields.number("target_scale");
  result.rows_ = {is_set("roots"), is_set("unit_rows")};
  fields.done();
  const Index d = result.shift_.size();
  if (result.scale_.size() != d || result.minimum_.size() != d || result.maximum_.size() != d)
    fields.refuse("lists of different lengths");
  if ((result.scale_.array() <= 0).any() || result.target_scale_ <= 0) fields.refuse("a scale is not positive");
  if ((result.minimum_.array() > result.maximum_.array()).any()) fields.refuse("a minimum is above its maximum");
  return result;
}

nlohmann::json to_json(const Standardizer& standardizer) { return StandardizerCodec::write(standardizer); }
Standardizer standardizer_from_json(const nlohmann::json& json) { return StandardizerCodec::read(json); }

}  // namespace alacarte
