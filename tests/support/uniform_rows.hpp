#pragma once
// Rows whose inputs are uniform on the unit cube.
#include "alacarte/core/random.hpp"
#include "alacarte/data/dataset.hpp"

namespace alacarte::test {

/// target(inputs of a row, standard normal number of the row).
template <class Target>
Dataset uniform_rows(Index rows, Index inputs, std::uint64_t seed, const Target& target) {
  Dataset data;
  data.inputs.resize(rows, inputs);
  data.target.resize(rows);
  RandomStream stream(seed);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < inputs; ++j) data.inputs(i, j) = stream.uniform();
    data.target[i] = target(data.inputs.row(i), stream.normal());
  }
  return data;
}

}  // namespace alacarte::test
