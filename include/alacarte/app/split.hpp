#pragma once
// Which rows of a file are held out: by a mask, as one fold of a random partition, or as a random share.
#include <alacarte/core/types.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/training_record.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// At most one of: `mask` with `fold`; `folds` with `fold`; `holdout`. The same split with the same seed holds out the
/// same rows in training and in evaluation.
struct Split {
  std::string mask;        ///< CSV of 0/1, a row for each data row, a column for each fold (data/splits.hpp)
  Index fold = -1;         ///< which fold is held out, from 0
  Index folds = 0;         ///< size of the random partition
  double holdout = 0;      ///< random share, between 0 and 1
  std::uint64_t seed = 0;  ///< of the random partition or share
  /// Whether any rows are held out.
  bool given() const { return !mask.empty() || fold >= 0 || folds > 0 || holdout > 0; }
};

/// Marks the held-out rows of a file with `rows` data rows; empty when no split is given. Random splits of classes are
/// stratified: classes(), called where it is needed, gives the class of each row (read_classes()); null for a target
/// that is a number. Throws as read_mask(), k_fold() and hold_out().
std::vector<bool> held_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes);
/// Marks the held-out rows of the file at `path`, as a model with this schema reads it. Throws DataError unless it has
/// `expected_rows` data rows (0 = any number), and as above.
std::vector<bool> held_out_rows(const Split& split, const std::string& path, const Schema& schema,
                                Index expected_rows = 0);

/// The record of a split in the model file, from which the same rows can be found again; nothing when no split is
/// given. rows: data rows of the file.
std::optional<SplitRecord> record_of(const Split& split, Index rows);
Split split_of(const SplitRecord& record);  ///< throws IoError for a malformed record

}  // namespace alacarte
