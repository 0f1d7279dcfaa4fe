#include "inference/support_solver.hpp"

#include <libsvm/svm.h>
#include <mutex>

namespace alacarte {
namespace {

constexpr double kCacheMegabytes = 100;
constexpr double kCacheBytesPerNumber = 4;
constexpr double kSupportTolerance = 1e-3;  // LIBSVM's default

void support_print_nothing(const char*) {}

/// Adds the classes without rows, which LIBSVM does not know, behind the others: they have no vectors, and lose their
/// pair against each of the others by a decision of 1.
SupportVotes votes_of(const ::svm_model& made, Index classes) {
  const auto present = static_cast<Index>(made.nr_class);
  SupportVotes votes;
  votes.order.assign(made.label, made.label + present);
  votes.counts.assign(made.nSV, made.nSV + present);
  for (int k = 0; k < classes; ++k)
    if (std::find(made.label, made.label + present, k) == made.label + present) votes.order.push_back(k);
  votes.counts.resize(votes.order.size(), 0);
  votes.coefficients = Matrix::Zero(made.l, classes - 1);
  for (Index c = 0; c + 1 < present; ++c) votes.coefficients.col(c) = Eigen::Map<const Vector>(made.sv_coef[c], made.l);
  votes.rho = Vector::Constant(classes * (classes - 1) / 2, -1);
  const double* rho = made.rho;
  Index pair = 0;
  for (Index p = 0; p < present; ++p)
    for (Index q = p + 1; q < classes; ++q, ++pair)
      if (q < present) votes.rho[pair] = *rho++;
  return votes;
}

}  // namespace

NodeGram::NodeGram(Index rows) : nodes_(new svm_node[static_cast<std::size_t>(rows * (rows + 1))]) {
  for (Index i = 0; i < rows; ++i) {
    rows_.push_back(nodes_.get() + i * (rows + 1));
    *rows_.back() = {0, static_cast<double>(i + 1)};  // the serial number of the row, from 1
  }
}

void NodeGram::set(Index first, ConstMat block) {
  require(block.cols() == rows() && first + block.rows() <= rows(), "NodeGram: shapes");
  for (Index i = 0; i < block.rows(); ++i)
    for (Index j = 0; j < block.cols(); ++j) row(first + i)[j + 1] = {static_cast<int>(j + 1), block(i, j)};
}

double support_bytes(double rows) {
  return NodeGram::bytes(rows) + std::min(kCacheMegabytes * (1 << 20), kCacheBytesPerNumber * rows * rows);
}

double NodeGram::value(Index row, Index column) const { return this->row(row)[column + 1].value; }

SupportSolution solve_support(const NodeGram& gram, const LinearTask& task, double cost) {
  static std::once_flag quiet;  // a global of the library
  std::call_once(quiet, ::svm_set_print_string_function, support_print_nothing);
  std::vector<svm_node*> rows;
  std::vector<double> labels;
  for (const Index row : task.rows) {
    rows.push_back(gram.row(row));
    labels.push_back(static_cast<double>((*task.classes)[static_cast<std::size_t>(row)]));
  }
  ::svm_problem problem{static_cast<int>(rows.size()), labels.data(), rows.data()};
  const Vector of_class = class_weights(task);
  // LIBSVM prints warnings about classes without rows to standard error.
  std::vector<int> names;
  std::vector<double> weights;
  for (Index k = 0; k < task.class_count; ++k)
    if (std::find(labels.begin(), labels.end(), static_cast<double>(k)) != labels.end()) {
      names.push_back(static_cast<int>(k));
      weights.push_back(of_class[k]);
    }
  ::svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = PRECOMPUTED;
  parameter.cache_size = kCacheMegabytes;
  parameter.eps = kSupportTolerance;
  parameter.C = cost;
  parameter.nr_weight = task.balanced ? static_cast<int>(names.size()) : 0;
  parameter.weight_label = names.data();
  parameter.weight = weights.data();
  parameter.shrinking = 1;
  if (const char* complaint = ::svm_check_parameter(&problem, &parameter))
    throw NumericalError("LIBSVM", complaint, cost);
  const auto destroy = [](::svm_model* model) { ::svm_free_and_destroy_model(&model); };
  const std::unique_ptr<::svm_model, decltype(destroy)> model{::svm_train(&problem, &parameter), destroy};
  const ::svm_model& made = *model;
  SupportSolution solution;
  solution.votes = votes_of(made, task.class_count);
  for (Index i = 0; i < made.l; ++i)
    solution.rows.push_back(task.rows[static_cast<std::size_t>(made.sv_indices[i] - 1)]);
  if (!solution.votes.coefficients.allFinite() || !solution.votes.rho.allFinite())
    throw NumericalError("LIBSVM", "a coefficient is not a finite number", cost);
  return solution;
}

}  // namespace alacarte
