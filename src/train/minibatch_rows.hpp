#pragma once
// The rows of a training on minibatches: in memory, those that features are fitted to and those held out.
#include <vector>

#include "fit_jobs.hpp"

namespace alacarte {

struct MinibatchRows {
  Matrix x;                       ///< (n, d)
  Vector y;                       ///< (n) a number with mean 0 and standard deviation 1 over `kept`; otherwise as it is
  double mean = 0, sd = 1;        ///< what it had, of a number
  std::vector<Index> kept, held;  ///< rows that features are fitted to, and those of TrainingRows::held_out

  Index kept_rows() const { return static_cast<Index>(kept.size()); }
};

/// rows.source (at most `most` rows of it, drawn from `stream`) and rows.held_out. Cost: a copy of the rows.
MinibatchRows make_minibatch_rows(const TrainingRows& rows, Index most, bool is_number, RandomStream& stream);

}  // namespace alacarte
