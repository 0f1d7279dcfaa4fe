#include "alacarte/model/posterior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "inference/inference.hpp"
#include "model/posteriors.hpp"
#include "support/cosine_map.hpp"

namespace alacarte {
namespace {

// The three kinds of posterior on the same rows.
struct Kind {
  std::string name;
  Index rows, frequencies;
};

class Posteriors : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    x_ = normal_matrix(GetParam().rows, 3, 41);
    y_ = smooth_target(x_, 42);
    if (GetParam().name == "exact") {
      prior_ = find_kernel("exact-ard")->make({}, 3);
    } else {
      prior_ = std::make_shared<CosineMap>(3, GetParam().frequencies, 43);
    }
    const Index size = prior_.parameters().size();
    theta_ = Vector::LinSpaced(size + 1, 0.0, 0.3);
    theta_[size] = -1;
    const auto objective = make_inference(prior_, x_, y_, {});
    EXPECT_EQ(word(objective->plan().form), GetParam().name);
    posterior_ = objective->posterior(theta_);
  }

  std::unique_ptr<Posterior> load(const TensorBundle& bundle) const {
    return load_posterior(bundle, "p/", prior_, theta_);
  }

  Matrix x_;
  Vector y_, theta_;
  Prior prior_;
  std::unique_ptr<Posterior> posterior_;
};

TEST_P(Posteriors, LoadedPredictsTheSameBits) {
  const Matrix test = normal_matrix(300, 3, 44);
  TensorBundle bundle;
  posterior_->save(bundle, "p/", false);
  const auto loaded = load(bundle);
  Vector mean(300), variance(300), mean2(300), variance2(300);
  function_of(*posterior_).predict(test, mean, variance);
  function_of(*loaded).predict(test, mean2, variance2);
  EXPECT_EQ(mean, mean2);
  EXPECT_EQ(variance, variance2);
  EXPECT_GT(variance.minCoeff(), 0.0);
  EXPECT_EQ(function_of(*posterior_).covariance(test.topRows(20)), function_of(*loaded).covariance(test.topRows(20)));
  EXPECT_EQ(loaded->noise_variance(), posterior_->noise_variance());
  RandomStream a(1), b(1);
  EXPECT_EQ(function_of(*posterior_).draws(test.topRows(9), 3, a), function_of(*loaded).draws(test.topRows(9), 3, b));
}

TEST_P(Posteriors, MeanOnlyKeepsTheMeanAndLittleElse) {
  const Matrix test = normal_matrix(30, 3, 45);
  TensorBundle bundle;
  posterior_->save(bundle, "p/", true);
  EXPECT_FALSE(bundle.contains("p/factor"));
  EXPECT_EQ(bundle.contains("p/training_inputs"), prior_.kernel() != nullptr);
  const auto loaded = load(bundle);
  EXPECT_FALSE(loaded->has_variance());
  Vector mean(30), mean2(30), variance(30), none(0);
  function_of(*posterior_).predict(test, mean, none);
  function_of(*loaded).predict(test, mean2, none);
  EXPECT_EQ(mean, mean2);
  EXPECT_THROW(function_of(*loaded).predict(test, mean2, variance), NumericalError);
  EXPECT_THROW(function_of(*loaded).covariance(test), NumericalError);
  RandomStream stream(1);
  EXPECT_THROW(function_of(*loaded).draws(test, 1, stream), NumericalError);
  TensorBundle again;
  loaded->save(again, "p/", false);
  EXPECT_EQ(again.tensors.size(), bundle.tensors.size());
}

