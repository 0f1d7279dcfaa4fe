#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/kernel/kernel.hpp"

namespace alacarte {
namespace {

Matrix random_inputs(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix x(rows, cols);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.normal();
  return x;
}

/// Parameters by slot name, on the scale of the formula.
class Named {
 public:
  Named(const Kernel& kernel, ConstVec theta, std::string prefix)
      : layout_(kernel.parameters()), theta_(theta), prefix_(std::move(prefix)) {}
  /// Returns the parameters of a term of this one.
  Named of_term(std::size_t t) const {
    Named own = *this;
    own.prefix_ += fmt::format("term[{}].", t);
    return own;
  }
  /// Returns exp of entry j of a slot; a slot of one entry has it for every j.
  double operator()(const std::string& slot, Index j = 0) const {
    const ParameterSlot& found = layout_.find(prefix_ + slot);
    return std::exp(theta_[found.offset + (found.size == 1 ? 0 : j)]);
  }

 private:
  const ParameterLayout& layout_;
  Vector theta_;
  std::string prefix_;
};

using Formula = std::function<double(const Named&, const Vector&, const Vector&)>;

double distance(const Named& at, const std::string& name, const Vector& a, const Vector& b) {
  double r2 = 0;
  for (Index j = 0; j < a.size(); ++j) r2 += std::pow((a[j] - b[j]) / at(name + ".log_lengthscale", j), 2);
  return std::sqrt(r2);
}

double scalar_product(const Named& at, const std::string& name, const Vector& a, const Vector& b) {
  double t = 0;
  for (Index j = 0; j < a.size(); ++j) t += a[j] * b[j] / std::pow(at(name + ".log_lengthscale", j), 2);
  return t;
}

double bessel_matern(double nu, double r) {
  const double z = std::sqrt(2 * nu) * r;
  return r == 0 ? 1 : std::pow(2, 1 - nu) / std::tgamma(nu) * std::pow(z, nu) * boost::math::cyl_bessel_k(nu, z);
}

Formula radial(const std::string& name, std::function<double(double)> profile) {
  return [=](const Named& at, const Vector& a, const Vector& b) {
    return std::pow(at(name + ".log_amplitude"), 2) * profile(distance(at, name, a, b));
  };
}

double gaussian(double r) { return std::exp(-0.5 * r * r); }

double rational_quadratic(const Named& at, const Vector& a, const Vector& b) {
  const double alpha = at("rq.log_alpha"), r = distance(at, "rq", a, b);
  return std::pow(at("rq.log_amplitude"), 2) * std::pow(1 + r * r / (2 * alpha), -alpha);
}

double periodic(const Named& at, const Vector& a, const Vector& b) {
  double sum = 0;
  for (Index j = 0; j < a.size(); ++j) {
    const double sine = std::sin(M_PI * (a[j] - b[j]) / at("periodic.log_period", j));
    sum += std::pow(sine / at("periodic.log_lengthscale", j), 2);
  }
  return std::pow(at("periodic.log_amplitude"), 2) * std::exp(-2 * sum);
}

Formula polynomial(double degree, bool offset) {
  return [=](const Named& at, const Vector& a, const Vector& b) {
    const double c = offset ? at("polynomial.log_offset") : 0;
    return std::pow(at("polynomial.log_amplitude"), 2) * std::pow(scalar_product(at, "polynomial", a, b) + c, degree);
  };
}

double linear(const Named& at, const Vector& a, const Vector& b) { return scalar_product(at, "linear", a, b); }

double minmax(const Named& at, const Vector& a, const Vector& b) {
  double small = 0, large = 0;
  for (Index j = 0; j < a.size(); ++j)
    for (const double sign : {1.0, -1.0}) {
      const double u = std::max(0.0, sign * a[j]), v = std::max(0.0, sign * b[j]);
      small += std::min(u, v);
      large += std::max(u, v);
    }
  return std::pow(at("minmax.log_amplitude"), 2) * small / large;
}

/// Returns the formula of a sum or product that is itself a term.
Formula nested(std::vector<Formula> formulas, bool product) {
  return [=](const Named& at, const Vector& a, const Vector& b) {
    double all = product ? 1 : 0;
    for (std::size_t t = 0; t < formulas.size(); ++t) {
      const double term = formulas[t](at.of_term(t), a, b);
      all = product ? all * term : all + term;
    }
    return all;
  };
}

struct Case {
  std::string label;
  Recipe recipe;
  /// One factor or summand per term; a kernel without terms has one, whose slots have no prefix.
  std::vector<Formula> formulas;
  bool distances = true;  ///< true for a kernel of differences: k(x, x) does not depend on x
};

Recipe kernel_recipe(const std::string& model, double nu = 1.5) {
  Recipe recipe;
  recipe.model = model;
  recipe.kernel.nu = nu;
  return recipe;
}

Recipe isotropic(Recipe recipe) {
  recipe.kernel.isotropic = true;
  return recipe;
}

Recipe polynomial_recipe(Index degree, double offset) {
  Recipe recipe = kernel_recipe("exact-polynomial");
  recipe.kernel.degree = degree;
  recipe.kernel.offset = offset;
  return recipe;
}

Recipe compound(const std::string& model, std::vector<Recipe> terms) {
  Recipe recipe = kernel_recipe(model);
  recipe.terms = std::move(terms);
  return recipe;
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"rbf", kernel_recipe("exact-rbf"), {radial("rbf", gaussian)}},
      {"ard", kernel_recipe("exact-ard"), {radial("ard", gaussian)}},
      {"rq", kernel_recipe("exact-rq"), {rational_quadratic}},
      {"rq_isotropic", isotropic(kernel_recipe("exact-rq")), {rational_quadratic}},
      {"periodic", kernel_recipe("exact-periodic"), {periodic}},
      {"linear", kernel_recipe("exact-linear"), {linear}, false},
      {"polynomial_1", polynomial_recipe(1, 0.5), {polynomial(1, true)}, false},
      {"polynomial_4", polynomial_recipe(4, 1), {polynomial(4, true)}, false},
      {"polynomial_isotropic", isotropic(polynomial_recipe(3, 1)), {polynomial(3, true)}, false},
      {"homogeneous_3", polynomial_recipe(3, 0), {polynomial(3, false)}, false},
      {"minmax", kernel_recipe("exact-minmax"), {minmax}, false},
      {"sum",
       compound("exact-sum", {kernel_recipe("exact-ard"), kernel_recipe("exact-linear"), kernel_recipe("exact-rq")}),
       {radial("ard", gaussian), linear, rational_quadratic},
       false},
      {"product",
       compound("exact-product",
                {kernel_recipe("exact-linear"), kernel_recipe("exact-periodic"), polynomial_recipe(2, 1)}),
       {linear, periodic, polynomial(2, true)},
       false},
      {"sum_of_a_product",
       compound("exact-sum", {compound("exact-product", {kernel_recipe("exact-rq"), kernel_recipe("exact-periodic")}),
                              kernel_recipe("exact-ard")}),
       {nested({rational_quadratic, periodic}, true), radial("ard", gaussian)}},
      {"product_of_a_sum",
       compound("exact-product", {kernel_recipe("exact-ard"),
                                  compound("exact-sum", {kernel_recipe("exact-linear"), kernel_recipe("exact-rq")})}),
       {radial("ard", gaussian), nested({linear, rational_quadratic}, false)},
       false},
  };
  all.push_back({"matern_isotropic", isotropic(kernel_recipe("exact-matern", 2.5)), {radial("matern", [](double r) {
                   return bessel_matern(2.5, r);
                 })}});
  for (const double nu : {0.2, 0.5, 1.0, 1.3, 1.5, 2.0, 2.5, 3.5, 12.0})
    all.push_back({fmt::format("matern_{:02}", static_cast<int>(10 * nu)),
                   kernel_recipe("exact-matern", nu),
                   {radial("matern", [=](double r) { return bessel_matern(nu, r); })}});
  return all;
}

