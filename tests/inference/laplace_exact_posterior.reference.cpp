// Posteriors of Laplace's approximation for exact kernels: saved and loaded, one row and many, far from all rows.
#include <gtest/gtest.h>

#include "alacarte/core/error.hpp"
#include "alacarte/core/tensor_bundle.hpp"
#include "inference/exact_problem.hpp"

namespace alacarte {
namespace {

TEST(LaplaceExact, PosteriorsGoBackToThePriorFarAway) {
  for (const char* likelihood : {"logit", "poisson", "softmax"}) {
    const ExactProblem problem(likelihood, 40, MeanKind::zero);
    const auto posterior = problem.inference()->posterior(problem.theta);
    const Matrix far = Matrix::Constant(1, 2, 1e3);
    Matrix mean(1, posterior->outputs()), covariance(1, pair_count(posterior->outputs()));
    posterior->predict_outputs(far, mean, covariance);
    EXPECT_NEAR(covariance(0, 0), problem.diagonal(far)[0], 1e-12) << likelihood;
    EXPECT_NEAR(mean(0, 0), 0, 1e-12) << likelihood;
  }
}

TEST(LaplaceExact, LoadedPredictsTheSameBits) {
  for (const char* likelihood : {"logit", "poisson", "softmax"}) {
    ExactProblem problem(likelihood, 70);
    problem.options.variational_step = true;
    problem.options.threads = 2;
    const auto posterior = problem.inference()->posterior(problem.theta);
    TensorBundle bundle, mean_only;
    posterior->save(bundle, "p/", false);
    posterior->save(mean_only, "p/", true);
    EXPECT_TRUE(bundle.contains("p/training_inputs"));
    const auto loaded = load_posterior(bundle, "p/", problem.kernel, problem.theta);
    const Index outputs = posterior->outputs();
    ASSERT_EQ(loaded->outputs(), outputs);
    Matrix means(25, outputs), others(25, outputs), none;
    Matrix covariances(25, pair_count(outputs)), other_covariances(25, pair_count(outputs));
    posterior->predict_outputs(problem.at, means, covariances);
    loaded->predict_outputs(problem.at, others, other_covariances);
    EXPECT_EQ(means, others);
    EXPECT_EQ(covariances, other_covariances);
    const auto bare = load_posterior(mean_only, "p/", problem.kernel, problem.theta);
    EXPECT_FALSE(bare->has_variance());
    bare->predict_outputs(problem.at, others, none);
    EXPECT_EQ(means, others);
    TensorBundle broken = bundle;
    broken.tensors.erase("p/training_inputs");
    EXPECT_THROW(load_posterior(broken, "p/", problem.kernel, problem.theta), IoError);
  }
}

TEST(LaplaceExact, OneRowAndJointMomentsAgree) {
  const ExactProblem problem("logit");
  const auto posterior = problem.inference()->posterior(problem.theta);
  Vector means(25), variances(25), work(function_of(*posterior).one_row_work());
  function_of(*posterior).predict(problem.at, means, variances);
  const Matrix joint = function_of(*posterior).covariance(problem.at);
  EXPECT_EQ(joint, joint.transpose());
  for (Index i = 0; i < 25; ++i) {
    const auto one = function_of(*posterior).predict_one(problem.at.row(i).transpose(), work, true);
    EXPECT_NEAR(one.mean, means[i], 1e-10);
    EXPECT_NEAR(one.variance, variances[i], 1e-9);
    EXPECT_NEAR(joint(i, i), variances[i], 1e-9);
  }
  // Tolerance: 4 standard errors of a mean of 4000 draws.
  RandomStream stream(3);
  const Matrix draws = function_of(*posterior).draws(problem.at, 4000, stream);
  for (Index i = 0; i < 25; ++i) EXPECT_NEAR(draws.row(i).mean(), means[i], 4 * std::sqrt(variances[i] / 4000)) << i;
}

TEST(LaplaceExact, KeptFeaturesAreTheBitsOfFreshOnes) {
  for (const char* likelihood : {"logit", "softmax"})
    for (const bool bound : {false, true}) {
      ExactProblem problem(likelihood, 90);
      if (bound) problem.options.max_joint_features = 1;
      problem.options.threads = 2;
      Vector kept(problem.theta.size()), fresh(problem.theta.size());
      const auto keeping = problem.inference();
      problem.options.memory_bytes = keeping->plan().memory_bytes - 1;
      const auto remaking = problem.inference();
      EXPECT_LE(remaking->plan().memory_bytes, keeping->plan().memory_bytes - 8 * 90 * 90);
      for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(keeping->evaluate(problem.theta, kept), remaking->evaluate(problem.theta, fresh));
        EXPECT_EQ(kept, fresh);
        problem.theta.array() += 0.1;
      }
    }
}

}  // namespace
}  // namespace alacarte
