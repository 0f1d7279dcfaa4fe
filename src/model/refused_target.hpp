#pragma once
// The first target that a likelihood refuses.
#include <optional>
#include <string>
#include <utility>

#include "alacarte/model/likelihood.hpp"

namespace alacarte {

struct RefusedTarget {
  Index row;        ///< its row, from 0
  std::string why;  ///< text of Likelihood::validate_targets()
};

/// Returns the first target of y (rows) that is not in the domain of the likelihood. Cost O(rows).
inline std::optional<RefusedTarget> refused_target(const Likelihood& likelihood, ConstVec y) {
  if (likelihood.validate_targets(y).empty()) return std::nullopt;
  for (Index i = 0; i < y.size(); ++i)
    if (std::string why = likelihood.validate_targets(y.segment(i, 1)); !why.empty())
      return RefusedTarget{i, std::move(why)};
  return std::nullopt;
}

}  // namespace alacarte