TEST_P(Posteriors, BrokenTensorsAreNamed) {
  TensorBundle good;
  posterior_->save(good, "p/", false);
  for (const auto& [name, tensor] : good.tensors) {
    TensorBundle bad = good;
    bad.tensors[name].f64.push_back(1.0);
    bad.tensors[name].shape[0] += 1;
    if (tensor.shape.size() == 1) {
      EXPECT_THROW(load(bad), IoError) << name;
    }
    bad = good;
    bad.tensors[name].f64[0] = std::nan("");
    EXPECT_THROW(load(bad), IoError) << name;
    bad = good;
    bad.tensors[name].type = Tensor::Type::i32;
    EXPECT_THROW(load(bad), IoError) << name;
  }
  TensorBundle negative = good;
  negative.tensors["p/noise_variance"].f64[0] = -1;
  EXPECT_THROW(load(negative), IoError);
  negative = good;
  negative.tensors["p/factor"].f64[0] = 0;
  EXPECT_THROW(load(negative), IoError);
  EXPECT_THROW(load(TensorBundle{}), IoError);
}

TEST_P(Posteriors, NoRowsAndWrongShapes) {
  Vector mean(0), variance(0), one(1);
  function_of(*posterior_).predict(Matrix(0, 3), mean, variance);
  EXPECT_EQ(function_of(*posterior_).covariance(Matrix(0, 3)).size(), 0);
  EXPECT_THROW(function_of(*posterior_).predict(Matrix(Matrix::Ones(2, 3)), one, one), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Posteriors,
                         ::testing::Values(Kind{"primal", 60, 10}, Kind{"dual", 15, 20}, Kind{"exact", 30, 0}));

// Variances of several rows use products with an inverse, made some columns at a time; one row uses a solve.
TEST(PrimalPosterior, VariancesOfManyFeaturesAreThoseOfSolves) {
  const Matrix x = normal_matrix(900, 2, 61), test = normal_matrix(8, 2, 62);
  const auto map = std::make_shared<CosineMap>(2, 300, 63);
  ASSERT_GT(map->feature_count(), 512);
  const auto posterior =
      make_inference(map, x, smooth_target(x, 64), {})->posterior(Vector::Zero(map->parameters().size() + 1));
  Vector mean(test.rows()), variance(test.rows()), work(function_of(*posterior).one_row_work());
  function_of(*posterior).predict(test, mean, variance);
  for (Index i = 0; i < test.rows(); ++i) {
    const auto one = function_of(*posterior).predict_one(test.row(i).transpose(), work, true);
    EXPECT_NEAR(one.variance, variance[i], 1e-10 * variance[i]);
  }
}

TEST(OutputsPosterior, IsNotTheOneOfAFunction) {
  const auto map = std::make_shared<CosineMap>(2, 4, 71);
  OutputsState state;
  state.weights = normal_matrix(map->feature_count(), 3, 72);
  const auto posterior = make_posterior(map, Vector::Zero(map->parameters().size()), std::move(state));
  EXPECT_EQ(posterior->outputs(), 3);
  EXPECT_FALSE(posterior->has_variance());
  EXPECT_EQ(posterior->as_function(), nullptr);
  EXPECT_THROW(function_of(*posterior), std::invalid_argument);
}

// Draws of feature posteriors are functions: chunks of rows asked with equal streams belong together.
TEST(FeatureDraws, ChunksBelongToOneFunction) {
  for (const Index rows : {60, 12}) {
    const Matrix x = normal_matrix(rows, 2, 51), test = normal_matrix(10, 2, 52);
    const Vector y = smooth_target(x, 53);
    const auto map = std::make_shared<CosineMap>(2, 10, 54);
    const Vector theta = Vector::Zero(map->parameters().size() + 1);
    const auto posterior = make_inference(map, x, y, {})->posterior(theta);
    RandomStream a(7), b(7), c(7);
    const Matrix whole = function_of(*posterior).draws(test, 4, a);
    EXPECT_LT((function_of(*posterior).draws(test.topRows(3), 4, b) - whole.topRows(3)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((function_of(*posterior).draws(test.bottomRows(7), 4, c) - whole.bottomRows(7)).cwiseAbs().maxCoeff(),
              1e-12);
  }
}

}  // namespace
}  // namespace alacarte