class Kernels : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Kernel> make(Index inputs) const {
    const Recipe& recipe = GetParam().recipe;
    return find_kernel(recipe.model)->make(recipe, inputs);
  }
};

double by_formula(const Kernel& kernel, const Case& c, ConstVec theta, const Vector& a, const Vector& b) {
  if (c.recipe.terms.empty()) return c.formulas[0](Named(kernel, theta, ""), a, b);
  double result = c.recipe.model == "exact-sum" ? 0 : 1;
  for (std::size_t t = 0; t < c.formulas.size(); ++t) {
    const double term = c.formulas[t](Named(kernel, theta, fmt::format("term[{}].", t)), a, b);
    result = c.recipe.model == "exact-sum" ? result + term : result * term;
  }
  return result;
}

TEST_P(Kernels, GramFollowsTheFormula) {
  const Index d = 3;
  const auto kernel = make(d);
  Matrix x1 = random_inputs(5, d, 1);
  const Matrix x2 = random_inputs(7, d, 2);
  x1.row(4) = x2.row(6);
  const Vector theta = Vector::LinSpaced(kernel->parameters().size(), -0.3, 0.4);
  Matrix gram(5, 7);
  kernel->gram(theta, x1, x2, gram);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 7; ++j) {
      const double wanted = by_formula(*kernel, GetParam(), theta, x1.row(i), x2.row(j));
      EXPECT_NEAR(gram(i, j), wanted,
                  (GetParam().recipe.model == "exact-matern" ? 1e-10 : 2e-14) * (1 + std::abs(wanted)));
    }
}

