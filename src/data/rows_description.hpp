#pragma once
// The description at the end of a rows file, whose JSON text io/rows_description.cpp defines.
#include <optional>
#include <string>

#include "alacarte/data/rows_file.hpp"

namespace alacarte::data_detail {

struct RowsDescription {
  Schema schema;         ///< schema of the rows
  Index table_rows = 0;  ///< data rows of the table, dropped ones included
  RowsPart part = {};    ///< part of a table
};

std::string rows_description_text(const RowsDescription& description);
/// Parses a description; nothing for other text. Throws IoError for a malformed schema.
std::optional<RowsDescription> parse_rows_description(const std::string& text);

}  // namespace alacarte::data_detail
