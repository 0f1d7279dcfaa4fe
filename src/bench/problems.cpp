#include "bench/problems.hpp"

#include <fmt/format.h>

namespace alacarte::bench {

Dataset generated_rows(Index rows, Index inputs, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, inputs);
  for (Index j = 0; j < inputs; ++j)
    for (Index i = 0; i < rows; ++i) data.inputs(i, j) = stream.normal();
  data.target = data.inputs.col(0).array().sin() + 0.5 * (inputs > 1 ? 1.0 : 0.0) * data.inputs.col(inputs - 1).array();
  for (Index i = 0; i < rows; ++i) data.target[i] += 0.1 * stream.normal();
  return data;
}

Schema generated_schema(Index inputs) {
  std::string header, row;
  for (Index j = 0; j < inputs; ++j) {
    header += fmt::format("x{},", j);
    row += "1,";
  }
  const auto reader = open_table_from_memory("generated", header + "y\n" + row + "1\n", {});
  Schema::prepare(*reader, {});
  const TableChunk table = read_all(*reader);
  return Schema::learn(*reader, table, {}, {});
}

}  // namespace alacarte::bench
