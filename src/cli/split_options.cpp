#include "split_options.hpp"

#include "alacarte/core/error.hpp"
#include "alacarte/data/splits.hpp"
#include "guard.hpp"
#include "paths.hpp"

namespace alacarte::cli {

void add_split_options(CLI::App& app, SplitOptions& split, const std::string& verb) {
  const std::string group = "Rows held out";
  app.add_option("--mask", split.mask,
                 "CSV of 0/1 with one row for each data row and one column for each fold; " + verb +
                     " --fold (default: test_mask.csv.gz beside the data)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--fold", split.fold, "Which fold, counted from 0: its rows are held out")
      ->check(CLI::NonNegativeNumber)
      ->type_name("K")
      ->group(group);
  app.add_option("--folds", split.folds, "Seeded random partition into this many folds, instead of a mask")
      ->check(CLI::Range(2, 1000000))
      ->type_name("N")
      ->group(group);
  app.add_option("--holdout", split.holdout, "Seeded random share of rows to hold out, between 0 and 1")
      ->type_name("SHARE")
      ->group(group);
}

void resolve(SplitOptions& split, const std::string& data_path) {
  if (!split.given()) return;
  if (split.holdout > 0) {
    if (!(split.holdout < 1)) throw UsageError("--holdout must lie between 0 and 1");
    if (!split.mask.empty() || split.fold >= 0 || split.folds > 0) {
      throw UsageError("--holdout excludes --mask, --fold and --folds");
    }
    return;
  }
  if (split.fold < 0) throw UsageError(split.folds > 0 ? "--folds needs --fold" : "--mask needs --fold");
  if (split.folds > 0) {
    if (!split.mask.empty()) throw UsageError("--folds excludes --mask");
    if (split.fold >= split.folds) throw UsageError("--fold counts from 0 and must be less than --folds");
    return;
  }
  if (split.mask.empty() && data_path == "-") throw UsageError("--fold of standard input needs --mask");
  split.mask = split.mask.empty() ? mask_beside(data_path) : find_file(split.mask);
}

std::vector<bool> held_out_rows(const SplitOptions& split, Index rows,
                                const std::function<std::vector<Index>()>& classes) {
  if (classes && split.holdout > 0) return hold_out(classes(), split.holdout, split.seed);
  if (classes && split.folds > 0) return k_fold(classes(), split.folds, split.fold, split.seed);
  if (split.holdout > 0) return hold_out(rows, split.holdout, split.seed);
  if (split.folds > 0) return k_fold(rows, split.folds, split.fold, split.seed);
  if (!split.mask.empty()) return read_mask(split.mask, split.fold, rows);
  return {};
}

nlohmann::json to_json(const SplitOptions& split, Index rows) {
  if (split.holdout > 0) {
    return {{"kind", "holdout"}, {"share", split.holdout}, {"seed", split.seed}, {"rows", rows}};
  }
  if (split.folds > 0) {
    return {{"kind", "folds"}, {"folds", split.folds}, {"fold", split.fold}, {"seed", split.seed}, {"rows", rows}};
  }
  if (!split.mask.empty()) {
    return {{"kind", "mask"}, {"mask", split.mask}, {"fold", split.fold}, {"rows", rows}};
  }
  return nullptr;
}

SplitOptions split_from_json(const nlohmann::json& json) {
  SplitOptions split;
  try {
    const std::string kind = json.at("kind");
    if (kind == "holdout") {
      split.holdout = json.at("share");
    } else {
      split.fold = json.at("fold");
      if (kind == "folds") {
        split.folds = json.at("folds");
      } else {
        split.mask = json.at("mask");
      }
    }
    if (kind != "mask") split.seed = json.at("seed");
  } catch (const nlohmann::json::exception&) {
    throw IoError("model file", "the record of its held-out rows is malformed");
  }
  return split;
}

}  // namespace alacarte::cli
