#include "inference/inference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "support/cosine_map.hpp"
#include "support/dense_reference.hpp"

namespace alacarte {
namespace {

struct Case {
  Index n = 60, d = 3, frequencies = 12;
  MeanKind mean = MeanKind::constant;
  double log_noise = -1.0;
};

class Objectives : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    x_ = normal_matrix(c.n, c.d, 11);
    y_ = smooth_target(x_, 12);
    map_ = std::make_shared<CosineMap>(c.d, c.frequencies, 13);
    theta_ = Vector::LinSpaced(map_->parameters().size() + 1, -0.2, 0.3);
    theta_[theta_.size() - 1] = c.log_noise;
    options_.mean = c.mean;
    options_.noise.floor = 1e-6;
  }

  std::unique_ptr<Inference> make(EvidenceForm form, int threads = 1, Index chunk = 0) {
    options_.form = form;
    options_.threads = threads;
    options_.chunk_rows = chunk;
    return make_inference(map_, x_, y_, options_);
  }

  Matrix features(const Matrix& rows) const {
    Matrix psi(rows.rows(), map_->feature_count());
    map_->prepare(theta_.head(map_->parameters().size()))->forward(rows, psi);
    return psi;
  }

  DenseReference reference(double noise_sd) const {
    const Matrix psi = features(x_);
    return {psi * psi.transpose(), y_, noise_sd * noise_sd, GetParam().mean};
  }

  Matrix x_;
  Vector y_, theta_;
  std::shared_ptr<CosineMap> map_;
  InferenceOptions options_;
};

TEST_P(Objectives, PrimalAndDualEqualTheDenseReference) {
  Vector primal(theta_.size()), dual(theta_.size());
  const auto a = make(EvidenceForm::primal), b = make(EvidenceForm::dual);
  const double value = a->evaluate(theta_, primal), other = b->evaluate(theta_, dual);
  const DenseReference dense = reference(a->noise_sd(theta_));
  const double condition = std::exp(-2 * theta_[theta_.size() - 1]);
  const double tolerance = 1e-13 * (100 + condition) * (1 + std::abs(dense.value));
  EXPECT_NEAR(value, dense.value, tolerance);
  EXPECT_NEAR(other, dense.value, tolerance);
  EXPECT_LT((primal - dual).norm(), 1e-12 * (100 + condition) * primal.norm());
  EXPECT_EQ(primal[map_->parameters().find("test.fixed").offset], 0.0);
  // d NLML / d s2 = (tr P - a^T a) / 2.
  const double slope = (dense.projected.trace() - dense.alpha.squaredNorm()) * std::exp(2 * theta_[theta_.size() - 1]);
  EXPECT_NEAR(primal[theta_.size() - 1], slope, 1e-12 * (100 + condition) * (1 + std::abs(slope)));
  EXPECT_EQ(a->jitter(), 0.0);
}

TEST_P(Objectives, GradientEqualsCentralDifferences) {
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    const auto objective = make(form);
    Vector gradient(theta_.size()), unused(theta_.size());
    objective->evaluate(theta_, gradient);
    const auto central = [&](Index p, double h) {
      Vector up = theta_, down = theta_;
      up[p] += h;
      down[p] -= h;
      return (objective->evaluate(up, unused) - objective->evaluate(down, unused)) / (2 * h);
    };
    for (Index p = 0; p < theta_.size(); ++p) {
      const double numeric = (4 * central(p, 1e-3) - central(p, 2e-3)) / 3;
      EXPECT_NEAR(gradient[p], numeric, 1e-6 * gradient.cwiseAbs().maxCoeff()) << p;
    }
  }
}

TEST_P(Objectives, ChunksAndThreadsChangeRoundingOnlyAndRerunsNothing) {
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    Vector whole(theta_.size()), chunked(theta_.size()), again(theta_.size());
    const double value = make(form, 1, GetParam().n)->evaluate(theta_, whole);
    const auto objective = make(form, 2, 7);
    EXPECT_NEAR(objective->evaluate(theta_, chunked), value, 1e-9 * (1 + std::abs(value)));
    EXPECT_LT((whole - chunked).norm(), 1e-9 * whole.norm());
    const Vector elsewhere = theta_.array() + 0.1;
    objective->evaluate(elsewhere, again);
    const double rerun = objective->evaluate(theta_, again);
    EXPECT_EQ(again, chunked);
    Vector fresh(theta_.size());
    EXPECT_EQ(make(form, 2, 7)->evaluate(theta_, fresh), rerun);
    EXPECT_EQ(fresh, chunked);
  }
}

TEST_P(Objectives, LeaveOneOutEqualsRefits) {
  const Index n = GetParam().n;
  const Matrix psi = features(x_), gram = psi * psi.transpose();
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    const auto objective = make(form, 2, 16);
    const LeaveOneOut result = objective->leave_one_out(theta_);
    const double noise = std::pow(objective->noise_sd(theta_), 2);
    for (const Index left : {Index{0}, n / 2, n - 1}) {
      std::vector<Index> kept;
      for (Index i = 0; i < n; ++i)
        if (i != left) kept.push_back(i);
      const Matrix sub = gram(kept, kept), cross = gram(std::vector<Index>{left}, kept);
      const DenseReference refit(sub, y_(kept), noise, GetParam().mean);
      const double tolerance = 1e-12 * (100 + 10 / noise);
      EXPECT_NEAR(result.mean(left), refit.predict_mean(cross)[0], tolerance);
      const double variance = refit.predict_covariance(cross, gram.block(left, left, 1, 1))(0, 0) + noise;
      EXPECT_NEAR(result.variance(left), variance, tolerance * (1 + variance));
    }
  }
}

