#pragma once
// L2-regularised linear classifiers on features, by LIBLINEAR (Fan et al. 2008, JMLR 9, 1871): for each class k against
// the rest
//
//   min_w,b  (|w|^2 + b^2)/2 + C sum_i c_i loss(y_i (w.psi_i + b)),  y_i = 1 for class k, else -1,
//
// with loss(m) = max(0, 1 - m)^2 (svm) or log(1 + exp(-m)) (logistic), by its trust-region Newton method in the primal,
// which uses no random numbers and can start from another solution.
#include <atomic>
#include <memory>
#include <vector>

#include "alacarte/core/input_view.hpp"
#include "alacarte/core/recipe_words.hpp"
#include "alacarte/core/types.hpp"

struct feature_node;  // LIBLINEAR's

namespace alacarte {

/// Features of rows in LIBLINEAR's form: (place, value) of each nonzero, 16 bytes each, and two more nodes a row for
/// the constant and the end.
class NodeRows {
 public:
  explicit NodeRows(Index features) : features_(features) {}
  void add(const SparseView& psi);  ///< psi (rows, features)
  Index rows() const { return static_cast<Index>(rows_.size()); }
  Index features() const { return features_; }
  Index nonzeros() const { return nonzeros_; }
  feature_node* row(Index i) const { return rows_[static_cast<std::size_t>(i)]; }
  /// Computes psi_i.w + b of one row into values (K), for solutions (features + 1, K) whose last row is b.
  void values(Index row, ConstMat solution, VecRef values) const;

  static double bytes(double rows, double nonzeros);

 private:
  Index features_ = 0, nonzeros_ = 0;
  std::vector<std::shared_ptr<feature_node[]>> blocks_;
  std::vector<feature_node*> rows_;
};

struct LinearTask {
  LearnerKind kind = LearnerKind::svm;          ///< svm or logistic
  const std::vector<Index>* classes = nullptr;  ///< class of each row, 0 .. count - 1
  Index class_count = 0;
  std::vector<Index> rows;  ///< training rows
  bool balanced = false;    ///< c_i = n / (classes * rows of its class), else 1
};

/// Returns the number of decision functions: one for two classes (positive: the second class), else one for each.
inline Index function_count(Index classes) { return classes == 2 ? 1 : classes; }

/// Returns the weight of the rows of each class, (classes), from the training rows; 1 for a class without rows.
Vector class_weights(const LinearTask& task);

/// Solves at one cost: returns the weights (features + 1, function_count), with b in the last row. `start`: a solution
/// to begin with, or empty. Functions are shared out to threads; the result does not depend on their number. Tolerance:
/// LIBLINEAR's eps. After an `interrupt`, which is obeyed between iterations, the result is empty. The function of a
/// class without rows is negative, as determined by the rows of the other classes.
Matrix solve_linear(const NodeRows& nodes, const LinearTask& task, double cost, double tolerance, ConstMat start,
                    int threads, const std::atomic<bool>* interrupt);

}  // namespace alacarte
