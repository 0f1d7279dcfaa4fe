// The description at the end of a rows file as JSON text.
#include "data/rows_format.hpp"

#include <nlohmann/json.hpp>

#include "documents.hpp"

namespace alacarte::data_detail {

std::string rows_description_text(const RowsDescription& description) {
  nlohmann::json json = {{"schema", to_json(description.schema)}, {"table_rows", description.table_rows}};
  const RowsPart& part = description.part;
  if (part.of > 0) json["part"] = {part.number, part.of, part.all_rows};
  return json.dump();
}

std::optional<RowsDescription> parse_rows_description(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
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

}  // namespace alacarte::data_detail
