#pragma once
// Splits of rows by a column: whole groups, or the past and the future.
#include <alacarte/core/random.hpp>
#include <alacarte/data/row_source.hpp>
#include <alacarte/data/table.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace alacarte {

/// Returns the columns config.group and config.time of every data row of a table, in a pass of its own over the file;
/// empty if neither is named. Groups are texts, numbers in their shortest form; rows without one form a group together.
/// Times are all numbers or all dates (parse_date()). Throws ConfigError for a column that is absent and for both at
/// once, and as require_splittable(), DataError for a rows file, which keeps no such column, for standard input, and
/// for a time that is missing or neither number nor date, which it names by row. Memory: 8 bytes a row, and the
/// distinct groups.
SplitColumns read_split_columns(const std::string& path, const DataConfig& config);

/// Throws ConfigError for columns of a table that cannot split it: one group, or one time.
void require_splittable(const SplitColumns& columns);

/// Returns the test rows of fold `fold` of `folds` whole groups, near-equal in rows: large groups first, each to the
/// fold with the fewest rows, those of equal size in a seeded order. Throws ConfigError unless 2 <= folds <= groups and
/// 0 <= fold < folds.
std::vector<bool> group_fold(const std::vector<Index>& groups, Index folds, Index fold, std::uint64_t seed);
/// Returns the test rows of a hold-out of whole groups, as draw_group_rows(). Throws ConfigError for fewer than two
/// groups, or a share beyond (0, 1).
std::vector<bool> group_hold_out(const std::vector<Index>& groups, double share, std::uint64_t seed);
/// Draws whole groups of about `wanted` rows, increasing: groups in a random order, each taken if that brings the
/// number of rows nearer; at least one group is taken, and one is not. Throws ConfigError for fewer than two groups.
std::vector<Index> draw_group_rows(RandomStream& stream, const std::vector<Index>& groups, Index wanted);

/// Sides of a split; with times, rows on neither side are later than the test rows.
struct SplitSides {
  std::vector<bool> test, train;
};
/// Splits into expanding windows, as TimeSeriesSplit of scikit-learn: of folds + 1 near-equal parts in order of time,
/// part fold + 1 is tested by all before it. Rows of one time are in one part. Throws ConfigError unless there are more
/// distinct times than folds, 1 <= folds and 0 <= fold < folds.
SplitSides time_fold(const Vector& times, Index folds, Index fold);
/// Returns the last rows in time, about a share of them; rows of one time stay together. Throws ConfigError for a
/// constant time, or a share beyond (0, 1).
std::vector<bool> time_hold_out(const Vector& times, double share);
/// Returns about `wanted` last rows in time, increasing; rows of one time stay together. At least one row is taken, and
/// one is not. Throws ConfigError for a constant time.
std::vector<Index> last_rows(const Vector& times, Index wanted);

/// Draws about `wanted` of the rows to hold out, increasing: whole groups, the last ones in time, or single rows.
std::vector<Index> draw_held_rows(RandomStream& stream, const SplitColumns& columns, Index rows, Index wanted);

/// Returns the number of groups.
Index count_groups(const std::vector<Index>& groups);
/// Returns the rows of each group, increasing, of the rows in `which` (increasing; empty: all); groups without rows are
/// left out.
std::vector<std::vector<Index>> rows_of_groups(const std::vector<Index>& groups, const std::vector<Index>& which = {});

}  // namespace alacarte
