#pragma once
// Support vector classification with an exact kernel, by LIBSVM (Chang and Lin 2011) on a precomputed Gram matrix: for
// every pair of classes
//
//   min_a  1/2 sum_ij a_i a_j y_i y_j k(x_i, x_j) - sum_i a_i,  0 <= a_i <= C c_i,  sum_i y_i a_i = 0,
//
// that is the hinge loss max(0, 1 - m), not its square; the class with most of the pairs' votes wins.
#include <memory>
#include <vector>

#include "alacarte/core/types.hpp"
#include "inference/linear_solver.hpp"
#include "model/classifier_posteriors.hpp"

struct svm_node;  // LIBSVM's

namespace alacarte {

/// A Gram matrix (n, n) in LIBSVM's form: 16 bytes a number.
class NodeGram {
 public:
  explicit NodeGram(Index rows);
  Index rows() const { return static_cast<Index>(rows_.size()); }
  /// Sets the rows from `first` on: block (count, n).
  void set(Index first, ConstMat block);
  double value(Index row, Index column) const;
  svm_node* row(Index i) const { return rows_[static_cast<std::size_t>(i)]; }
  static double bytes(double rows) { return 16 * rows * (rows + 1); }

 private:
  std::shared_ptr<svm_node[]> nodes_;
  std::vector<svm_node*> rows_;
};

/// Returns the memory of a solution in bytes: the matrix, and LIBSVM's cache of its columns.
double support_bytes(double rows);

/// Returns the solution of LIBSVM; `rows`: the support vectors among all rows. `balanced` weighs C by class. A class
/// without rows to train on never wins.
struct SupportSolution {
  SupportVotes votes;
  std::vector<Index> rows;
};
SupportSolution solve_support(const NodeGram& gram, const LinearTask& task, double cost);

}  // namespace alacarte
