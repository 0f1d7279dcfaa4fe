#pragma once
// The description at the end of a rows file. The room io defines its text, a JSON document (io/rows_description.cpp).
#include <optional>
#include <string>

#include "alacarte/data/rows_file.hpp"

namespace alacarte::data_detail {

struct RowsDescription {
  Schema schema;         ///< what the rows were encoded with
  Index table_rows = 0;  ///< data rows of the table, dropped ones included
  RowsPart part = {};    ///< of which table
};

std::string rows_description_text(const RowsDescription& description);
/// Nothing for a text that is no description; throws IoError for a malformed schema.
std::optional<RowsDescription> parse_rows_description(const std::string& text);

}  // namespace alacarte::data_detail
