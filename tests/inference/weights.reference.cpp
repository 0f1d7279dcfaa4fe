// Weights of rows: weight 2 equals the row twice, up to the constant that repetition adds to the evidence; arbitrary
// weights are checked by differences, dense algebra and leaving rows out.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "inference/exact_problem.hpp"
#include "model/posteriors.hpp"
#include "support/cosine_map.hpp"
#include "support/differences.hpp"

namespace alacarte {
namespace {

std::shared_ptr<const MemoryRows> weighted_rows(const Matrix& x, const Vector& y, const Vector& weights) {
  Dataset data{x, y, {}, {}, {}};
  data.weights = weights;
  return std::make_shared<const MemoryRows>(std::move(data));
}

/// Repeats every row by its whole weight.
std::shared_ptr<const MemoryRows> repeated_rows(const Matrix& x, const Vector& y, const Vector& weights) {
  std::vector<Index> order;
  for (Index i = 0; i < weights.size(); ++i) order.insert(order.end(), static_cast<std::size_t>(weights[i]), i);
  return std::make_shared<const MemoryRows>(Matrix(x(order, Eigen::all)), Vector(y(order)));
}

Vector whole_weights(Index rows) {
  Vector weights = Vector::Ones(rows);
  weights[0] = 3;
  for (Index i = 1; i < rows; i += 4) weights[i] = 2;
  return weights;
}

Vector any_weights(Index rows) {
  RandomStream stream(77);
  Vector weights(rows);
  for (double& weight : weights) weight = std::exp(1.2 * stream.normal());
  return weights;
}

enum class Algebra { primal, dual, exact };

struct WeightedCase {
  Algebra algebra;
  MeanKind mean;
};

class GaussianWeights : public testing::TestWithParam<WeightedCase> {
 protected:
  GaussianWeights() {
    options_.mean = GetParam().mean;
    options_.noise.floor = 0;
    options_.form = GetParam().algebra == Algebra::primal ? EvidenceForm::primal : EvidenceForm::dual;
    options_.chunk_rows = 16;
    options_.merges_equal_rows = false;  // otherwise a repeated row would become a row of weight 2
    if (GetParam().algebra == Algebra::exact)
      prior_ = find_kernel("exact-ard")->make(example_recipe("exact-ard", 1), 2);
    const Index own = prior_.parameters().size();
    theta_ = Vector::LinSpaced(own + 1, -0.3, 0.4);
    theta_[own] = -1.1;
  }
  std::unique_ptr<Inference> inference(std::shared_ptr<const MemoryRows> rows) const {
    return make_inference(prior_, std::move(rows), options_);
  }
  /// Returns k(a, b) without the constant's flat prior.
  Matrix gram(const Matrix& a, const Matrix& b) const {
    Matrix result(a.rows(), b.rows());
    if (const auto kernel = prior_.kernel()) {
      kernel->gram(theta_.head(theta_.size() - 1), a, b, result);
      return result;
    }
    const auto prepared = prior_.map()->prepare(theta_.head(theta_.size() - 1));
    Matrix psi(a.rows(), prior_.map()->feature_count()), other(b.rows(), prior_.map()->feature_count());
    prepared->forward(a, psi);
    prepared->forward(b, other);
    return psi * other.transpose();
  }
  double noise() const { return std::exp(2 * theta_[theta_.size() - 1]); }

