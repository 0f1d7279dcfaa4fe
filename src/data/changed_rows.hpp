#pragma once
// Rows of a source without some, or with other weights or targets.
#include <alacarte/data/row_source.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "data/input_curves.hpp"

namespace alacarte {

/// Returns the rows except those of `left_out` (increasing), in order. Rows in memory are copied, others read through
/// at the same cost. Throws std::invalid_argument for invalid indices.
std::shared_ptr<RowSource> without_rows(std::shared_ptr<RowSource> rows, const std::vector<Index>& left_out);

/// Returns the rows with their weights multiplied by `factors` (rows) > 0; empty: unchanged. Copies rows in memory.
std::shared_ptr<RowSource> with_factors(const std::shared_ptr<RowSource>& rows, const Vector& factors);

/// Returns dense rows with their inputs at the curves' values. Copies rows in memory; others are bent as they are read.
std::shared_ptr<const RowSource> behind_curves(std::shared_ptr<const RowSource> rows,
                                               std::shared_ptr<const InputCurves> curves);

/// Copies dense rows to memory with inputs(x) in place of their inputs x (n, d), whose last are still the levels of
/// random effects if it has_levels.
std::shared_ptr<const RowSource> with_inputs(const RowSource& rows, const std::function<Matrix(const Matrix&)>& inputs,
                                             bool has_levels);

/// Copies some rows (all if `which` is empty) to memory.
std::shared_ptr<RowSource> some_rows(const RowSource& rows, const std::vector<Index>& which);

/// Copies some rows without weights, with these targets.
std::shared_ptr<RowSource> with_targets(const RowSource& rows, const std::vector<Index>& which, const Vector& targets);

/// Returns the rows of `source` in order without those of `left_out` (increasing). Dense rows are copied chunk by chunk
/// when they are read; sparse ones at once. Cost of a read: O(count d) and a search in left_out. Throws
/// std::invalid_argument for invalid indices.
std::shared_ptr<RowSource> rows_without(std::shared_ptr<const RowSource> source, std::vector<Index> left_out);

/// Returns 0 .. rows - 1 without those of left_out (increasing). Throws like rows_without().
std::vector<Index> rows_but(Index rows, const std::vector<Index>& left_out);

}  // namespace alacarte
