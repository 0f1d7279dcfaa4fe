// LIBLINEAR and LIBSVM behind our interfaces, against the definitions of their solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "inference/classifier.hpp"
#include "inference/support_solver.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

struct SeparableProblem {
  Matrix psi;
  std::vector<Index> classes;
  LinearTask task;
  NodeRows nodes;

  SeparableProblem(Index rows, Index features, Index count, const std::string& kind, bool balanced)
      : psi(rows, features), nodes(features) {
    RandomStream stream(11);
    for (Index i = 0; i < rows; ++i) {
      const Index label = i % 7 < 3 ? i % count : 0;  // more rows of class 0
      classes.push_back(label);
      for (Index j = 0; j < features; ++j) psi(i, j) = stream.normal() + (j == label ? 1.0 : 0.0);
    }
    psi(3, 1) = 0;
    nodes.add(to_sparse(psi.topRows(rows / 2)).view());
    nodes.add(to_sparse(psi.bottomRows(rows - rows / 2)).view());
    task.kind = from_word<LearnerKind>(kind).value();
    task.classes = &classes;
    task.class_count = count;
    task.balanced = balanced;
    for (Index i = 0; i < rows; ++i) task.rows.push_back(i);
  }

  /// Returns the gradient of the objective of one function at w, with one weight per row.
  Vector gradient(const Vector& w, Index positive, double cost, const Vector& weights) const {
    Vector sum = w;
    for (const Index i : task.rows) {
      const double y = classes[static_cast<std::size_t>(i)] == positive ? 1 : -1;
      Vector row(psi.cols() + 1);
      row << psi.row(i).transpose(), 1;
      const double margin = y * row.dot(w);
      const double slope = task.kind == LearnerKind::svm ? -2 * std::max(0.0, 1 - margin) : -1 / (1 + std::exp(margin));
      sum += cost * weights[classes[static_cast<std::size_t>(i)]] * slope * y * row;
    }
    return sum;
  }
};

class Solver : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Solver, testing::Values("svm", "logistic"));

TEST_P(Solver, TheGradientVanishesWithTheRowWeightsOfTheRecipe) {
  for (const bool balanced : {false, true}) {
    const SeparableProblem problem(120, 4, 2, GetParam(), balanced);
    Vector weights = Vector::Ones(2);
    if (balanced) {
      const auto ones = static_cast<double>(std::count(problem.classes.begin(), problem.classes.end(), 1));
      weights << 120 / (2 * (120 - ones)), 120 / (2 * ones);
    }
    const Matrix solution = solve_linear(problem.nodes, problem.task, 0.3, 1e-10, Matrix(), 1, nullptr);
    ASSERT_EQ(solution.cols(), 1);
    const double size = problem.gradient(Vector::Zero(5), 1, 0.3, weights).norm();
    EXPECT_LT(problem.gradient(solution.col(0), 1, 0.3, weights).norm(), 1e-6 * size);
  }
}

TEST_P(Solver, ManyClassesAreEachAgainstTheRestWhateverTheThreadsAndTheStart) {
  const SeparableProblem problem(150, 5, 4, GetParam(), false);
  const Matrix solution = solve_linear(problem.nodes, problem.task, 2, 1e-10, Matrix(), 1, nullptr);
  ASSERT_EQ(solution.cols(), 4);
  for (int k = 0; k < 4; ++k) {
    const double size = problem.gradient(Vector::Zero(6), k, 2, Vector::Ones(4)).norm();
    EXPECT_LT(problem.gradient(solution.col(k), k, 2, Vector::Ones(4)).norm(), 1e-6 * size);
  }
  EXPECT_EQ(solve_linear(problem.nodes, problem.task, 2, 1e-10, Matrix(), 3, nullptr), solution);
  const Matrix loose = solve_linear(problem.nodes, problem.task, 0.5, 1e-2, Matrix(), 1, nullptr);
  const Matrix warm = solve_linear(problem.nodes, problem.task, 2, 1e-10, loose, 1, nullptr);
  EXPECT_LT((warm - solution).norm(), 1e-6 * solution.norm());
  // A start at the solution is returned unchanged, without rounding.
  EXPECT_EQ(solve_linear(problem.nodes, problem.task, 2, 1e-2, solution, 1, nullptr), solution);
}

