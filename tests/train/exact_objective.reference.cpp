#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/inference/inference.hpp"
#include "alacarte/optimise/gradient_checker.hpp"
#include "support/cosine_map.hpp"
#include "support/dense_reference.hpp"

namespace alacarte {
namespace {

struct ExactCase {
  std::string name;
  double nu;
  Index d;
  MeanKind mean;
};

class ExactObjectives : public ::testing::TestWithParam<ExactCase> {
 protected:
  void SetUp() override {
    Recipe recipe;
    recipe.kernel.nu = GetParam().nu;
    kernel_ = find_kernel(GetParam().name)->make(recipe, GetParam().d);
    x_ = normal_matrix(40, GetParam().d, 31);
    y_ = smooth_target(x_, 32);
    theta_ = Vector::LinSpaced(kernel_->parameters().size() + 1, 0.1, 0.5);
    theta_[theta_.size() - 1] = -1.2;
    options_.mean = GetParam().mean;
  }

  Matrix gram(const Matrix& a, const Matrix& b) const {
    Matrix result(a.rows(), b.rows());
    kernel_->gram(theta_.head(kernel_->parameters().size()), a, b, result);
    return result;
  }

  Matrix x_;
  Vector y_, theta_;
  std::shared_ptr<Kernel> kernel_;
  InferenceOptions options_;
};

TEST_P(ExactObjectives, ValueGradientAndThreads) {
  const auto objective = make_inference(kernel_, x_, y_, options_);
  Vector gradient(theta_.size()), threaded(theta_.size());
  const double value = objective->evaluate(theta_, gradient);
  const double noise = std::pow(objective->noise_sd(theta_), 2);
  const DenseReference dense(gram(x_, x_), y_, noise, GetParam().mean);
  EXPECT_NEAR(value, dense.value, 1e-10 * (1 + std::abs(dense.value)));
  EXPECT_LT(check_gradient(*objective, theta_).worst(), 1e-6);
  options_.threads = 2;
  const auto parallel = make_inference(kernel_, x_, y_, options_);
  EXPECT_NEAR(parallel->evaluate(theta_, threaded), value, 1e-10 * (1 + std::abs(value)));
  EXPECT_LT((threaded - gradient).norm(), 1e-9 * gradient.norm());
  Vector again(theta_.size());
  parallel->evaluate(theta_, again);
  EXPECT_EQ(again, threaded);
}

TEST_P(ExactObjectives, PosteriorAndLeaveOneOut) {
  const auto objective = make_inference(kernel_, x_, y_, options_);
  const double noise = std::pow(objective->noise_sd(theta_), 2);
  const Matrix test = normal_matrix(6, GetParam().d, 33), k = gram(x_, x_), cross = gram(test, x_);
  const DenseReference dense(k, y_, noise, GetParam().mean);
  const auto posterior = objective->posterior(theta_);
  Vector mean(6), variance(6);
  posterior->predict(test, mean, variance);
  const Matrix covariance = dense.predict_covariance(cross, gram(test, test));
  EXPECT_LT((mean - dense.predict_mean(cross)).norm(), 1e-10);
  EXPECT_LT((variance - covariance.diagonal()).norm(), 1e-10);
  EXPECT_LT((posterior->covariance(test) - covariance).norm(), 1e-10);

  const LeaveOneOut left_out = objective->leave_one_out(theta_);
  std::vector<Index> kept;
  for (Index i = 0; i < 40; ++i)
    if (i != 7) kept.push_back(i);
  const Matrix sub = k(kept, kept), row = k(std::vector<Index>{7}, kept);
  const DenseReference refit(sub, y_(kept), noise, GetParam().mean);
  EXPECT_NEAR(left_out.mean(7), refit.predict_mean(row)[0], 1e-10);
  EXPECT_NEAR(left_out.variance(7), refit.predict_covariance(row, k.block(7, 7, 1, 1))(0, 0) + noise, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(All, ExactObjectives,
                         ::testing::Values(ExactCase{"exact-rbf", 1.5, 3, MeanKind::constant},
                                           ExactCase{"exact-rbf", 1.5, 1, MeanKind::zero},
                                           ExactCase{"exact-ard", 1.5, 8, MeanKind::constant},
                                           ExactCase{"exact-matern", 0.5, 3, MeanKind::constant},
                                           ExactCase{"exact-matern", 1.5, 3, MeanKind::zero},
                                           ExactCase{"exact-matern", 2.5, 3, MeanKind::constant}));

// A sum of linear kernels has features: the two posteriors know nothing of each other.
TEST(ExactObjective, TermsOfASumAreThoseOfItsFeatures) {
  const Index d = 3;
  Recipe features, kernels;
  features.model = "sum";
  kernels.model = "exact-sum";
  features.terms.resize(2);
  kernels.terms.resize(2);
  for (Recipe& term : features.terms) term.model = "linear";
  for (Recipe& term : kernels.terms) term.model = "exact-linear";
  const std::shared_ptr<const FeatureMap> map = find_feature_map("sum")->make(features, d, RandomStreams(1), {});
  const std::shared_ptr<const Kernel> kernel = find_kernel("exact-sum")->make(kernels, d);
  const Matrix x = normal_matrix(40, d, 31), test = normal_matrix(6, d, 33).array() + 1;
  const Vector y = smooth_target(x, 32);
  Vector theta(3), same(2 * d + 1);
  theta << 0.4, -0.3, -1.2;
  const double root = 0.5 * std::log(static_cast<double>(d));
  same << Vector::Constant(d, root - theta[0]), Vector::Constant(d, root - theta[1]), theta[2];
  for (const MeanKind mean : {MeanKind::zero, MeanKind::constant}) {
    InferenceOptions options;
    options.mean = mean;
    const auto wanted = make_inference(map, x, y, options)->posterior(theta)->term_moments(test);
    const auto terms = make_inference(kernel, x, y, options)->posterior(same)->term_moments(test);
    ASSERT_EQ(terms.size(), 2u);
    for (std::size_t t = 0; t < 2; ++t) {
      EXPECT_EQ(terms[t].model, "exact-linear");
      EXPECT_LT((terms[t].prior_variance - wanted[t].prior_variance).norm(), 1e-10);
      EXPECT_LT((terms[t].mean - wanted[t].mean).norm(), 1e-9);
      EXPECT_LT((terms[t].variance - wanted[t].variance).norm(), 1e-9);
    }
  }
  const std::shared_ptr<const Kernel> product = find_kernel("exact-product")->make(kernels, d);
  EXPECT_TRUE(make_inference(product, x, y, {})->posterior(same)->term_moments(test).empty());
}

TEST(ExactObjective, DuplicatesConstantsAndBrokenParameters) {
  const std::shared_ptr<Kernel> kernel = find_kernel("exact-ard")->make({}, 2);
  const Matrix x = Matrix::Ones(10, 2);
  const Vector y = Vector::Constant(10, 3.0);
  const auto objective = make_inference(kernel, x, y, {});
  Vector theta = Vector::Zero(4), gradient(4), mean(1), variance(1);
  theta[3] = -2;
  EXPECT_TRUE(std::isfinite(objective->evaluate(theta, gradient)));
  objective->posterior(theta)->predict(x.topRows(1), mean, variance);
  EXPECT_NEAR(mean[0], 3.0, 1e-9);
  EXPECT_GT(variance[0], 0.0);
  theta[0] = std::nan("");
  EXPECT_THROW(objective->evaluate(theta, gradient), NumericalError);
  EXPECT_THROW(objective->evaluate(Vector::Zero(3), gradient), std::invalid_argument);
  const Matrix one = Matrix::Ones(1, 2);
  const Vector single = Vector::Ones(1);
  theta.setZero();
  EXPECT_TRUE(std::isfinite(make_inference(kernel, one, single, {})->evaluate(theta, gradient)));
}

}  // namespace
}  // namespace alacarte
