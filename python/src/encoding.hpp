#pragma once
// Encodes tables of Python into rows.
#include "alacarte/core/recipe.hpp"
#include "alacarte/data/dataset.hpp"
#include "table.hpp"

namespace alacarte::python {

struct Encoded {
  Schema schema;
  Dataset rows;
  SplitColumns columns = {};  ///< groups or times of the rows
};

/// Learns a schema from all rows of a table whose last column is the target, and encodes them by the recipe's data
/// options. Throws as Schema::learn, and ConfigError for sparse rows that the recipe does not take.
Encoded learn_encoding(const Table& table, const Recipe& recipe);
/// Encodes the inputs of a table under a schema; throws as Schema::encode. Numbers of a column that was written in a
/// NumberStyle are read as such if the table has the inputs alone, in their order. The rows have no targets.
Dataset encode_inputs(const Schema& schema, const Table& table);
/// Reads the cells of a target as numbers, also with signs of currency or thousands, a unit or a decimal comma that all
/// share; NaN in gaps. Throws DataError(name) for other text.
Vector read_numbers(const std::string& name, const std::vector<std::string>& cells);

}  // namespace alacarte::python
