#pragma once
// Splits of rows into training and test rows.
#include <alacarte/core/types.hpp>
#include <alacarte/data/table.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace alacarte {

/// Reads column `fold` of a mask file (CSV or CSV.gz of 0/1, one row for each data row; 1 = test row). Throws DataError
/// for another format or number of rows, ConfigError if there is no such fold.
std::vector<bool> read_mask(const std::string& path, Index fold, Index rows);
/// Reads a mask from an open, unread reader.
std::vector<bool> read_mask(TableReader& reader, Index fold, Index rows);
/// Returns the number of columns of a mask file.
Index count_mask_folds(const std::string& path);
/// Returns the test rows of fold `fold` of `folds` in a seeded random partition into near-equal parts. Throws
/// ConfigError unless 2 <= folds <= rows and 0 <= fold < folds.
std::vector<bool> k_fold(Index rows, Index folds, Index fold, std::uint64_t seed);
/// Returns a seeded random test share in (0, 1) with at least one row on either side. Throws ConfigError for another
/// share or fewer than two rows.
std::vector<bool> hold_out(Index rows, double share, std::uint64_t seed);

/// Returns the class of every data row of a table or rows file, as integers in any order, for stratified splits. -1: a
/// row without a label, or left out of a rows file. config.labels must be set. Memory: one integer a row.
std::vector<Index> read_classes(const std::string& path, const DataConfig& config);
/// Returns read_classes() for a table that was read whole by a reader prepared with config.labels.
std::vector<Index> classes_of(const TableReader& reader, const TableChunk& table, const DataConfig& config);

/// Look of the target of a table.
enum class TargetLook {
  numbers,  ///< also rows files, and tables without a target
  few,      ///< at most 10 whole numbers with on average 10 or more rows each, which may be labels
  mixed,    ///< text among numbers: labels, or numbers with a slip
  text      ///< text alone, in the rows that were read
};
/// Reads the target's column, up to a tenth and further number.
TargetLook look_at_target(const std::string& path, const DataConfig& config);
/// Returns true if the target of a table looks like a label: few, mixed or text.
inline bool has_class_target(const std::string& path, const DataConfig& config) {
  return look_at_target(path, config) != TargetLook::numbers;
}

/// Splits like k_fold() and hold_out(), stratified: either side and every fold have the share of each class to within
/// one row, and each class keeps at least one training row, so a class with a single row is never tested (if all
/// classes have one row, no row is).
std::vector<bool> k_fold(const std::vector<Index>& classes, Index folds, Index fold, std::uint64_t seed);
std::vector<bool> hold_out(const std::vector<Index>& classes, double share, std::uint64_t seed);  ///< stratified

}  // namespace alacarte
