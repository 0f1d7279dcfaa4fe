#include "alacarte/app/train_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

nlohmann::json to_json(const Split& split, Index rows) {
  if (split.holdout > 0) return {{"kind", "holdout"}, {"share", split.holdout}, {"seed", split.seed}, {"rows", rows}};
  if (split.folds > 0)
    return {{"kind", "folds"}, {"folds", split.folds}, {"fold", split.fold}, {"seed", split.seed}, {"rows", rows}};
  if (split.mask.empty()) return nullptr;
  return {{"kind", "mask"}, {"mask", split.mask}, {"fold", split.fold}, {"rows", rows}};
}

Split split_from_json(const nlohmann::json& json) {
  Split split;
  try {
    const std::string kind = json.at("kind");
    if (kind == "holdout") split.holdout = json.at("share");
    if (kind == "folds") split.folds = json.at("folds");
    if (kind != "holdout") split.fold = json.at("fold");
    if (kind != "holdout" && kind != "folds") split.mask = json.at("mask");
    if (kind != "mask") split.seed = json.at("seed");
  } catch (const nlohmann::json::exception&) {
    throw IoError("model file", "the record of its held-out rows is malformed");
  }
  return split;
}

}  // namespace alacarte
