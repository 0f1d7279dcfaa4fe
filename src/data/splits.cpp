#include "alacarte/data/splits.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"

namespace alacarte {

std::vector<bool> read_mask(const std::string& path, Index fold, Index rows) {
  const auto reader = open_table(path, DataConfig());
  return read_mask(*reader, fold, rows);
}

std::vector<bool> read_mask(TableReader& reader, Index fold, Index rows) {
  const auto folds = static_cast<Index>(reader.columns().size());
  if (fold < 0 || fold >= folds)
    throw ConfigError("fold", "there is no fold " + std::to_string(fold) + " in " + reader.path() + "; it has " +
                                  std::to_string(folds) + ", counted from 0");
  std::vector<bool> test;
  TableChunk chunk;
  while (reader.read(chunk, 8192)) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double value = chunk.numbers(i, fold);
      if (value != 0 && value != 1)
        throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(i)], fold + 1,
                        "a mask holds only 0 (train) and 1 (test)");
      test.push_back(value == 1);
    }
    if (static_cast<Index>(test.size()) > rows) break;  // wrong anyway; the rest need not be read
  }
  if (static_cast<Index>(test.size()) > rows)
    throw DataError(reader.path(), "the mask has more rows than the " + std::to_string(rows) + " of the data");
  if (static_cast<Index>(test.size()) < rows)
    throw DataError(reader.path(),
                    "the mask has " + std::to_string(test.size()) + " rows, the data have " + std::to_string(rows));
  const auto count = std::count(test.begin(), test.end(), true);
  if (count == 0 || count == rows)
    throw DataError(reader.path(), 0, fold + 1,
                    count == 0 ? "the fold has no test row" : "the fold has no training row");
  return test;
}

Index count_mask_folds(const std::string& path) {
  return static_cast<Index>(open_table(path, DataConfig())->columns().size());
}

std::vector<bool> k_fold(Index rows, Index folds, Index fold, std::uint64_t seed) {
  if (folds < 2 || folds > rows)
    throw ConfigError("folds", std::to_string(folds) + " folds of " + std::to_string(rows) +
                                   " rows; there must be at least 2 and no more than rows");
  if (fold < 0 || fold >= folds)
    throw ConfigError("fold",
                      "there is no fold " + std::to_string(fold) + " of " + std::to_string(folds) + ", counted from 0");
  RandomStream stream = RandomStreams(seed).stream("k_fold");
  const auto order = stream.permutation(rows);
  std::vector<bool> test(static_cast<std::size_t>(rows), false);
  for (Index i = fold; i < rows; i += folds) test[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  return test;
}

std::vector<bool> hold_out(Index rows, double share, std::uint64_t seed) {
  if (!(share > 0 && share < 1)) throw ConfigError("hold_out", "the test share must lie between 0 and 1");
  if (rows < 2) throw ConfigError("hold_out", "at least two rows are needed");
  const auto count =
      std::clamp<Index>(static_cast<Index>(std::llround(share * static_cast<double>(rows))), 1, rows - 1);
  RandomStream stream = RandomStreams(seed).stream("hold_out");
  const auto order = stream.permutation(rows);
  std::vector<bool> test(static_cast<std::size_t>(rows), false);
  for (Index i = 0; i < count; ++i) test[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  return test;
}

}  // namespace alacarte
