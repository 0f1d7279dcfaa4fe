#include "train/classifier_problem.hpp"

#include <algorithm>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "inference/support_solver.hpp"
#include "model/classifier_posteriors.hpp"
#include "train/fit_jobs.hpp"

namespace alacarte {
namespace {

constexpr Index kChunkRows = 256;
constexpr Index kSampleRows = 64;
constexpr double kSearchTolerance = 1e-2;  // LIBLINEAR's own; enough to rank costs
constexpr double kTolerance = 1e-3;
// Bytes per row of LIBLINEAR and its caller for one function: pointers, labels, margins, steps.
constexpr double kSolverBytesPerRow = 100;

Index class_of(const Vector& values) {
  if (values.size() == 1) return values[0] > 0 ? 1 : 0;
  Index best = 0;
  values.maxCoeff(&best);
  return best;
}

std::vector<Index> all_rows(Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

template <class Features>
void check_finite(const Features& psi) {
  if (!psi.allFinite()) throw NumericalError("features", "a feature is not a finite number");
}

/// Features of rows first .. first + count - 1, as sparse as they come.
void add_features(const FeatureMap& map, const PreparedMap& prepared, const ClassifierRows& rows, Index first,
                  Index count, NodeRows& nodes) {
  RowScratch scratch;
  const InputView x = rows.source->read(first, count, scratch).x;
  if (map.sparse_support().features) {
    SparseRows psi;
    prepared.forward(x, psi);
    check_finite(Eigen::Map<const Vector>(psi.values.data(), static_cast<Index>(psi.values.size())));
    nodes.add(psi.view());
    return;
  }
  Matrix psi(count, map.feature_count());
  prepared.forward(x, psi);
  check_finite(psi);
  nodes.add(psi);
}

class LinearProblem final : public ClassifierProblem {
 public:
  LinearProblem(const FitJob& job, const ClassifierRows& rows, const Vector& theta, const FitOptions& options,
                const std::atomic<bool>* interrupt)
      : job_(job),
        rows_(rows),
        theta_(theta),
        options_(options),
        interrupt_(interrupt),
        nodes_(job.map->feature_count()) {
    const auto prepared = job.map->prepare(theta);
    for (Index first = 0; first < rows.rows(); first += kChunkRows)
      add_features(*job.map, *prepared, rows, first, std::min(kChunkRows, rows.rows() - first), nodes_);
  }

  std::vector<Index> errors(const std::vector<Index>& train, const std::vector<Index>& test,
                            const std::vector<double>& costs) const override {
    std::vector<Index> wrong;
    Matrix solution;
    for (const double cost : costs) {
      solution = solve_linear(nodes_, task(train), cost, kSearchTolerance, solution, options_.threads, interrupt_);
      if (solution.size() == 0) break;
      wrong.push_back(wrong_rows(solution, test));
    }
    return wrong;
  }

  std::unique_ptr<Posterior> fit(double cost, Index& wrong) const override {
    const std::vector<Index> all = all_rows(rows_.rows());
    const Matrix solution = solve_linear(nodes_, task(all), cost, kTolerance, Matrix(), options_.threads, interrupt_);
    if (solution.size() == 0) return nullptr;
    wrong = wrong_rows(solution, all);
    const Index features = nodes_.features();
    return make_posterior(job_.map, theta_, LinearFunctions{solution.topRows(features), solution.row(features)});
  }

 private:
  LinearTask task(const std::vector<Index>& rows) const {
    return {job_.recipe.learner.kind, &rows_.classes, rows_.class_count, rows,
            job_.recipe.learner.class_weights == "balanced"};
  }
  Index wrong_rows(const Matrix& solution, const std::vector<Index>& rows) const {
    Vector values(solution.cols());
    return std::count_if(rows.begin(), rows.end(), [&](Index row) {
      nodes_.values(row, solution, values);
      return class_of(values) != rows_.classes[static_cast<std::size_t>(row)];
    });
  }

  const FitJob& job_;
  const ClassifierRows& rows_;
  const Vector theta_;
  const FitOptions& options_;
  const std::atomic<bool>* interrupt_;
  NodeRows nodes_;
};

class SupportProblem final : public ClassifierProblem {
 public:
  SupportProblem(const FitJob& job, const ClassifierRows& rows, const Vector& theta, const FitOptions& options,
                 const std::atomic<bool>* interrupt)
      : job_(job), rows_(rows), theta_(theta), interrupt_(interrupt), gram_(rows.rows()) {
    x_ = rows.source->read(0, rows.rows(), scratch_).x.dense();
    Matrix block;
    for (Index first = 0; first < x_.rows(); first += kChunkRows) {
      const Index count = std::min(kChunkRows, x_.rows() - first);
      block.resize(count, x_.rows());
      job.kernel->gram(theta_, x_.middleRows(first, count), x_, block, options.threads);
      if (!block.allFinite()) throw NumericalError("kernel", "a value is not a finite number");
      gram_.set(first, block);
    }
  }

  std::vector<Index> errors(const std::vector<Index>& train, const std::vector<Index>& test,
                            const std::vector<double>& costs) const override {
    std::vector<Index> wrong;
    for (const double cost : costs) {
      if (interrupt_ != nullptr && *interrupt_) break;
      wrong.push_back(wrong_rows(solve_support(gram_, task(train), cost), test));
    }
    return wrong;
  }

  std::unique_ptr<Posterior> fit(double cost, Index& wrong) const override {
    if (interrupt_ != nullptr && *interrupt_) return nullptr;
    const std::vector<Index> all = all_rows(rows_.rows());
    const SupportSolution solution = solve_support(gram_, task(all), cost);
    wrong = wrong_rows(solution, all);
    return make_posterior(job_.kernel, theta_, solution.votes, x_(solution.rows, Eigen::all));
  }

 private:
  LinearTask task(const std::vector<Index>& rows) const {
    return {job_.recipe.learner.kind, &rows_.classes, rows_.class_count, rows,
            job_.recipe.learner.class_weights == "balanced"};
  }
  Index wrong_rows(const SupportSolution& solution, const std::vector<Index>& rows) const {
    const auto vectors = static_cast<Index>(solution.rows.size());
    Matrix kernel(1, vectors), values(1, function_count(rows_.class_count));
    return std::count_if(rows.begin(), rows.end(), [&](Index row) {
      for (Index v = 0; v < vectors; ++v) kernel(0, v) = gram_.value(row, solution.rows[static_cast<std::size_t>(v)]);
      solution.votes.values(kernel, values);
      return class_of(values.row(0)) != rows_.classes[static_cast<std::size_t>(row)];
    });
  }

  const FitJob& job_;
  const ClassifierRows& rows_;
  const Vector theta_;
  const std::atomic<bool>* interrupt_;
  RowScratch scratch_;
  Matrix x_;
  NodeGram gram_;
};

}  // namespace

std::unique_ptr<ClassifierProblem> make_problem(const FitJob& job, const ClassifierRows& rows, const Vector& theta,
                                                const FitOptions& options, bool obey_interrupt) {
  const std::atomic<bool>* interrupt = obey_interrupt ? options.interrupt : nullptr;
  if (job.map) return std::make_unique<LinearProblem>(job, rows, theta, options, interrupt);
  return std::make_unique<SupportProblem>(job, rows, theta, options, interrupt);
}

ProblemSize problem_size(const FitJob& job, const ClassifierRows& rows, const Vector& theta, int threads) {
  const auto n = static_cast<double>(rows.rows());
  if (job.kernel)
    return {support_bytes(n) + 8 * n * static_cast<double>(job.kernel->input_count() + 2 * kChunkRows), n};
  const Index features = job.map->feature_count(), sampled = std::min(kSampleRows, rows.rows());
  NodeRows nodes(features);
  const auto prepared = job.map->prepare(theta);
  // From all over the file, which may be ordered.
  for (Index k = 0; k < sampled; ++k) add_features(*job.map, *prepared, rows, k * rows.rows() / sampled, 1, nodes);
  const double nonzeros = static_cast<double>(nodes.nonzeros()) / static_cast<double>(sampled);
  const auto functions = static_cast<double>(function_count(rows.class_count));
  const double solvers =
      std::min<double>(threads, functions) * (kSolverBytesPerRow * n + 80 * static_cast<double>(features));
  const double chunk = 16 * static_cast<double>(kChunkRows) * nonzeros;
  return {NodeRows::bytes(n, n * nonzeros) + solvers + 24 * functions * static_cast<double>(features) + chunk + 8 * n,
          nonzeros};
}

}  // namespace alacarte