  const Matrix x_ = normal_matrix(40, 2, 11), at_ = 1.5 * normal_matrix(9, 2, 12);
  const Vector y_ = smooth_target(x_, 13);
  Prior prior_ = std::make_shared<CosineMap>(2, 9, 14);
  InferenceOptions options_;
  Vector theta_;
};

std::string case_name(const testing::TestParamInfo<WeightedCase>& info) {
  constexpr const char* kNames[] = {"Primal", "Dual", "Exact"};
  return std::string(kNames[static_cast<int>(info.param.algebra)]) +
         (info.param.mean == MeanKind::zero ? "Zero" : "Constant");
}

INSTANTIATE_TEST_SUITE_P(
    Forms, GaussianWeights,
    testing::Values(WeightedCase{Algebra::primal, MeanKind::zero}, WeightedCase{Algebra::primal, MeanKind::constant},
                    WeightedCase{Algebra::dual, MeanKind::zero}, WeightedCase{Algebra::dual, MeanKind::constant},
                    WeightedCase{Algebra::exact, MeanKind::zero}, WeightedCase{Algebra::exact, MeanKind::constant}),
    case_name);

void expect_same_predictions(const FunctionPosterior& a, const FunctionPosterior& b, const Matrix& at,
                             double tolerance) {
  Vector mean(at.rows()), variance(at.rows()), other_mean(at.rows()), other_variance(at.rows());
  a.predict(at, mean, variance);
  b.predict(at, other_mean, other_variance);
  EXPECT_LT((mean - other_mean).cwiseAbs().maxCoeff(), tolerance * mean.cwiseAbs().maxCoeff());
  EXPECT_LT((variance - other_variance).cwiseAbs().maxCoeff(), tolerance * variance.cwiseAbs().maxCoeff());
  EXPECT_LT((a.covariance(at) - b.covariance(at)).norm(), tolerance * variance.norm());
  Vector work(a.one_row_work());
  for (Index i = 0; i < at.rows(); ++i) {
    const auto one = a.predict_one(at.row(i).transpose(), work, true);
    EXPECT_NEAR(one.mean, mean[i], tolerance * (1 + std::abs(mean[i])));
    EXPECT_NEAR(one.variance, variance[i], tolerance * (1 + variance[i]));
  }
}

TEST_P(GaussianWeights, AWholeWeightIsAsManyRows) {
  const Vector weights = whole_weights(x_.rows());
  const auto once = inference(weighted_rows(x_, y_, weights)), often = inference(repeated_rows(x_, y_, weights));
  Vector gradient(theta_.size()), other(theta_.size());
  const double value = once->evaluate(theta_, gradient), repeated = often->evaluate(theta_, other);
  // A row repeated w times: log p = log p(weight w) - ((w - 1) log(2 pi s2) + log w) / 2.
  const double more = (weights.array() - 1).sum();
  const double constant = 0.5 * (more * std::log(2 * std::numbers::pi * noise()) + weights.array().log().sum());
  EXPECT_NEAR(repeated - constant, value, 1e-10 * (1 + std::abs(value)));
  const Index own = theta_.size() - 1;
  EXPECT_LT((gradient - other).head(own).norm(), 1e-9 * gradient.norm());
  EXPECT_NEAR(other[own] - more, gradient[own], 1e-9 * gradient.norm());
  const Solution a = once->solve(theta_, {}), b = often->solve(theta_, {});
  expect_same_predictions(function_of(*a.posterior), function_of(*b.posterior), at_, 1e-9);
  // Rows of weight 1 have equal leave-one-out predictions.
  for (Index i = 0, place = 0; i < weights.size(); place += static_cast<Index>(weights[i++])) {
    if (weights[i] != 1) continue;
    EXPECT_NEAR(a.leave_one_out.mean(i, 0), b.leave_one_out.mean(place, 0), 1e-8);
    EXPECT_NEAR(a.leave_one_out.variance(i, 0), b.leave_one_out.variance(place, 0), 1e-8);
  }
}

TEST_P(GaussianWeights, GradientEqualsCentralDifferences) {
  const auto objective = inference(weighted_rows(x_, y_, any_weights(x_.rows())));
  Vector gradient(theta_.size()), unused(theta_.size());
  objective->evaluate(theta_, gradient);
  const Vector numeric =
      central_differences([&](const Vector& theta) { return objective->evaluate(theta, unused); }, theta_);
  EXPECT_LT(worst_relative_error(gradient, numeric), 1e-6);
}

// log N(y | 0, K + s2 W^-1 + c 11^T) as c goes to infinity, minus its log c / 2.
TEST_P(GaussianWeights, EvidenceAndPredictionsAreThoseOfDenseAlgebra) {
  const Vector weights = any_weights(x_.rows());
  Matrix covariance = gram(x_, x_);
  covariance.diagonal() += noise() * weights.cwiseInverse();
  const Eigen::LLT<Matrix> factor(covariance);
  const Vector ones = Vector::Ones(x_.rows()), solved = factor.solve(ones), applied = factor.solve(y_);
  const bool constant = GetParam().mean == MeanKind::constant;
  const double precision = ones.dot(solved), level = constant ? solved.dot(y_) / precision : 0;
  const Vector alpha = applied - level * solved;
  const double n = static_cast<double>(x_.rows());
  double expected = factor.matrixLLT().diagonal().array().log().sum() + 0.5 * y_.dot(alpha) +
                    0.5 * (n - (constant ? 1 : 0)) * std::log(2 * std::numbers::pi);
  if (constant) expected += 0.5 * std::log(precision);
  const auto objective = inference(weighted_rows(x_, y_, weights));
  Vector gradient(theta_.size());
  EXPECT_NEAR(objective->evaluate(theta_, gradient), expected, 1e-9 * (1 + std::abs(expected)));
  const Matrix cross = gram(at_, x_);
  Vector mean(at_.rows()), variance(at_.rows());
  function_of(*objective->posterior(theta_)).predict(at_, mean, variance);
  EXPECT_LT((mean - ((cross * alpha).array() + level).matrix()).norm(), 1e-9 * mean.norm());
  const Matrix whitened = factor.solve(cross.transpose());
  Vector own = gram(at_, at_).diagonal() - cross.cwiseProduct(whitened.transpose()).rowwise().sum();
  if (constant) own += ((1 - (cross * solved).array()).square() / precision).matrix();
  EXPECT_LT((variance - own).norm(), 1e-8 * own.norm());
}

// Refits without the row at the same hyperparameters; its observation keeps its own noise.
TEST_P(GaussianWeights, LeaveOneOutIsThatOfTheOtherRows) {
  const Vector weights = any_weights(x_.rows());
  const LeaveOneOut left = inference(weighted_rows(x_, y_, weights))->leave_one_out(theta_, {0, 7, 20});
  const Index places[] = {0, 7, 20};
  for (Index k = 0; k < 3; ++k) {
    std::vector<Index> others;
    for (Index i = 0; i < x_.rows(); ++i)
      if (i != places[k]) others.push_back(i);
    const auto rest = inference(weighted_rows(x_(others, Eigen::all), y_(others), weights(others)));
    Vector mean(1), variance(1);
    function_of(*rest->posterior(theta_)).predict(Matrix(x_.row(places[k])), mean, variance);
    EXPECT_NEAR(left.mean(k, 0), mean[0], 1e-8);
    EXPECT_NEAR(left.variance(k, 0), variance[0] + noise() / weights[places[k]], 1e-8);
  }
}

TEST_P(GaussianWeights, SavedModelsKeepThem) {
  const auto posterior = inference(weighted_rows(x_, y_, any_weights(x_.rows())))->posterior(theta_);
  TensorBundle bundle;
  posterior->save(bundle, "p.", false);
  const auto loaded = load_posterior(bundle, "p.", prior_, theta_);
  Vector mean(at_.rows()), variance(at_.rows()), other_mean(at_.rows()), other_variance(at_.rows());
  function_of(*posterior).predict(at_, mean, variance);
  function_of(*loaded).predict(at_, other_mean, other_variance);
  EXPECT_EQ(mean, other_mean);
  EXPECT_EQ(variance, other_variance);
  EXPECT_EQ(bundle.contains("p.root_weights"), GetParam().algebra != Algebra::primal);
  RandomStream first(3), second(3);
  EXPECT_EQ(function_of(*posterior).draws(at_, 2, first), function_of(*loaded).draws(at_, 2, second));
}

TEST_P(GaussianWeights, DrawsHaveThePosteriorsVariance) {
  const auto posterior = inference(weighted_rows(x_, y_, any_weights(x_.rows())))->posterior(theta_);
  Vector mean(at_.rows()), variance(at_.rows());
  function_of(*posterior).predict(at_, mean, variance);
  constexpr Index kDraws = 4000;
  RandomStream stream(5);
  const Matrix draws = function_of(*posterior).draws(at_, kDraws, stream);
  // Tolerance: five standard errors of a variance, with a fixed seed.
  const Vector sample = (draws.colwise() - mean).rowwise().squaredNorm() / kDraws;
  EXPECT_LT((sample.cwiseQuotient(variance).array() - 1).abs().maxCoeff(), 5 * std::sqrt(2.0 / kDraws));
}

class LaplaceWeights : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Likelihoods, LaplaceWeights, testing::Values("softmax", "logit", "poisson"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(LaplaceWeights, AWholeWeightIsAsManyRows) {
  for (const bool step : {false, true}) {
    ExactProblem problem(GetParam());
    problem.options.variational_step = step;
    const Vector weights = whole_weights(problem.x.rows());
    // Uses a feature map, since an exact kernel's features depend on the rows.
    const auto map = std::make_shared<CosineMap>(2, 6, 3);
    Vector theta = Vector::Constant(map->parameters().size() + 1, 0.3);
    const auto once = make_inference(map, weighted_rows(problem.x, problem.y, weights), problem.options);
    const auto often = make_inference(map, repeated_rows(problem.x, problem.y, weights), problem.options);
    Vector gradient(theta.size()), other(theta.size());
    const double value = once->evaluate(theta, gradient);
    EXPECT_NEAR(often->evaluate(theta, other), value, 1e-8 * (1 + std::abs(value)));
    EXPECT_LT((gradient - other).norm(), 1e-6 * gradient.norm());
    const Index outputs = once->posterior(theta)->outputs(), at = problem.at.rows();
    Matrix means(at, outputs), covariances(at, pair_count(outputs)), other_means = means,
                                                                     other_covariances = covariances;
    once->posterior(theta)->predict_outputs(problem.at, means, covariances);
    often->posterior(theta)->predict_outputs(problem.at, other_means, other_covariances);
    EXPECT_LT((means - other_means).norm(), 1e-6 * means.norm());
    EXPECT_LT((covariances - other_covariances).norm(), 1e-6 * covariances.norm());
  }
}

TEST_P(LaplaceWeights, GradientOfAnExactKernelEqualsDifferences) {
  ExactProblem problem(GetParam());
  const auto objective = make_inference(
      problem.kernel, weighted_rows(problem.x, problem.y, any_weights(problem.x.rows())), problem.options);
  Vector gradient(problem.theta.size()), unused(problem.theta.size());
  objective->evaluate(problem.theta, gradient);
  const Vector numeric =
      central_differences([&](const Vector& theta) { return objective->evaluate(theta, unused); }, problem.theta);
  EXPECT_LT(worst_relative_error(gradient, numeric), 1e-5);
}

TEST(Weights, OfOneChangeNothingButRounding) {
  const Matrix x = normal_matrix(30, 2, 1);
  const Vector y = smooth_target(x, 2);
  const auto map = std::make_shared<CosineMap>(2, 5, 3);
  const Vector theta = Vector::Constant(map->parameters().size() + 1, -0.2);
  Vector gradient(theta.size()), other(theta.size());
  const double plain = make_inference(map, x, y, {})->evaluate(theta, gradient);
  const double ones = make_inference(map, weighted_rows(x, y, Vector::Ones(30)), {})->evaluate(theta, other);
  EXPECT_NEAR(ones, plain, 1e-12 * std::abs(plain));
  EXPECT_LT((gradient - other).norm(), 1e-11 * gradient.norm());
  EXPECT_THROW(weighted_rows(x, y, Vector::Zero(30)), std::invalid_argument);
  EXPECT_THROW(weighted_rows(x, y, Vector::Ones(29)), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
