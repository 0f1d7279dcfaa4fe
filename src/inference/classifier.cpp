#include "inference/classifier.hpp"

#include <numeric>

#include "inference/evaluation.hpp"
#include "inference/support_solver.hpp"

namespace alacarte {
namespace {

constexpr Index kBlockRows = 256;
constexpr Index kMeasuredRows = 64;
constexpr double kSearchTolerance = 1e-2;  // LIBLINEAR's default; enough to rank costs
constexpr double kSolveTolerance = 1e-3;
constexpr double kNewtonPasses = 40;  // passes of trust-region Newton over the features of each function
// Bytes per row of LIBLINEAR and its caller for one function: pointers, labels, margins, steps.
constexpr double kSolverBytesPerRow = 100;
constexpr double kLabelBytesPerRow = 16;  // the label, and the row's place in a fold

Index class_of(const Vector& values) {
  if (values.size() == 1) return values[0] > 0 ? 1 : 0;
  Index best = 0;
  values.maxCoeff(&best);
  return best;
}

template <class Values>
void check_values(const char* stage, const Values& values) {
  if (!values.allFinite()) throw NumericalError(stage, "a value is not a finite number");
}

class LinearClassifier final : public Classifier {
 public:
  LinearClassifier(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                   const ClassifierOptions& options)
      : Classifier(std::move(rows), options), map_(std::move(map)), nodes_(map_->feature_count()) {}

  EvaluationPlan plan(ConstVec theta) const override {
    const Index rows = source().rows(), sampled = std::min(kMeasuredRows, rows);
    NodeRows nodes(map_->feature_count());
    const auto prepared = map_->prepare(theta);
    // Rows from all over the file, which may be ordered.
    for (Index k = 0; k < sampled; ++k) add_features(*prepared, k * rows / sampled, 1, nodes);
    const double n = as_double(rows), nonzeros = as_double(nodes.nonzeros()) / as_double(sampled);
    const double features = as_double(nodes.features()), functions = as_double(function_count(options().classes));
    const double abreast = std::max<double>(options().abreast, std::min<double>(options().threads, functions));
    const double solvers =
        abreast * (kSolverBytesPerRow * n + 80 * features) + 8 * (options().abreast - 1) * functions * features;
    EvaluationPlan plan = plan_of(source(), nodes.features(), 0, EvaluationForm::linear);
    plan.flops = kNewtonPasses * 4 * n * nonzeros * functions;
    plan.memory_bytes = NodeRows::bytes(n, n * nonzeros) + solvers + 24 * functions * features +
                        24 * as_double(kBlockRows) * nonzeros + kLabelBytesPerRow * n;
    plan.model_bytes = 8 * functions * (features + 1);
    return plan;
  }

  void prepare(ConstVec theta) override {
    theta_ = theta;
    nodes_ = NodeRows(map_->feature_count());
    const auto prepared = map_->prepare(theta);
    for (Index first = 0; first < source().rows(); first += kBlockRows)
      add_features(*prepared, first, std::min(kBlockRows, source().rows() - first), nodes_);
  }

  std::unique_ptr<Classifier> share() const override {
    auto other = std::make_unique<LinearClassifier>(*this);
    other->use_one_thread();
    other->solution_.resize(0, 0);
    return other;
  }

 private:
  /// Returns the features of rows first .. first + count - 1, as sparse as they come.
  void add_features(const PreparedMap& prepared, Index first, Index count, NodeRows& nodes) const {
    RowScratch scratch;
    const InputView x = source().read(first, count, scratch).x;
    SparseRows psi;
    if (map_->sparse_support().features) {
      prepared.forward(x, psi);
    } else {
      Matrix dense(count, map_->feature_count());
      prepared.forward(x, dense);
      to_sparse(dense, psi);
    }
    check_values("features", Eigen::Map<const Vector>(psi.values.data(), static_cast<Index>(psi.values.size())));
    nodes.add(psi.view());
  }

  bool learn(const std::vector<Index>& rows, double cost, double tolerance, bool warm,
             const std::atomic<bool>* interrupt) override {
    if (!warm) solution_.resize(0, 0);
    solution_ = solve_linear(nodes_, task(rows), cost, tolerance, solution_, options().threads, interrupt);
    return solution_.size() > 0;
  }
  void decide(Index row, VecRef values) const override { nodes_.values(row, solution_, values); }
  std::unique_ptr<Posterior> make_posterior_here() const override {
    const Index features = nodes_.features();
    return make_posterior(map_, theta_, LinearFunctions{solution_.topRows(features), solution_.row(features)});
  }

