#include "data/column_plan.hpp"

#include <map>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

/// Gives each column at most one role; a second one is an error of the config.
class Parts {
 public:
  explicit Parts(const TableReader& reader) : reader_(reader) {}

  void give(Index column, const std::string& part, const std::string& pointer) {
    const auto [former, fresh] = parts_.emplace(column, part);
    if (!fresh)
      throw ConfigError(pointer, "column '" + printable(reader_.columns()[static_cast<std::size_t>(column)]) +
                                     "' is already " + former->second);
  }
  bool taken(Index column) const { return parts_.count(column) != 0; }

 private:
  const TableReader& reader_;
  std::map<Index, std::string> parts_;
};

std::string entry(const char* list, std::size_t index) {
  return std::string("/data/").append(list).append("/").append(std::to_string(index));
}

void plan_inputs(const TableReader& reader, const DataConfig& config, Parts& parts, ColumnPlan& plan) {
  for (std::size_t i = 0; i < config.inputs.size(); ++i) {
    plan.inputs.push_back(find_column(reader, config.inputs[i], entry("inputs", i)));
    parts.give(plan.inputs.back(), "an input", entry("inputs", i));
  }
  if (config.inputs.empty())
    for (Index c = 0; c < static_cast<Index>(reader.columns().size()); ++c)
      if (!parts.taken(c)) plan.inputs.push_back(c);
  if (plan.inputs.empty() && reader.columns().size() == 1)
    throw DataError(reader.path(), reader.holds_text()
                                       ? "has one column only; are its columns separated by comma, semicolon, tab or "
                                         "space (data.separator)?"
                                       : "has one column only, which is the target: there is no input");
  if (plan.inputs.empty()) throw ConfigError("/data/inputs", "no input column is left in " + reader.path());
}

/// Returns the input of a column. Throws ConfigError(pointer) for other columns.
std::size_t input_place(const TableReader& reader, const ColumnPlan& plan, const std::string& name,
                        const std::string& pointer) {
  const auto found = std::find(plan.inputs.begin(), plan.inputs.end(), find_column(reader, name, pointer));
  if (found == plan.inputs.end()) throw ConfigError(pointer, "column '" + printable(name) + "' is not an input");
  return static_cast<std::size_t>(found - plan.inputs.begin());
}

void plan_dates(const TableReader& reader, const DataConfig& config, ColumnPlan& plan) {
  plan.dates.assign(plan.inputs.size(), false);
  if (!config.dates.empty() && !reader.holds_text())
    throw ConfigError("/data/dates", reader.path() + " holds numbers alone, no dates");
  for (std::size_t i = 0; i < config.dates.size(); ++i) {
    const std::size_t place = input_place(reader, plan, config.dates[i], entry("dates", i));
    plan.dates[place] = true;
    plan.categorical[place] = false;
  }
}

}  // namespace

ColumnPlan plan_columns(const TableReader& reader, const DataConfig& config) {
  if (config.target.empty() && !reader.no_target_reason().empty())
    throw DataError(reader.path(), reader.no_target_reason());
  ColumnPlan plan;
  Parts parts(reader);
  plan.target = config.target.empty() ? static_cast<Index>(reader.columns().size()) - 1
                                      : find_column(reader, config.target, "/data/target");
  parts.give(plan.target, "the target", "/data/target");
  if (!config.key.empty()) {
    plan.key = find_column(reader, config.key, "/data/key");
    parts.give(plan.key, "the key", "/data/key");
  }
  if (!config.weights.empty()) {
    plan.weights = find_column(reader, config.weights, "/data/weights");
    parts.give(plan.weights, "the weight of rows", "/data/weights");
  }
  if (!config.noise_sd.empty()) {
    if (!config.weights.empty()) throw ConfigError("/data/noise_sd", "a row has a weight or a known noise, not both");
    plan.weights = find_column(reader, config.noise_sd, "/data/noise_sd");
    parts.give(plan.weights, "the noise of rows", "/data/noise_sd");
  }
  if (!config.exposure.empty()) {
    plan.exposure = find_column(reader, config.exposure, "/data/exposure");
    parts.give(plan.exposure, "the exposure", "/data/exposure");
  }
  for (std::size_t i = 0; i < config.ignore.size(); ++i)
    parts.give(find_column(reader, config.ignore[i], entry("ignore", i)), "ignored", entry("ignore", i));
  plan_inputs(reader, config, parts, plan);
  const bool codes_text = config.text == TextInputs::onehot || (config.text == TextInputs::automatic && config.strict);
  for (const Index column : plan.inputs) plan.categorical.push_back(codes_text && reader.is_text(column));
  plan_dates(reader, config, plan);
  plan.found = plan.categorical;
  for (std::size_t i = 0; i < config.categorical.size(); ++i) {
    const std::size_t place = input_place(reader, plan, config.categorical[i], entry("categorical", i));
    if (plan.dates[place])
      throw ConfigError(entry("categorical", i), "column '" + printable(config.categorical[i]) + "' is already a date");
    plan.categorical[place] = true;
    plan.found[place] = false;
  }
  return plan;
}

}  // namespace alacarte::data_detail
