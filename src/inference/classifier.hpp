#pragma once
// Classifiers by decision functions at one theta: linear in the features of a map (LIBLINEAR, linear_solver.hpp), or
// support vectors of an exact kernel (LIBSVM, support_solver.hpp). Plan, evaluate on held-out rows, solve.
#include "inference.hpp"

#include "inference/linear_solver.hpp"

namespace alacarte {

/// Settings and labels; `labels` must outlive the classifier.
struct ClassifierOptions {
  LearnerKind kind = LearnerKind::svm;         ///< svm or logistic; with a kernel svm
  const std::vector<Index>* labels = nullptr;  ///< class of each row, 0 .. classes - 1
  Index classes = 0;
  bool balanced = false;  ///< C weighted by n / (classes * rows of the class)
  int threads = 1;
  int abreast = 1;  ///< most classifiers that solve side by side (share()), for the plan
};

/// A classifier for one map or kernel and set of rows. Results do not depend on the number of threads. Not thread-safe.
/// `interrupt` (or nullptr) is obeyed between decision functions.
class Classifier {
 public:
  virtual ~Classifier() = default;
  /// Estimates the cost of one solution at theta. The nonzeros of features are measured on at most 64 rows.
  virtual EvaluationPlan plan(ConstVec theta) const = 0;
  /// Makes the features or Gram matrix of all rows at theta, for the calls below. Throws NumericalError for values that
  /// are not finite, and what the map or kernel throws.
  virtual void prepare(ConstVec theta) = 0;
  /// Returns a classifier for another thread on the features of the last prepare(), which it shares; it runs on one
  /// thread itself.
  virtual std::unique_ptr<Classifier> share() const = 0;
  /// Returns the number of misclassified rows of `test` after training on `train`, at each cost: ascending,
  /// warm-started over C, to a tolerance that is enough to rank costs. After an interrupt the remaining costs are left
  /// out.
  std::vector<Index> evaluate(const std::vector<Index>& train, const std::vector<Index>& test,
                              const std::vector<double>& costs, const std::atomic<bool>* interrupt);
  /// Trains on all rows; no posterior after an interrupt, and never leave-one-out predictions.
  Solution solve(double cost, const std::atomic<bool>* interrupt);
  /// Returns the number of misclassified rows among all, after solve().
  Index training_errors() const { return errors(all_rows()); }

 protected:
  Classifier(std::shared_ptr<const RowSource> rows, const ClassifierOptions& options);
  void use_one_thread() { options_.threads = 1; }
  const RowSource& source() const { return *rows_; }
  const std::shared_ptr<const RowSource>& shared_source() const { return rows_; }
  const ClassifierOptions& options() const { return options_; }
  LinearTask task(const std::vector<Index>& rows) const;

  /// Finds the decision functions of some rows, from the last ones if `warm`; returns false after an interrupt.
  virtual bool learn(const std::vector<Index>& rows, double cost, double tolerance, bool warm,
                     const std::atomic<bool>* interrupt) = 0;
  virtual void decide(Index row, VecRef values) const = 0;  ///< evaluates the functions at a row of the source
  virtual std::unique_ptr<Posterior> make_posterior_here() const = 0;

 private:
  std::vector<Index> all_rows() const;
  Index errors(const std::vector<Index>& rows) const;

  std::shared_ptr<const RowSource> rows_;
  ClassifierOptions options_;
};

std::unique_ptr<Classifier> make_classifier(const Prior& prior, std::shared_ptr<const RowSource> rows,
                                            const ClassifierOptions& options);

}  // namespace alacarte