TEST(LinearSolver, ValuesAreThoseOfTheRows) {
  const SeparableProblem problem(20, 3, 2, "svm", false);
  const Matrix solution = Matrix::Random(4, 2);
  Vector values(2);
  for (const Index i : {0, 3, 19}) {
    problem.nodes.values(i, solution, values);
    EXPECT_LT((values.transpose() - problem.psi.row(i) * solution.topRows(3) - solution.row(3)).norm(), 1e-14);
  }
}

TEST(LinearSolver, AnInterruptLeavesNothing) {
  const SeparableProblem problem(20, 3, 3, "svm", false);
  const std::atomic<bool> interrupt = true;
  EXPECT_EQ(solve_linear(problem.nodes, problem.task, 1, 1e-2, Matrix(), 1, &interrupt).size(), 0);
}

// A fold may have no rows of a rare class, which must not win if no other class is certain.
TEST_P(Solver, AClassWithoutRowsNeverWins) {
  SeparableProblem problem(30, 3, 3, GetParam(), false);
  problem.task.class_count = 4;
  const Vector weights = Vector::Ones(4);
  const Matrix solution = solve_linear(problem.nodes, problem.task, 1, 1e-10, Matrix(), 1, nullptr);
  const double size = problem.gradient(Vector::Zero(4), 3, 1, weights).norm();
  EXPECT_LT(problem.gradient(solution.col(3), 3, 1, weights).norm(), 1e-6 * size);
  EXPECT_EQ(solve_linear(problem.nodes, problem.task, 1, 1e-2, solution, 1, nullptr), solution);
  Vector values(4);
  Index best = 0;
  for (Index i = 0; i < 30; ++i) {
    problem.nodes.values(i, solution, values);
    EXPECT_LT(values[3], -0.5);
    values.maxCoeff(&best);
    EXPECT_NE(best, 3);
  }
}

TEST_P(Solver, RowsOfOneClassAreAllOfIt) {
  SeparableProblem problem(30, 3, 2, GetParam(), true);
  for (const Index only : {0, 1}) {
    std::fill(problem.classes.begin(), problem.classes.end(), only);
    const Matrix solution = solve_linear(problem.nodes, problem.task, 1, 1e-6, Matrix(), 1, nullptr);
    Vector value(1);
    for (Index i = 0; i < 30; ++i) {
      problem.nodes.values(i, solution, value);
      // The squared hinge pulls every row to its margin of 1; the logistic loss only to its side.
      EXPECT_GT(only == 1 ? value[0] : -value[0], std::string(GetParam()) == "svm" ? 0.5 : 0);
    }
  }
}

/// A classifier on the rows of a problem and a map with the given length-scale.
struct MappedProblem {
  SeparableProblem problem{90, 3, 3, "logistic", false};
  std::shared_ptr<const FeatureMap> map = std::make_shared<CosineMap>(3, 8, 2);
  std::unique_ptr<Classifier> classifier;
  Vector theta = Vector::Zero(map->parameters().size());

  explicit MappedProblem(const std::string& kind) {
    problem.task.kind = from_word<LearnerKind>(kind).value();
    classifier = make_classifier(map, std::make_shared<MemoryRows>(problem.psi, Vector::Zero(90)),
                                 {problem.task.kind, &problem.classes, 3, false, 2});
  }
  Matrix features() const {
    Matrix psi(90, map->feature_count());
    map->prepare(theta)->forward(problem.psi, psi);
    return psi;
  }
  Index errors(const std::vector<Index>& rows, const Matrix& solution) const {
    const Matrix psi = features(), f = (psi * solution.topRows(psi.cols())).rowwise() + solution.row(psi.cols());
    Index wrong = 0, best = 0;
    for (const Index i : rows) {
      f.row(i).maxCoeff(&best);
      wrong += best != problem.classes[static_cast<std::size_t>(i)];
    }
    return wrong;
  }
};

