// Derivatives of every registered kernel with respect to its first argument, and to both, against central differences.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "alacarte/data/row_source.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "alacarte/model/registered.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

struct KernelCase {
  std::string label;
  Recipe recipe;
  bool smooth = true;
};

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases;
  for (const KernelEntry& entry : kernels()) {
    Recipe recipe = example_recipe(entry.name, 4);
    cases.push_back({entry.name, recipe, entry.name != "exact-minmax"});
    if (entry.name == "exact-matern")
      for (const double nu : {0.5, 0.8, 1.0, 1.4, 1.5, 2.2}) {
        recipe.kernel.nu = nu;
        cases.push_back({entry.name + " " + std::to_string(nu), recipe, nu > 1});
      }
    if (entry.name == "exact-polynomial")
      for (const Index degree : {1, 2}) {
        recipe.kernel.degree = degree;
        recipe.kernel.offset = 0;
        recipe.kernel.isotropic = true;
        cases.push_back({entry.name + " " + std::to_string(degree), recipe});
      }
    if (entry.name == "exact-product" || entry.name == "exact-sum") {
      recipe.terms = {example_recipe("exact-polynomial", 4), example_recipe("exact-rq", 4),
                      example_recipe("exact-linear", 4)};
      cases.push_back({entry.name + " of three", recipe});
      recipe.terms = {example_recipe("exact-rbf", 4), example_recipe("exact-minmax", 4)};
      cases.push_back({entry.name + " with minmax", recipe, false});
    }
  }
  return cases;
}

Matrix some_rows(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  const Vector normals = stream.normals(rows * cols);
  return Eigen::Map<const Matrix>(normals.data(), rows, cols);
}

struct Problem {
  std::unique_ptr<Kernel> kernel;
  Vector theta;
  Matrix x1, x1_dot, x2;
};

Problem problem_of(const KernelCase& c) {
  Problem p{
      find_kernel(c.recipe.model)->make(c.recipe, 3), {}, some_rows(9, 3, 1), some_rows(9, 3, 2), some_rows(6, 3, 3)};
  RandomStream stream(4);
  const Vector y = p.x1.rowwise().sum();
  p.theta = p.kernel->start(training_statistics(p.x1, y, stream), 1, stream);
  return p;
}

Matrix gram_of(const Problem& p, ConstMat a, ConstMat b) {
  Matrix gram(a.rows(), b.rows());
  p.kernel->gram(p.theta, a, b, gram);
  return gram;
}

TEST(KernelTangent, EqualsCentralDifferences) {
  for (const KernelCase& c : kernel_cases()) {
    const Problem p = problem_of(c);
    Matrix slope(9, 6);
    ASSERT_EQ(p.kernel->has_tangent(), c.smooth) << c.label;
    if (!c.smooth) continue;
    p.kernel->tangent(p.theta, p.x1, p.x1_dot, p.x2, slope);
    const auto difference = [&](double h) {
      return Matrix((gram_of(p, p.x1 + h * p.x1_dot, p.x2) - gram_of(p, p.x1 - h * p.x1_dot, p.x2)) / (2 * h));
    };
    const Matrix numeric = (4 * difference(5e-4) - difference(1e-3)) / 3;
    EXPECT_LT((slope - numeric).cwiseAbs().maxCoeff(), 1e-6 * numeric.cwiseAbs().maxCoeff()) << c.label;
  }
}

// Mixed difference of k(x + s v, x + t v) for small s and t.
TEST(KernelTangent, VarianceEqualsMixedDifferences) {
  for (const KernelCase& c : kernel_cases()) {
    if (!c.smooth) continue;
    const Problem p = problem_of(c);
    Vector variance(9);
    p.kernel->tangent_variance(p.theta, p.x1, p.x1_dot, variance);
    const bool is_matern = c.recipe.model == "exact-matern";
    const double nu = c.recipe.kernel.nu;
    // Tabulated values have ten digits, most of which short steps would lose.
    const double h = is_matern ? 1e-3 : 1e-4;
    const Matrix up = p.x1 + h * p.x1_dot, down = p.x1 - h * p.x1_dot;
    const Vector numeric =
        (gram_of(p, up, up) + gram_of(p, down, down) - gram_of(p, up, down) - gram_of(p, down, up)).diagonal() /
        (4 * h * h);
    // Differences of a Matern kernel converge as h^(2 nu - 2).
    const double bound = !is_matern ? 1e-3 : nu < 1.5 ? 5e-2 : nu < 2 ? 1e-2 : 1e-3;
    EXPECT_LT((variance - numeric).cwiseAbs().maxCoeff(), bound * numeric.maxCoeff()) << c.label;
  }
}

TEST(KernelTangent, OfPointsThatCoincide) {
  for (const KernelCase& c : kernel_cases()) {
    if (!c.smooth) continue;
    const Problem p = problem_of(c);
    Matrix slope(9, 9);
    p.kernel->tangent(p.theta, p.x1, p.x1_dot, p.x1, slope);
    EXPECT_TRUE(slope.allFinite()) << c.label;
  }
}

}  // namespace
}  // namespace alacarte
