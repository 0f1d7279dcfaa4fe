#pragma once
// Rows of a source with some left out, with other weights or with other targets.
#include <alacarte/data/row_source.hpp>
#include <memory>
#include <vector>

namespace alacarte {

/// The rows but for those of `left_out` (increasing), in their order. Rows in memory are copied, others are read
/// through: cost of a read as before. Throws std::invalid_argument for indices that are no rows.
std::shared_ptr<RowSource> without_rows(std::shared_ptr<RowSource> rows, const std::vector<Index>& left_out);

/// The rows with their weights multiplied by `factors` (rows) above 0; empty: as they are. Rows in memory are copied,
/// others are read through.
std::shared_ptr<RowSource> with_factors(const std::shared_ptr<RowSource>& rows, const Vector& factors);

/// Copies of some rows (all where `which` is empty) in memory.
std::shared_ptr<RowSource> some_rows(const RowSource& rows, const std::vector<Index>& which);

/// The same without weights, with these targets.
std::shared_ptr<RowSource> with_targets(const RowSource& rows, const std::vector<Index>& which, const Vector& targets);

}  // namespace alacarte