TEST_P(Solver, AClassifierEvaluatesWarmStartedOverTheCosts) {
  MappedProblem problem(GetParam());
  LinearTask fold = problem.problem.task;
  std::vector<Index> test;
  fold.rows.clear();
  for (Index i = 0; i < 90; ++i) (i % 4 == 0 ? test : fold.rows).push_back(i);
  NodeRows nodes(16);
  nodes.add(to_sparse(problem.features()).view());
  const Matrix first = solve_linear(nodes, fold, 0.01, 1e-2, Matrix(), 1, nullptr);
  const Matrix second = solve_linear(nodes, fold, 5, 1e-2, first, 1, nullptr);
  problem.classifier->prepare(problem.theta);
  // Repeated, since no fold starts from the functions of another.
  for (int k = 0; k < 2; ++k)
    EXPECT_EQ(problem.classifier->evaluate(fold.rows, test, {0.01, 5}, nullptr),
              (std::vector<Index>{problem.errors(test, first), problem.errors(test, second)}));
  const Matrix whole = solve_linear(nodes, problem.problem.task, 5, 1e-3, Matrix(), 1, nullptr);
  const Solution solution = problem.classifier->solve(5, nullptr);
  EXPECT_EQ(problem.classifier->training_errors(), problem.errors(problem.problem.task.rows, whole));
  Matrix means(90, 3), none;
  solution.posterior->predict_outputs(problem.problem.psi, means, none);
  EXPECT_LT((means - ((problem.features() * whole.topRows(16)).rowwise() + whole.row(16))).norm(),
            1e-12 * means.norm());
  EXPECT_EQ(solution.leave_one_out.mean.size(), 0);
}

TEST(ClassifierProblem, IsPlannedInterruptedAndCheckedForFiniteFeatures) {
  MappedProblem problem("svm");
  const EvaluationPlan plan = problem.classifier->plan(problem.theta);
  EXPECT_EQ(plan.form, EvaluationForm::linear);
  EXPECT_EQ(plan.features, 16);
  EXPECT_GT(plan.memory_bytes, 16.0 * 90 * (16 + 2));
  problem.classifier->prepare(problem.theta);
  const std::atomic<bool> interrupt = true;
  EXPECT_EQ(problem.classifier->solve(1, &interrupt).posterior, nullptr);
  EXPECT_TRUE(problem.classifier->evaluate({0, 1, 2}, {3}, {1}, &interrupt).empty());
  problem.theta.setConstant(800);
  EXPECT_THROW(problem.classifier->prepare(problem.theta), NumericalError);
}

Matrix rbf_gram(const Matrix& x) {
  Matrix gram(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j) gram(i, j) = std::exp(-0.5 * (x.row(i) - x.row(j)).squaredNorm());
  return gram;
}

NodeGram nodes_of(const Matrix& gram) {
  NodeGram nodes(gram.rows());
  nodes.set(0, gram.topRows(5));
  nodes.set(5, gram.bottomRows(gram.rows() - 5));
  return nodes;
}

/// Returns the values of the given votes at all rows.
Matrix values_of(const SupportSolution& solution, const Matrix& gram, Index functions) {
  Matrix values(gram.rows(), functions);
  solution.votes.values(gram(Eigen::all, solution.rows), values);
  return values;
}

