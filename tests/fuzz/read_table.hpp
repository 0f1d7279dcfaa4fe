#pragma once
// Invariants of every reader for any bytes: it reads to the end or throws our error; each chunk has the declared shape.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "io/documents.hpp"

namespace alacarte::fuzz {

inline void check(bool condition) {
  if (!condition) std::abort();
}

/// Reads everything in small chunks and encodes it, which refuses infinity. `inputs`: of LIBSVM data, 0 = the file's.
inline void read_table(const std::string& name, std::string bytes, const DataConfig& config, Index inputs = 0) {
  constexpr Index kMaxRows = 64;
  // Maximum number of columns: an index of six digits in ten bytes requests megabytes per row and tests nothing new.
  constexpr Index kMaxColumns = 2000;
  try {
    const auto reader = open_table_from_memory(name, std::move(bytes), config, inputs);
    const auto columns = static_cast<Index>(reader->columns().size());
    check(columns > 0);
    if (columns > kMaxColumns) return;
    Schema::prepare(*reader, config);
    TableChunk chunk;
    Index rows = 0;
    Schema schema;
    while (reader->read(chunk, kMaxRows)) {
      check(chunk.rows() > 0 && chunk.rows() <= kMaxRows && chunk.numbers.cols() == columns);
      check(chunk.first_row == rows && static_cast<Index>(chunk.line_numbers.size()) == chunk.rows());
      if (rows == 0) schema = schema_from_json(to_json(Schema::learn(*reader, chunk, config, {})));
      const Dataset data = schema.encode(*reader, chunk, false);
      check(data.inputs.allFinite() && data.inputs.cols() == schema.input_count());
      rows += chunk.rows();
    }
    for (const std::string& remark : reader->remarks())
      check(!remark.empty() && remark.find('\n') == std::string::npos);
  } catch (const Error& error) {
    check(std::string(error.what()).find('\n') == std::string::npos);
  }
}

}  // namespace alacarte::fuzz
