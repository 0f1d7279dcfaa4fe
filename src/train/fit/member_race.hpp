#pragma once
// A race of the scales of inputs before the fits of "auto": which curves its networks should not see the inputs
// through.
#include <string>
#include <vector>

#include "training.hpp"

namespace alacarte {

/// Scales that lost a race, and why.
struct ScaleRace {
  std::vector<Scaling> dropped;
  std::vector<std::string> notes;  ///< one line for each, for people
};

/// Trains one short network of each scale that the networks of "auto" have on up to 10,000 of the rows, side by side,
/// and drops those whose log density (or log probability) of further rows is behind the best by more than 0.1 and two
/// standard errors, and curves that are behind the inputs as they are. Nothing is dropped where there is no choice,
/// fewer than 2000 rows, groups or times, sparse rows or several processes, and where the networks cannot make three
/// passes. Deterministic in its arguments and the number of threads: operations, not the clock, end it. Cost: 0.06 of
/// the operations of the training.
ScaleRace race_scales(const Recipe& recipe, const Training& training);

}  // namespace alacarte