TEST(SupportSolver, TwoClassesMeetTheConditionsOfAnOptimum) {
  const SeparableProblem problem(80, 2, 2, "svm", true);
  const Matrix gram = rbf_gram(problem.psi);
  constexpr double kCost = 2;
  const SupportSolution solution = solve_support(nodes_of(gram), problem.task, kCost);
  const Matrix values = values_of(solution, gram, 1);
  const Vector weights = class_weights(problem.task);
  EXPECT_NE(weights[0], weights[1]);
  Vector alpha = Vector::Zero(80);  // times the sign of its class
  for (std::size_t i = 0; i < solution.rows.size(); ++i)
    alpha[solution.rows[i]] = solution.votes.coefficients(static_cast<Index>(i), 0);
  EXPECT_NEAR(alpha.sum(), 0, 1e-10);
  for (Index i = 0; i < 80; ++i) {
    const Index label = problem.classes[static_cast<std::size_t>(i)];
    const double margin = (label == 1 ? 1 : -1) * values(i, 0), maximum = kCost * weights[label];
    if (alpha[i] == 0)
      EXPECT_GE(margin, 1 - 2e-3) << i;
    else if (std::abs(std::abs(alpha[i]) - maximum) < 1e-12)
      EXPECT_LE(margin, 1 + 2e-3) << i;
    else
      EXPECT_NEAR(margin, 1, 2e-3) << i;
  }
}

TEST(SupportSolver, ManyClassesVoteByPairs) {
  const SeparableProblem problem(90, 3, 3, "svm", false);
  const Matrix gram = rbf_gram(problem.psi);
  const NodeGram nodes = nodes_of(gram);
  const Matrix values = values_of(solve_support(nodes, problem.task, 1), gram, 3);
  Matrix votes = Matrix::Zero(90, 3);
  for (int p = 0; p < 3; ++p) {
    for (int q = p + 1; q < 3; ++q) {
      std::vector<Index> classes;
      LinearTask pair = problem.task;
      pair.rows.clear();
      for (Index i = 0; i < 90; ++i) {
        const Index label = problem.classes[static_cast<std::size_t>(i)];
        classes.push_back(label == q ? 1 : 0);
        if (label == p || label == q) pair.rows.push_back(i);
      }
      pair.classes = &classes;
      pair.class_count = 2;
      const Matrix decision = values_of(solve_support(nodes, pair, 1), gram, 1);
      for (Index i = 0; i < 90; ++i) ++votes(i, decision(i, 0) > 0 ? q : p);
    }
  }
  // A decision of a pair within LIBSVM's tolerance of 0 may depend on the order of the rows.
  Index different = 0;
  for (Index i = 0; i < 90; ++i) different += (values.row(i).array().round() != votes.row(i).array()).any();
  EXPECT_LE(different, 1);
  EXPECT_LT((values - values.array().round().matrix()).cwiseAbs().maxCoeff(), 1.0 / 3);
}

TEST(SupportSolver, ClassesWithoutRowsNeverWin) {
  const SeparableProblem problem(90, 3, 3, "svm", true);
  const Matrix gram = rbf_gram(problem.psi);
  const NodeGram nodes = nodes_of(gram);
  // Only classes 1, 3 and 5 of six have rows.
  std::vector<Index> classes;
  for (const Index label : problem.classes) classes.push_back(2 * label + 1);
  LinearTask task = problem.task;
  task.classes = &classes;
  task.class_count = 6;
  task.balanced = false;
  const LinearTask of_three{LearnerKind::svm, &problem.classes, 3, problem.task.rows, false};
  const Matrix expected = values_of(solve_support(nodes, of_three, 1), gram, 3);
  const SupportSolution solution = solve_support(nodes, task, 1);
  EXPECT_EQ(solution.votes.classes(), 6);
  EXPECT_EQ(solution.votes.coefficients.cols(), 5);
  const Matrix values = values_of(solution, gram, 6);
  // Each class also has the votes of the three pairs with absent classes.
  for (Index i = 0; i < 90; ++i)
    for (Index k = 0; k < 3; ++k) EXPECT_EQ(std::round(values(i, 2 * k + 1)), std::round(expected(i, k)) + 3);
  for (const Index k : {0, 2, 4}) EXPECT_LT(values.col(k).maxCoeff(), 2.5);

  // Only the second of two classes has rows; nothing is printed on standard error.
  std::vector<Index> second(90, 1);
  const LinearTask one{LearnerKind::svm, &second, 2, problem.task.rows, true};
  testing::internal::CaptureStderr();
  EXPECT_GT(values_of(solve_support(nodes, one, 1), gram, 1).minCoeff(), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace alacarte
