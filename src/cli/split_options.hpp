#pragma once
// Which rows are held out: --mask and --fold, --folds and --fold, or --holdout. The same options with the same seed
// mean the same rows in train and in evaluate.
#include <CLI/CLI.hpp>
#include <alacarte/core/types.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace alacarte::cli {

struct SplitOptions {
  std::string mask;
  Index fold = -1, folds = 0;
  double holdout = 0;
  std::uint64_t seed = 0;
  bool given() const { return !mask.empty() || fold >= 0 || folds > 0 || holdout > 0; }
};

void add_split_options(CLI::App& app, SplitOptions& split, const std::string& verb);

/// Refuses combinations without meaning (UsageError), finds the mask, and throws IoError when it is not there.
void resolve(SplitOptions& split, const std::string& data_path);

/// Marks the held-out rows of a file with `rows` data rows; empty when no split was given. `split` is resolved. Random
/// splits of classes are stratified: classes() (data/splits.hpp), called where it is needed, gives that of each row;
/// null for a target that is a number.
std::vector<bool> held_out_rows(const SplitOptions& split, Index rows,
                                const std::function<std::vector<Index>()>& classes);

/// For the model file, so that evaluate --held-out finds the rows again.
nlohmann::json to_json(const SplitOptions& split, Index rows);
SplitOptions split_from_json(const nlohmann::json& json);

}  // namespace alacarte::cli
