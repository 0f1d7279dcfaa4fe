#pragma once
// Generated rows of any shape: cost depends on shapes alone, so what they say does not matter much.
#include <alacarte/core/types.hpp>
#include <alacarte/data/dataset.hpp>

namespace alacarte::bench {

/// inputs (rows, d) standard normal; target sin(first) + last / 2 + noise of standard deviation 0.1 (one input: the
/// sine alone).
Dataset generated_rows(Index rows, Index inputs, std::uint64_t seed);

/// What a table with `inputs` columns x0.. and a target y would teach a schema.
Schema generated_schema(Index inputs);

}  // namespace alacarte::bench
