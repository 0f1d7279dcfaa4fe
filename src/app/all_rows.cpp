#include "all_rows.hpp"

#include <cmath>

namespace alacarte {
namespace {

constexpr Index kRowsAtOnce = 4096;

Dataset joined(const std::vector<Dataset>& chunks, Index count, Index inputs) {
  Dataset all;
  if (!chunks.empty() && chunks.front().is_sparse())
    all.sparse.width = inputs;
  else
    all.inputs.resize(count, inputs);
  Index at = 0;
  for (const Dataset& chunk : chunks) {
    if (all.is_sparse())
      all.sparse.append(chunk.sparse.view());
    else
      all.inputs.middleRows(at, chunk.rows()) = chunk.inputs;
    if (chunk.target.size() > 0) {
      if (all.target.size() == 0) all.target = Vector::Constant(count, std::nan(""));
      all.target.segment(at, chunk.rows()) = chunk.target;
    }
    if (chunk.weights.size() > 0) {
      if (all.weights.size() == 0) all.weights = Vector::Ones(count);
      all.weights.segment(at, chunk.rows()) = chunk.weights;
    }
    all.keys.insert(all.keys.end(), chunk.keys.begin(), chunk.keys.end());
    all.source_rows.insert(all.source_rows.end(), chunk.source_rows.begin(), chunk.source_rows.end());
    at += chunk.rows();
  }
  return all;
}

}  // namespace

Dataset read_all_rows(DatasetStream& stream, Index inputs, const std::function<void()>& between_chunks) {
  std::vector<Dataset> chunks;
  Index count = 0;
  for (Dataset chunk; stream.next(chunk, kRowsAtOnce); chunk = {}) {
    if (between_chunks) between_chunks();
    count += chunk.rows();
    chunks.push_back(std::move(chunk));
  }
  return joined(chunks, count, inputs);
}

}  // namespace alacarte