TEST_P(Objectives, PosteriorEqualsTheDenseGaussianProcess) {
  const Matrix test = normal_matrix(9, GetParam().d, 21);
  const Matrix psi = features(x_), at = features(test), cross = at * psi.transpose();
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    const auto objective = make(form);
    const DenseReference dense = reference(objective->noise_sd(theta_));
    const auto posterior = objective->posterior(theta_);
    Vector mean(9), variance(9), none(0);
    function_of(*posterior).predict(test, mean, variance);
    const Matrix covariance = dense.predict_covariance(cross, at * at.transpose());
    const double tolerance = std::max(1e-8, 1e-12 * std::exp(-2 * theta_[theta_.size() - 1]));
    EXPECT_LT((mean - dense.predict_mean(cross)).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LT((variance - covariance.diagonal()).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LT((function_of(*posterior).covariance(test) - covariance).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_NEAR(posterior->noise_variance(), std::pow(objective->noise_sd(theta_), 2), 1e-15);
    Vector alone(9);
    function_of(*posterior).predict(test, alone, none);
    EXPECT_EQ(alone, mean);
  }
}

// Below the ceiling nothing changes; above it a bound near the value is returned without a gradient.
TEST_P(Objectives, TrialsAboveTheCeilingAreRejectedEarly) {
  for (const EvidenceForm form : {EvidenceForm::primal, EvidenceForm::dual}) {
    const auto objective = make(form);
    Vector gradient(theta_.size()), other(theta_.size());
    const double value = objective->evaluate(theta_, gradient), margin = 1e-6 * (1 + std::abs(value));
    EXPECT_EQ(objective->evaluate_below(value + margin, theta_, other), value);
    EXPECT_EQ(other, gradient);
    const double bound = objective->evaluate_below(value - margin, theta_, other);
    EXPECT_GT(bound, value - margin);
    EXPECT_LE(bound, value + 1e-12 * std::abs(value));
    EXPECT_TRUE(other.array().isNaN().all());
  }
}

TEST_P(Objectives, MixedPrecisionKeepsTheValueAndNearlyTheGradient) {
  Vector full(theta_.size()), mixed(theta_.size());
  const double value = make(EvidenceForm::primal, 1, 16)->evaluate(theta_, full);
  options_.precision = Precision::mixed;
  EXPECT_EQ(make(EvidenceForm::primal, 1, 16)->evaluate(theta_, mixed), value);
  EXPECT_LT((full - mixed).norm(), 1e-5 * full.norm());
}

class MixedPrecision : public ::testing::Test {
 protected:
  std::unique_ptr<Inference> make(Precision precision) const {
    InferenceOptions options;
    options.form = EvidenceForm::primal;
    options.chunk_rows = 64;
    options.mean = MeanKind::zero;
    options.noise.floor = 0;
    options.precision = precision;
    return make_inference(map_, x_, y_, options);
  }

  const Matrix x_ = normal_matrix(400, 3, 11);
  const Vector y_ = smooth_target(x_, 12);
  const std::shared_ptr<const CosineMap> map_ = std::make_shared<CosineMap>(3, 40, 13);
  Vector theta_ = Vector::Zero(6), full_ = Vector::Zero(6), mixed_ = Vector::Zero(6);
};

// Covers all length-scales, down to a noise variance of 1e-6, in floats throughout.
TEST_F(MixedPrecision, TheGradientIsGoodToFiveDigits) {
  for (const double log_lengthscale : {-1, 0, 1, 2, 3})
    for (const double log_noise : {0.0, -2.3, -4.6, -6.9}) {
      theta_ << Vector::Constant(3, log_lengthscale), 0, 0.3, log_noise;
      make(Precision::float64)->evaluate(theta_, full_);
      const auto objective = make(Precision::mixed);
      objective->evaluate(theta_, mixed_);
      EXPECT_EQ(objective->warm_start()[1], 1);
      EXPECT_NE(mixed_, full_);
      EXPECT_LT((full_ - mixed_).norm(), 1e-5 * full_.norm()) << log_lengthscale << " " << log_noise;
    }
}

// With nearly constant features at their best amplitude, the remaining gradient is the rounding of floats.
TEST_F(MixedPrecision, DoublesTakeOverWhereTheGradientVanishes) {
  theta_ << 12, 12, 12, 0, 0, -1;
  const auto exact = make(Precision::float64);
  double low = -5, high = 5;
  for (int step = 0; step < 60; ++step) {
    theta_[4] = 0.5 * (low + high);
    exact->evaluate(theta_, full_);
    (full_[4] > 0 ? high : low) = theta_[4];
  }
  const auto objective = make(Precision::mixed);
  objective->evaluate(theta_, mixed_);
  EXPECT_EQ(objective->warm_start()[1], 0);
  EXPECT_EQ(mixed_, full_);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Objectives,
                         ::testing::Values(Case{60, 3, 12, MeanKind::constant}, Case{60, 3, 12, MeanKind::zero},
                                           Case{20, 1, 25, MeanKind::constant}, Case{20, 1, 25, MeanKind::zero},
                                           Case{50, 8, 40, MeanKind::constant, -2.0},
                                           Case{80, 8, 16, MeanKind::constant, -4.6}, Case{2, 1, 1, MeanKind::constant},
                                           Case{300, 3, 30, MeanKind::constant, 0.3}));

}  // namespace
}  // namespace alacarte