TEST_P(Kernels, SymmetricGramIsExactAndFreeOfThreads) {
  const Index n = 530, d = 2;
  const auto kernel = make(d);
  Matrix x = random_inputs(n, d, 3);
  x.row(17) = x.row(400);
  const Vector theta = Vector::Constant(kernel->parameters().size(), 0.1);
  Matrix gram(n, n), threaded(n, n), crossed(n, n);
  kernel->gram(theta, x, x, gram, 1);
  kernel->gram(theta, x, x, threaded, 2);
  const Matrix copy = x;
  kernel->gram(theta, x, copy, crossed, 1);
  Vector diagonal(n), row(n);
  kernel->diagonal(theta, x, diagonal);
  EXPECT_EQ(gram, threaded);
  EXPECT_EQ(gram, Matrix(gram.transpose()));
  EXPECT_EQ(gram.diagonal(), diagonal);
  const double size = gram.cwiseAbs().maxCoeff();
  if (GetParam().distances) {
    EXPECT_EQ(gram(17, 400), diagonal[0]);
  }
  EXPECT_LT((gram - crossed).cwiseAbs().maxCoeff(), 1e-15 * size);
  kernel->row(theta, x.row(29).transpose(), x, row);
  EXPECT_LT((gram.col(29) - row).cwiseAbs().maxCoeff(), 1e-15 * size);
}

TEST_P(Kernels, OnlyLowerTrianglesCount) {
  const Index n = 60, d = 2;
  const auto kernel = make(d);
  const Matrix x = random_inputs(n, d, 3);
  const Vector theta = Vector::LinSpaced(kernel->parameters().size(), 0.2, 0.6);
  Matrix gram(n, n), lower = Matrix::Zero(n, n), bar = random_inputs(n, n, 5);
  bar = (bar + bar.transpose()).eval();
  kernel->gram(theta, x, x, gram);
  kernel->gram_lower(theta, x, lower, 2);
  const Matrix difference = lower - gram;
  EXPECT_LT(Matrix(difference.triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), 1e-14 * gram.maxCoeff());
  Vector whole = Vector::Zero(theta.size()), half = whole;
  kernel->backward(theta, x, gram, bar, whole);
  gram.triangularView<Eigen::StrictlyUpper>().setConstant(3);
  bar.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  kernel->backward(theta, x, gram, bar, half);
  EXPECT_EQ(whole, half);
}

// <gram_bar, K(theta)> against Richardson-extrapolated central differences.
TEST_P(Kernels, BackwardIsTheAdjointOfGram) {
  for (const Index d : {1, 3, 8}) {
    const Index n = 40;
    const auto kernel = make(d);
    Matrix x = random_inputs(n, d, 4);
    x.row(3) = x.row(9);
    Matrix bar = random_inputs(n, n, 5);
    bar = (bar + bar.transpose()).eval();
    const Vector theta = Vector::LinSpaced(kernel->parameters().size(), 0.2, 0.6);
    Matrix gram(n, n);
    const auto value = [&](const Vector& at) {
      Matrix k(n, n);
      kernel->gram(at, x, x, k);
      return k.cwiseProduct(bar).sum();
    };
    kernel->gram(theta, x, x, gram);
    for (const int threads : {1, 2}) {
      Vector gradient = Vector::Zero(theta.size());
      kernel->backward(theta, x, gram, bar, gradient, threads);
      for (Index p = 0; p < theta.size(); ++p) {
        const auto central = [&](double h) {
          Vector up = theta, down = theta;
          up[p] += h;
          down[p] -= h;
          return (value(up) - value(down)) / (2 * h);
        };
        const double numeric = (4 * central(5e-4) - central(1e-3)) / 3;
        EXPECT_NEAR(gradient[p], numeric, 2e-8 * (1 + gradient.cwiseAbs().maxCoeff())) << d << " " << p;
      }
    }
  }
}

