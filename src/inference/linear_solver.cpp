#include "inference/linear_solver.hpp"

#include <linear.h>
#include <mutex>

#include "core/workers.hpp"

namespace alacarte {
namespace {

constexpr int kEnd = -1;

/// Interrupt of the solution that this thread works on: LIBLINEAR can only be stopped in the function that prints each
/// iteration.
thread_local const std::atomic<bool>* watched = nullptr;

/// Thrown through LIBLINEAR, which leaks some vectors of the size of the features by it.
struct SolutionStopped {};

void print_nothing_or_stop(const char*) {
  if (watched != nullptr && *watched) throw SolutionStopped{};
}

/// Weights of the two sides, since LIBLINEAR has one for each: the rows of the rest share the sum of their own, which
/// is exact for two classes and right on average for more.
std::pair<double, double> sides(const LinearTask& task, const Vector& weights, Index positive) {
  double rest = 0, count = 0;
  for (const Index row : task.rows) {
    const Index label = (*task.classes)[static_cast<std::size_t>(row)];
    if (label == positive) continue;
    rest += weights[label];
    ++count;
  }
  return {weights[positive], count > 0 ? rest / count : 1.0};
}

/// Solves class `positive` against the rest. w (features + 1) is the start, if `warm`, and the result.
void solve_function(const NodeRows& nodes, const LinearTask& task, const Vector& weights, double cost, double tolerance,
                    Index positive, bool warm, VecRef w) {
  std::vector<feature_node*> rows;
  std::vector<double> sides_of;
  for (const Index row : task.rows) {
    rows.push_back(nodes.row(row));
    sides_of.push_back((*task.classes)[static_cast<std::size_t>(row)] == positive ? 1 : -1);
  }
  // If all rows are on one side, LIBLINEAR takes that side as the positive one.
  const auto positives = std::count(sides_of.begin(), sides_of.end(), 1.0);
  const bool none = positives == 0, one_side = none || positives == static_cast<std::ptrdiff_t>(rows.size());
  const double sign = none ? -1 : 1;
  Vector start = sign * w;
  ::problem problem{static_cast<int>(rows.size()), static_cast<int>(nodes.features() + 1), sides_of.data(), rows.data(),
                    -1};
  const auto [own, rest] = sides(task, weights, positive);
  int labels[2] = {1, -1};
  double counts[2] = {own, rest};
  ::parameter parameter{};
  parameter.solver_type = task.kind == LearnerKind::svm ? L2R_L2LOSS_SVC : L2R_LR;
  parameter.eps = tolerance;
  parameter.C = cost;
  parameter.nr_weight = one_side ? 1 : 2;
  parameter.weight_label = none ? labels + 1 : labels;
  parameter.weight = none ? counts + 1 : counts;
  parameter.init_sol = warm ? start.data() : nullptr;
  if (const char* complaint = ::check_parameter(&problem, &parameter))
    throw NumericalError("LIBLINEAR", complaint, cost);
  const auto destroy = [](::model* model) { ::free_and_destroy_model(&model); };
  const std::unique_ptr<::model, decltype(destroy)> model{::train(&problem, &parameter), destroy};
  // LIBLINEAR puts the label 1 before -1, whichever the first row has.
  w = sign * Eigen::Map<const Vector>(model->w, w.size());
  if (!w.allFinite()) throw NumericalError("LIBLINEAR", "a weight is not a finite number", cost);
}

}  // namespace

double NodeRows::bytes(double rows, double nonzeros) {
  return sizeof(feature_node) * (nonzeros + 2 * rows) + sizeof(feature_node*) * rows;
}

void NodeRows::add(const SparseView& psi) {
  require(psi.width == features_, "NodeRows: another number of features");
  nonzeros_ += psi.nonzeros();
  blocks_.emplace_back(new feature_node[static_cast<std::size_t>(psi.nonzeros() + 2 * psi.rows)]);
  feature_node* node = blocks_.back().get();
  for (Index i = 0; i < psi.rows; ++i) {
    rows_.push_back(node);
    for (Index e = psi.starts[i]; e < psi.starts[i + 1]; ++e)
      *node++ = {static_cast<int>(psi.columns[e] + 1), psi.values[e]};
    *node++ = {static_cast<int>(features_ + 1), 1};
    *node++ = {kEnd, 0};
  }
}

void NodeRows::values(Index row, ConstMat solution, VecRef values) const {
  values.setZero();
  for (const feature_node* node = this->row(row); node->index != kEnd; ++node)
    values += node->value * solution.row(node->index - 1).transpose();
}

Vector class_weights(const LinearTask& task) {
  Vector weights = Vector::Ones(task.class_count);
  if (!task.balanced) return weights;
  Vector counts = Vector::Zero(task.class_count);
  for (const Index row : task.rows) ++counts[(*task.classes)[static_cast<std::size_t>(row)]];
  const double share = static_cast<double>(task.rows.size()) / static_cast<double>(task.class_count);
  for (Index k = 0; k < weights.size(); ++k)
    if (counts[k] > 0) weights[k] = share / counts[k];
  return weights;
}

Matrix solve_linear(const NodeRows& nodes, const LinearTask& task, double cost, double tolerance, ConstMat start,
                    int threads, const std::atomic<bool>* interrupt) {
  static std::once_flag quiet;  // a global of the library
  std::call_once(quiet, ::set_print_string_function, print_nothing_or_stop);
  const Index functions = function_count(task.class_count);
  const bool warm = start.size() > 0;
  Matrix solution = warm ? Matrix(start) : Matrix::Zero(nodes.features() + 1, functions);
  require(solution.rows() == nodes.features() + 1 && solution.cols() == functions, "solve_linear: start");
  const Vector weights = class_weights(task);
  std::atomic<bool> stopped = false;
  run_dealt(static_cast<int>(std::clamp<Index>(threads, 1, functions)), functions, 1, [&](Index k) {
    if (interrupt != nullptr && *interrupt) stopped = true;
    if (stopped) return;
    watched = interrupt;
    try {
      solve_function(nodes, task, weights, cost, tolerance, functions == 1 ? 1 : k, warm, solution.col(k));
    } catch (const SolutionStopped&) {
      stopped = true;
    }
    watched = nullptr;
  });
  return stopped ? Matrix() : solution;
}

}  // namespace alacarte
