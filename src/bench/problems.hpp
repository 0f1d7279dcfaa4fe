#pragma once
// Generated rows of any shape; cost depends on the shape, hardly on the values.
#include <alacarte/core/types.hpp>
#include <alacarte/data/dataset.hpp>

namespace alacarte::bench {

/// Generates inputs (rows, d) standard normal; target sin(first) + last / 2 (one input: the sine only) + noise of sd
/// 0.1.
Dataset generated_rows(Index rows, Index inputs, std::uint64_t seed);

/// Returns the schema of a table with `inputs` columns x0.. and a target y.
Schema generated_schema(Index inputs);

}  // namespace alacarte::bench
