#pragma once
// Splits of rows into training and test rows.
#include <alacarte/core/types.hpp>
#include <alacarte/data/table.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace alacarte {

/// Column `fold` of a mask file (CSV or CSV.gz of 0/1, one row for each data row; 1 = test row).
/// Throws DataError when it is not such a file or has another number of rows, ConfigError when there is no such fold.
std::vector<bool> read_mask(const std::string& path, Index fold, Index rows);
/// read_mask() from an open, unread reader.
std::vector<bool> read_mask(TableReader& reader, Index fold, Index rows);
/// Number of columns of a mask file.
Index count_mask_folds(const std::string& path);
/// Test rows of fold `fold` of `folds` in a seeded random partition into near-equal parts.
/// Throws ConfigError unless 2 <= folds <= rows and 0 <= fold < folds.
std::vector<bool> k_fold(Index rows, Index folds, Index fold, std::uint64_t seed);
/// A seeded random test share in (0, 1); at least one row on either side. Throws ConfigError for another share or
/// fewer than two rows.
std::vector<bool> hold_out(Index rows, double share, std::uint64_t seed);

/// The class of every data row of a table or rows file, as numbers of any order: what stratified splits take. -1: a row
/// without a label, or one that a rows file left out. config.labels must be set. Memory: one integer a row.
std::vector<Index> read_classes(const std::string& path, const DataConfig& config);
/// The class of every row of a table that was read whole by a reader prepared with config.labels; as read_classes().
std::vector<Index> classes_of(const TableReader& reader, const TableChunk& table, const DataConfig& config);

/// Whether the target of a table looks like a class: a cell that is text, or at most 10 whole numbers that 10 rows or
/// more share on average. False for rows files, and for tables without a target. Cost: reads the column, up to a tenth
/// and further number.
bool has_class_target(const std::string& path, const DataConfig& config);

/// Stratified k_fold() and hold_out(): either side and every fold have the share of each class to within one row, and
/// each class keeps at least one training row, so a class with a single row is never tested (if all classes have one
/// row, no row is).
std::vector<bool> k_fold(const std::vector<Index>& classes, Index folds, Index fold, std::uint64_t seed);
std::vector<bool> hold_out(const std::vector<Index>& classes, double share, std::uint64_t seed);  ///< as above

}  // namespace alacarte