// The cotangents of two blocks of rows, each against all rows, add up to those of the whole.
TEST_P(Kernels, CrossCotangentsAddUpToTheSymmetricOnes) {
  const Index n = 23, d = 3, split = 9;
  const auto kernel = make(d);
  const Matrix x = random_inputs(n, d, 4);
  Matrix bar = random_inputs(n, n, 5), gram(n, n);
  bar = (bar + bar.transpose()).eval();
  const Vector theta = Vector::LinSpaced(kernel->parameters().size(), 0.2, 0.6);
  kernel->gram(theta, x, x, gram);
  Vector whole = Vector::Zero(theta.size()), parts = whole;
  kernel->backward(theta, x, gram, bar, whole);
  kernel->backward_cross(theta, x.topRows(split), x, gram.topRows(split), bar.topRows(split), parts);
  kernel->backward_cross(theta, x.bottomRows(n - split), x, gram.bottomRows(n - split), bar.bottomRows(n - split),
                         parts);
  EXPECT_LT((whole - parts).norm(), 1e-12 * whole.norm());
}

TEST_P(Kernels, StartsAreFiniteAndInsideTheBounds) {
  const Index d = 4;
  const auto kernel = make(d);
  Matrix x = random_inputs(50, d, 6);
  x.col(2).setZero();
  RandomStream stream(7);
  const TrainingStatistics statistics = training_statistics(x, x.col(0), stream);
  for (Index k = 0; k < 10; ++k) {
    const Vector theta = kernel->start(statistics, k, stream);
    EXPECT_TRUE(theta.allFinite());
    EXPECT_TRUE(kernel->parameters().at_bound(theta).empty());
  }
  const auto report = kernel->describe(kernel->start(statistics, 0, stream));
  EXPECT_EQ(report.relevance.size(), 4);
  EXPECT_GT(report.amplitude, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::ValuesIn(cases()), [](const auto& info) { return info.param.label; });

TEST(KernelRegistry, EveryKernelIsTested) {
  for (const auto& entry : kernels()) {
    const auto all = cases();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) { return c.recipe.model == entry.name; }))
        << entry.name;
  }
  EXPECT_EQ(find_kernel("exact-cubic"), nullptr);
}

TEST(KernelRegistry, BadSettings) {
  const auto make = [](const Recipe& recipe) { return find_kernel(recipe.model)->make(recipe, 2); };
  EXPECT_THROW(make(kernel_recipe("exact-matern", 0)), ConfigError);
  EXPECT_THROW(make(kernel_recipe("exact-matern", 51)), ConfigError);
  EXPECT_THROW(make(polynomial_recipe(0, 1)), ConfigError);
  EXPECT_THROW(make(polynomial_recipe(2, -1)), ConfigError);
  EXPECT_THROW(make(compound("exact-sum", {})), ConfigError);
  EXPECT_THROW(make(compound("exact-product", {kernel_recipe("ard")})), ConfigError);
  Recipe rq = kernel_recipe("exact-rq");
  rq.kernel.alpha = 0;
  EXPECT_THROW(make(rq), ConfigError);
}

// The relevance of an input is the second moment of the spectrum along it, and so the curvature at 0.
TEST(KernelRegistry, RelevanceIsTheCurvatureAtZero) {
  for (const Case& c : cases()) {
    // Rough kernels have no curvature, rational quadratics another one, and scalar products no spectrum.
    if (!c.distances || c.label.rfind("rq", 0) == 0 || c.label.rfind("matern", 0) == 0) continue;
    const auto kernel = find_kernel(c.recipe.model)->make(c.recipe, 2);
    const Vector theta = Vector::LinSpaced(kernel->parameters().size(), 0.3, 0.6);
    const double h = 1e-3, relevance = kernel->describe(theta).relevance[1];
    Matrix x = Matrix::Zero(2, 2), gram(2, 2);
    x(1, 1) = h / relevance;
    kernel->gram(theta, x, x, gram);
    EXPECT_NEAR(2 * (gram(0, 0) - gram(0, 1)) / (h * h * gram(0, 0)), 1, 1e-5) << c.label;
  }
}

}  // namespace
}  // namespace alacarte
