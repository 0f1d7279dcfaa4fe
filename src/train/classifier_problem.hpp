#pragma once
// A classification problem at fixed kernel parameters, used by cross-validation and by the final fit.
#include "train/fit_classifier.hpp"

namespace alacarte {

/// Features or Gram matrix of all rows at one theta; solutions of subsets of the rows at growing costs.
class ClassifierProblem {
 public:
  virtual ~ClassifierProblem() = default;
  /// Number of misclassified rows of `test` for a fit to `train`, at each cost (ascending; warm-started from the
  /// previous one). After an interrupt the remaining costs are left out.
  virtual std::vector<Index> errors(const std::vector<Index>& train, const std::vector<Index>& test,
                                    const std::vector<double>& costs) const = 0;
  /// Fits all rows; nullptr after an interrupt. `wrong`: number of misclassified training rows.
  virtual std::unique_ptr<Posterior> fit(double cost, Index& wrong) const = 0;
};

/// Throws whatever the map, kernel or library throws.
std::unique_ptr<ClassifierProblem> make_problem(const FitJob& job, const ClassifierRows& rows, const Vector& theta,
                                                const FitOptions& options, bool obey_interrupt);

/// Estimated size: bytes beside the rows, and nonzeros per row. Sparse features are measured on a sample of the rows.
struct ProblemSize {
  double bytes = 0, nonzeros = 0;
};
ProblemSize problem_size(const FitJob& job, const ClassifierRows& rows, const Vector& theta, int threads);

}  // namespace alacarte
