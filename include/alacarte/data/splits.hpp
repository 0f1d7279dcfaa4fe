#pragma once
// Which rows train and which test.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace alacarte {

/// Column `fold` of a mask file (CSV or CSV.gz of 0/1, one row for each data row; 1 = test row).
/// Throws DataError when it is not such a file or has another number of rows, ConfigError when there is no such fold.
std::vector<bool> read_mask(const std::string& path, Index fold, Index rows);
/// Test rows of fold `fold` of `folds` in a seeded random partition into near-equal parts.
std::vector<bool> k_fold(Index rows, Index folds, Index fold, std::uint64_t seed);
/// A seeded random test share in (0, 1); at least one row on either side.
std::vector<bool> hold_out(Index rows, double share, std::uint64_t seed);

}  // namespace alacarte
