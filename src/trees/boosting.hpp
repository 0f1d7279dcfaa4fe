#pragma once
// Boosted trees trained by XGBoost, if the build has it.
#include <alacarte/core/types.hpp>
#include <functional>

#include "boosted_trees.hpp"

namespace alacarte {

/// Loss of a boosting: squares of numbers; log loss of two classes (one output) or several (one each); Poisson's of
/// counts (one output: the log rate).
enum class BoostingLoss { squares, classes, counts };

/// Rows of a boosting.
struct BoostingRows {
  Matrix x;          ///< (n, d)
  Vector y;          ///< (n) numbers, places of classes, or counts
  Vector weights{};  ///< (n) above 0, or empty: all 1
  Vector offsets{};  ///< (n) logarithms of exposures of counts, or empty: all 0
};

struct BoostingSettings {
  BoostingLoss loss = BoostingLoss::squares;
  Index classes = 0;             ///< number of classes, for BoostingLoss::classes
  int depth = 6;                 ///< largest depth of a tree
  double step = 0.1;             ///< factor of each tree
  int bins = 256;                ///< thresholds of an input that are tried
  double rows = 1, columns = 1;  ///< shares of the rows and inputs that a tree draws
  Index rounds = 200;            ///< largest number of rounds: a tree of each output
  bool keeps_all = false;        ///< keep all rounds, whatever their loss: a repetition of a known number
  Index patience = 20;           ///< rounds without a better score on the held rows after which no more are tried
  std::uint64_t seed = 1;

  Index outputs() const { return loss == BoostingLoss::classes && classes > 2 ? classes : 1; }
};

struct BoostingResult {
  BoostedTrees trees;  ///< those of the best round
  double score = 0;    ///< loss of the held rows there: root mean square, or mean minus log probability
  Index rounds = 0;    ///< rounds of `trees`
};

/// Returns true if the build has XGBoost.
bool can_boost();
/// Throws ConfigError unless it has.
void require_boosting();

/// Boosts on `rows` and keeps the rounds with the least loss on `held`. Takes one thread. `stops` is asked after each
/// round, and what was learned until then is kept. Throws ConfigError without XGBoost, and NumericalError for what it
/// refuses. Cost: O(n d depth) for each round and output.
BoostingResult boost(BoostingRows rows, BoostingRows held, const BoostingSettings& settings,
                     const std::function<bool()>& stops);

}  // namespace alacarte