  std::shared_ptr<const FeatureMap> map_;
  Vector theta_;
  NodeRows nodes_;
  Matrix solution_;
};

class SupportClassifier final : public Classifier {
 public:
  SupportClassifier(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const RowSource> rows,
                    const ClassifierOptions& options)
      : Classifier(std::move(rows), options), kernel_(std::move(kernel)) {}

  EvaluationPlan plan(ConstVec) const override {
    const double n = as_double(source().rows()), inputs = as_double(source().inputs());
    EvaluationPlan plan = plan_of(source(), 0, 0, EvaluationForm::svm);
    plan.flops = kNewtonPasses * 4 * n * n;
    plan.memory_bytes = support_bytes(n) + (options().abreast - 1) * (support_bytes(n) - NodeGram::bytes(n)) +
                        8 * n * (inputs + 2 * as_double(kBlockRows)) + kLabelBytesPerRow * n;
    plan.model_bytes = 8 * n * (inputs + as_double(options().classes));
    return plan;
  }

  void prepare(ConstVec theta) override {
    theta_ = theta;
    if (x_.size() == 0) x_ = source().read(0, source().rows(), scratch_).x.dense();
    if (gram_.rows() == 0) gram_ = NodeGram(x_.rows());
    Matrix block;
    for (Index first = 0; first < x_.rows(); first += kBlockRows) {
      const Index count = std::min(kBlockRows, x_.rows() - first);
      block.resize(count, x_.rows());
      kernel_->gram(theta_, x_.middleRows(first, count), x_, block, options().threads);
      check_values("kernel", block);
      gram_.set(first, block);
    }
  }

  std::unique_ptr<Classifier> share() const override {
    auto other = std::make_unique<SupportClassifier>(kernel_, shared_source(), options());
    other->theta_ = theta_;
    other->gram_ = gram_;
    other->use_one_thread();
    return other;
  }

 private:
  bool learn(const std::vector<Index>& rows, double cost, double, bool, const std::atomic<bool>* interrupt) override {
    if (interrupt != nullptr && *interrupt) return false;
    solution_ = solve_support(gram_, task(rows), cost);
    return true;
  }
  void decide(Index row, VecRef values) const override {
    Matrix kernel(1, static_cast<Index>(solution_.rows.size())), at(1, values.size());
    for (Index v = 0; v < kernel.cols(); ++v)
      kernel(0, v) = gram_.value(row, solution_.rows[static_cast<std::size_t>(v)]);
    solution_.votes.values(kernel, at);
    values = at.row(0);
  }
  std::unique_ptr<Posterior> make_posterior_here() const override {
    return make_posterior(kernel_, theta_, solution_.votes, x_(solution_.rows, Eigen::all));
  }

  std::shared_ptr<const Kernel> kernel_;
  Vector theta_;
  RowScratch scratch_;
  Matrix x_;
  NodeGram gram_{0};
  SupportSolution solution_;
};

}  // namespace

Classifier::Classifier(std::shared_ptr<const RowSource> rows, const ClassifierOptions& options)
    : rows_(std::move(rows)), options_(options) {
  require(options.labels != nullptr && static_cast<Index>(options.labels->size()) == rows_->rows(),
          "classifier: one label for each row");
}

LinearTask Classifier::task(const std::vector<Index>& rows) const {
  return {options_.kind, options_.labels, options_.classes, rows, options_.balanced};
}

std::vector<Index> Classifier::evaluate(const std::vector<Index>& train, const std::vector<Index>& test,
                                        const std::vector<double>& costs, const std::atomic<bool>* interrupt) {
  std::vector<Index> wrong;
  for (const double cost : costs) {
    if (!learn(train, cost, kSearchTolerance, !wrong.empty(), interrupt)) break;
    wrong.push_back(errors(test));
  }
  return wrong;
}

Solution Classifier::solve(double cost, const std::atomic<bool>* interrupt) {
  if (!learn(all_rows(), cost, kSolveTolerance, false, interrupt)) return {};
  return {make_posterior_here(), {}};
}

std::vector<Index> Classifier::all_rows() const {
  std::vector<Index> rows(static_cast<std::size_t>(rows_->rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

Index Classifier::errors(const std::vector<Index>& rows) const {
  Vector values(function_count(options_.classes));
  return std::count_if(rows.begin(), rows.end(), [&](Index row) {
    decide(row, values);
    return class_of(values) != (*options_.labels)[static_cast<std::size_t>(row)];
  });
}

std::unique_ptr<Classifier> make_classifier(const Prior& prior, std::shared_ptr<const RowSource> rows,
                                            const ClassifierOptions& options) {
  if (prior.map()) return std::make_unique<LinearClassifier>(prior.map(), std::move(rows), options);
  return std::make_unique<SupportClassifier>(prior.kernel(), std::move(rows), options);
}

}  // namespace alacarte
