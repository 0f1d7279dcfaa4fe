#pragma once
// One problem of a classifier, its kernel's parameters held: what cross-validation and the last fit share.
#include "train/fit_classifier.hpp"

namespace alacarte {

/// Features or Gram matrix of all rows at one theta; solutions of subsets of the rows at growing costs.
class ClassifierProblem {
 public:
  virtual ~ClassifierProblem() = default;
  /// Rows of `test` that a fit to `train` gets wrong, at each of the costs (ascending), which start from one another.
  /// An interrupt leaves out the costs that were not reached.
  virtual std::vector<Index> errors(const std::vector<Index>& train, const std::vector<Index>& test,
                                    const std::vector<double>& costs) const = 0;
  /// The fit to all rows; nullptr after an interrupt. `wrong`: how many of them it gets wrong.
  virtual std::unique_ptr<Posterior> fit(double cost, Index& wrong) const = 0;
};

/// Throws whatever the map, kernel or library throws.
std::unique_ptr<ClassifierProblem> make_problem(const FitJob& job, const ClassifierRows& rows, const Vector& theta,
                                                const FitOptions& options, bool obey_interrupt);

/// What such a problem takes: bytes beside the rows, and numbers a row that each pass over it meets. Features are
/// looked at in a few rows, since they may be sparse.
struct ProblemSize {
  double bytes = 0, nonzeros = 0;
};
ProblemSize problem_size(const FitJob& job, const ClassifierRows& rows, const Vector& theta, int threads);

}  // namespace alacarte
