#pragma once
// What Laplace's approximation asks of the rows, whichever curvature it takes: the features of a chunk behind a
// constant, weights of rows, and workers that each sum into matrices of their own, merged in order.
#include <alacarte/train/objective.hpp>
#include <vector>

#include "alacarte/core/threads.hpp"
#include "core/lines.hpp"
#include "core/workers.hpp"
#include "train/objective_parts.hpp"

namespace alacarte {

/// One worker's share. Matrices keep their size between passes.
struct LaplaceWorker {
  LineMatrix psi, other;                             ///< (chunk, D'): features, and something of their shape
  Matrix f, gradient, curvature, leverages, slopes;  ///< (chunk, K or pairs)
  Vector counts;                                     ///< (chunk) what each row counts
  RowScratch scratch;
  double value = 0, constant_bar = 0;
  Matrix bar;   ///< (chunk, D') cotangent of psi
  Matrix sums;  ///< (D', K)
  Matrix gram;  ///< (K D', K D') or K of (D', D') side by side, lower triangles
  Vector cotangents;
};

/// B whole, or one block of it for each output.
enum class CurvatureShape { joint, blocks };

/// Laplace's posterior and the one a step further; the latter is empty where none is taken.
struct LaplacePosteriors {
  std::unique_ptr<Posterior> laplace, stepped;
};

class LaplaceRows {
 public:
  LaplaceRows(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
              const ObjectiveOptions& options, CurvatureShape curvature);

  const ParameterLayout& parameters() const { return layout_; }
  const FeatureMap& map() const { return *map_; }
  const std::shared_ptr<const FeatureMap>& shared_map() const { return map_; }
  const RowSource& source() const { return *rows_; }
  const Likelihood& likelihood() const { return likelihood_; }
  Index outputs() const { return outputs_; }
  Index width() const { return map_->feature_count() + (constant_ ? 1 : 0); }  ///< D'
  int threads() const { return threads_; }
  double memory_bytes() const;
  EvaluationPlan plan(const std::string& form) const;  ///< what depends on no curvature

  /// Standard deviation of the constant's prior; 0 = no constant.
  double constant_sd(ConstVec theta) const;
  /// Where the weights begin (D', K): all rows at one f.
  Matrix start(double constant_sd) const;
  /// At one theta; throws as check_theta().
  void prepare(ConstVec theta);

  /// body(worker, rows of the block, psi (count, D')) for every chunk; single-threaded BLAS inside, and each worker's
  /// value and sums set to zero before; in a gram_pass its gram, too.
  template <class Body>
  void pass(const Body& body);
  template <class Body>
  void gram_pass(const Body& body);
  /// Of a chunk, with f (count, K) = psi weights: log p and its derivatives; the curvature only if asked for.
  double derivatives(LaplaceWorker& worker, const RowBlock& block, ConstMat psi, ConstMat weights,
                     bool curvature) const;
  /// What each row counts; (count).
  auto counts(LaplaceWorker& worker, const RowBlock& block) const -> VecRef;
  /// Takes the cotangent psi_bar (count, D') of psi back towards theta.
  void backward(LaplaceWorker& worker, const RowBlock& block, MatRef psi, MatRef psi_bar) const;

  // Sums over the workers, after a pass.
  double value() const;
  Matrix sums() const;
  Matrix& gram();  ///< merged into that of the first worker, which may be overwritten
  /// Whether posteriors take the variational step (train/objective.hpp).
  bool steps_on() const { return steps_on_; }
  /// What it needs of a chunk: worker.gradient = E g, worker.curvature = (W + E W)/2; laplace: at the mode `weights`.
  void expect(LaplaceWorker& worker, const RowBlock& block, ConstMat psi, const Posterior& laplace,
              ConstMat weights) const;
  /// See Objective::leave_one_out(); laplace: at the mode, stepped: what posterior() gives, which may be the same.
  LeaveOneOut leave_one_out(const Posterior& laplace, const Posterior& stepped, const std::vector<Index>& which) const;
  /// Of the cotangents of all passes since prepare().
  void finish(VecRef gradient) const;

 private:
  static constexpr Index kLeastChunk = 64;
  Index chunks() const { return (rows_->rows() + chunk_rows_ - 1) / chunk_rows_; }
  Index gram_rows() const { return curvature_ == CurvatureShape::joint ? outputs_ * width() : width(); }
  bool shrink();
  double count(double y) const;  ///< what a row of that target counts

  std::shared_ptr<const FeatureMap> map_;
  std::shared_ptr<const RowSource> rows_;
  const Likelihood& likelihood_;
  Vector class_weights_;
  Index outputs_;
  CurvatureShape curvature_;
  bool constant_, steps_on_;
  int threads_;
  ParameterLayout layout_;
  Index chunk_rows_ = 1;
  std::vector<LaplaceWorker> workers_;
  std::unique_ptr<PreparedMap> prepared_;
  double constant_sd_ = 0;
};

template <class Body>
void LaplaceRows::pass(const Body& body) {
  const BlasThreads single(1);
  const auto step = static_cast<Index>(workers_.size());
  run_workers(static_cast<int>(step), [&](int w) {
    LaplaceWorker& worker = workers_[static_cast<std::size_t>(w)];
    worker.value = 0;
    worker.sums.setZero(width(), outputs_);
    for (Index chunk = w; chunk < chunks(); chunk += step) {
      const Index first = chunk * chunk_rows_;
      const RowBlock block = rows_->read(first, std::min(chunk_rows_, rows_->rows() - first), worker.scratch);
      MatRef psi = worker.psi.topRows(block.y.size());
      if (constant_) psi.col(0).setConstant(constant_sd_);
      prepared_->forward(block.x, psi.rightCols(map_->feature_count()));
      body(worker, block, psi);
    }
  });
}

template <class Body>
void LaplaceRows::gram_pass(const Body& body) {
  run_workers(static_cast<int>(workers_.size()),
              [&](int w) { workers_[static_cast<std::size_t>(w)].gram.setZero(gram_rows(), outputs_ * width()); });
  pass(body);
}

std::unique_ptr<Objective> make_bound_laplace(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const ObjectiveOptions& options);

}  // namespace alacarte
