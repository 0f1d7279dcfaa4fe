#pragma once
// From tables of Python to encoded rows.
#include "alacarte/data/dataset.hpp"
#include "table.hpp"

namespace alacarte::python {

struct Encoded {
  Schema schema;
  Dataset rows;
};

/// Learns a schema from all rows of a table whose last column is the target, and encodes them. Throws as Schema::learn.
Encoded learn_encoding(const Table& table, const DataConfig& config);
/// The inputs of a table under a schema; throws as Schema::encode.
Matrix encode_inputs(const Schema& schema, const Table& table);

}  // namespace alacarte::python
