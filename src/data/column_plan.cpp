#include "data/column_plan.hpp"

#include <algorithm>
#include <map>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

/// Gives each column at most one part; a second one is the config's mistake.
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
    throw ConfigError("/data/inputs", "no input column is left: " + reader.path() +
                                          " has one column only; are its columns separated by comma, semicolon, tab "
                                          "or space (data.separator)?");
  if (plan.inputs.empty()) throw ConfigError("/data/inputs", "no input column is left in " + reader.path());
}

}  // namespace

ColumnPlan plan_columns(const TableReader& reader, const DataConfig& config) {
  check_word(config.missing, {"error", "drop", "mean"}, "/data/missing");
  check_word(config.unseen, {"error", "zero"}, "/data/unseen");
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
  for (std::size_t i = 0; i < config.ignore.size(); ++i)
    parts.give(find_column(reader, config.ignore[i], entry("ignore", i)), "ignored", entry("ignore", i));
  plan_inputs(reader, config, parts, plan);
  check_word(config.text, {"onehot", "error"}, "/data/text");
  for (const Index column : plan.inputs) plan.categorical.push_back(config.text == "onehot" && reader.is_text(column));
  plan.found = plan.categorical;
  for (std::size_t i = 0; i < config.categorical.size(); ++i) {
    const Index column = find_column(reader, config.categorical[i], entry("categorical", i));
    const auto found = std::find(plan.inputs.begin(), plan.inputs.end(), column);
    if (found == plan.inputs.end())
      throw ConfigError(entry("categorical", i), "column '" + printable(config.categorical[i]) + "' is not an input");
    const auto place = static_cast<std::size_t>(found - plan.inputs.begin());
    plan.categorical[place] = true;
    plan.found[place] = false;
  }
  return plan;
}

}  // namespace alacarte::data_detail
