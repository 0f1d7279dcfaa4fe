#include "encoding.hpp"

#include <algorithm>

namespace alacarte::python {
namespace {

TableChunk read_rows(TableOfPython& reader, const Table& table) {
  TableChunk chunk;
  chunk.numbers.resize(0, static_cast<Index>(table.columns.size()));
  chunk.text.resize(table.columns.size());
  reader.read(chunk, std::max<Index>(1, view(table.numbers).rows()));
  return chunk;
}

}  // namespace

Encoded learn_encoding(const Table& table, const DataConfig& config) {
  TableOfPython reader(table);
  Schema::prepare(reader, config);
  const TableChunk chunk = read_rows(reader, table);
  Encoded data{Schema::learn(reader, chunk, config, {}), {}};
  data.rows = data.schema.encode(reader, chunk, true);
  return data;
}

Matrix encode_inputs(const Schema& schema, const Table& table) {
  TableOfPython reader(table);
  schema.prepare(reader);
  const TableChunk chunk = read_rows(reader, table);
  return schema.encode(reader, chunk, false).inputs;
}

}  // namespace alacarte::python
