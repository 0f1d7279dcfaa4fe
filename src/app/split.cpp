#include "alacarte/app/train_file.hpp"

#include <fmt/format.h>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "app/part_files.hpp"
#include "data/splits.hpp"

namespace alacarte {

std::vector<bool> held_out_rows(const Split& split, Index rows, const std::function<std::vector<Index>()>& classes) {
  if (classes && split.holdout > 0) return hold_out(classes(), split.holdout, split.seed);
  if (classes && split.folds > 0) return k_fold(classes(), split.folds, split.fold, split.seed);
  if (split.holdout > 0) return hold_out(rows, split.holdout, split.seed);
  if (split.folds > 0) return k_fold(rows, split.folds, split.fold, split.seed);
  if (!split.mask.empty()) return read_mask(split.mask, split.fold, rows);
  return {};
}

std::vector<bool> held_out_rows(const Split& split, const std::string& path, const Schema& schema,
                                Index expected_rows) {
  const std::vector<std::string> files = files_of(path);
  const Index rows = rows_before(files, schema).back();
  if (expected_rows > 0 && rows != expected_rows)
    throw DataError(path,
                    fmt::format("has {} rows, but the file the model was trained on had {}", rows, expected_rows));
  const auto classes = [&] {
    std::vector<Index> all;
    for (const std::string& file : files) {
      if (files.size() > 1 && !is_rows_file(file))
        throw DataError(file, "random splits of classes in several files need rows files; convert it first");
      const std::vector<Index> own = read_classes(file, schema.config());
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
  return held_out_rows(split, rows, schema.config().labels ? classes : std::function<std::vector<Index>()>());
}

std::optional<SplitRecord> record_of(const Split& split, Index rows) {
  if (split.holdout > 0)
    return SplitRecord{.kind = "holdout", .share = split.holdout, .seed = split.seed, .rows = rows};
  if (split.folds > 0)
    return SplitRecord{.kind = "folds", .folds = split.folds, .fold = split.fold, .seed = split.seed, .rows = rows};
  if (split.mask.empty()) return std::nullopt;
  return SplitRecord{.kind = "mask", .fold = split.fold, .mask = split.mask, .rows = rows};
}

Split split_of(const SplitRecord& record) {
  Split split;
  split.fold = record.kind == "holdout" ? -1 : record.fold;
  split.folds = record.folds;
  split.holdout = record.share;
  split.mask = record.mask;
  split.seed = record.seed;
  if (!split.given()) throw IoError("model file", "the record of its held-out rows is malformed");
  return split;
}

}  // namespace alacarte
