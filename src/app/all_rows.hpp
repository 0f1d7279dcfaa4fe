#pragma once
// All rows of a file in memory, encoded by the schema of a model.
#include <alacarte/data/dataset.hpp>
#include <functional>

namespace alacarte {

/// Reads what is left of a stream whose rows have `inputs` encoded inputs. The target is NaN in gaps and empty if no
/// chunk has one; weights are 1 where a chunk has none. between_chunks may throw to stop.
Dataset read_all_rows(DatasetStream& stream, Index inputs, const std::function<void()>& between_chunks = {});

}  // namespace alacarte
