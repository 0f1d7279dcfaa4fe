#pragma once
// Selects held-out rows of a file: by a mask, as one fold of a random partition, or as a random share.
#include <alacarte/core/types.hpp>
#include <alacarte/data/dataset.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// At most one of: `mask` with `fold`; `folds` with `fold`; `holdout`. A split with the same seed holds out the same
/// rows in training and evaluation.
struct Split {
  std::string mask;        ///< CSV of 0/1: a row per data row, a column per fold (data/splits.hpp)
  Index fold = -1;         ///< held-out fold, from 0
  Index folds = 0;         ///< number of folds of the random partition
  double holdout = 0;      ///< random share, between 0 and 1
  std::uint64_t seed = 0;  ///< seed of the random partition or share
  /// Returns true if any rows are held out.
  bool given() const { return !mask.empty() || fold >= 0 || folds > 0 || holdout > 0; }
};

/// Marks the held-out rows of a file with `rows` data rows; empty if no split is given. Random splits of classes are
/// stratified: classes() is called if needed and returns the class of each row (read_classes()); null for a numeric
/// target. Throws as read_mask(), k_fold() and hold_out().
std::vector<bool> held_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes);
/// Marks the held-out rows of the file at `path`, read with this schema. Throws DataError unless it has `expected_rows`
/// data rows (0 = any number), and as above.
std::vector<bool> held_out_rows(const Split& split, const std::string& path, const Schema& schema,
                                Index expected_rows = 0);

/// Returns the record of a split in the model file, which reproduces the held-out rows; null if no split is given.
/// rows: data rows of the file.
nlohmann::json to_json(const Split& split, Index rows);
Split split_from_json(const nlohmann::json& json);  ///< throws IoError for a malformed record

}  // namespace alacarte
